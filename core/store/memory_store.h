// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "core/base/fork.h"
#include "core/store/store.h"

namespace zarr {

// A store in memory; the reference the other stores are tested against.
class MemoryStore final : public Store {
  public:
    std::string Describe() const override { return "memory"; }
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override;
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override;
    Result<std::optional<std::uint64_t>> GetTail(const std::string& key, std::size_t length,
                                                 Buffer& value) const override;
    Status Set(const std::string& key, ByteSpan value) override;
    Status Erase(const std::string& key) override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    mutable SharedMutex mutex_;
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace zarr
