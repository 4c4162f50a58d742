// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/store.h"

namespace zarr_driver {

// Store that forwards all calls to another store. Logs each request with its key if CPL_DEBUG=ZARR
// is set.
class LoggedStore final : public zarr::ForwardingStore, private zarr::StoreWriter {
  public:
    explicit LoggedStore(std::shared_ptr<zarr::Store> base)
        : ForwardingStore(base), writable_(std::move(base)) {}
    // Creates a store that can only be read.
    explicit LoggedStore(std::shared_ptr<const zarr::Store> base)
        : ForwardingStore(std::move(base)) {}

    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    // Reads values, and logs a line for each key, with the time since the start of GetMany().
    zarr::Status GetMany(const std::vector<std::string>& keys, const zarr::ReadManyOptions& options,
                         const ValueTaker& take) const override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    zarr::StoreWriter* writer() override { return writable_ != nullptr ? this : nullptr; }

  private:
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    zarr::Result<bool> RemovePrefix(const std::string& prefix) override {
        return writable_->ErasePrefix(prefix);
    }
    zarr::Result<bool> MovePrefix(const std::string& from, const std::string& to) override {
        return writable_->RenamePrefix(from, to);
    }
    zarr::Status Commit() override { return writable_->Flush(); }

    const std::shared_ptr<zarr::Store> writable_;
};

}  // namespace zarr_driver
