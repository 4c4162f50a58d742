// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <shared_mutex>

#include "core/store/store.h"

namespace zarr {

// Store that holds all values in memory. Tests compare other stores with this store.
class MemoryStore final : public Store, private StoreWriter {
  public:
    std::string Describe() const override { return "memory"; }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    StoreWriter* writer() override { return this; }

  private:
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override;
    Status Remove(const std::string& key) override;

    mutable std::shared_mutex mutex_;
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace zarr
