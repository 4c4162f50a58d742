// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/store/store.h"

namespace zarr::test {

// Forwards all calls to another store. Records changes as "set KEY" or "erase KEY". A call that
// FailAt() selects fails without any effect.
class FaultyStore final : public Store, private StoreWriter {
  public:
    StoreWriter* writer() override { return this; }
    explicit FaultyStore(std::shared_ptr<Store> base) : base_(std::move(base)) {}

    // Makes call number `call` to the store fail, counted from 1. If `all_later` is true, all later
    // calls fail, too. If `call` is 0, no call fails.
    void FailAt(std::size_t call, bool all_later) {
        const std::lock_guard lock(mutex_);
        calls_ = 0;
        fail_at_ = call;
        all_later_ = all_later;
    }
    std::vector<std::string> TakeChanges() {
        const std::lock_guard lock(mutex_);
        return std::exchange(changes_, {});
    }

    std::string Describe() const override { return base_->Describe(); }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        ZARR_RETURN_IF_ERROR(Fault(key));
        return base_->Read(key, part, sink);
    }
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override {
        ZARR_RETURN_IF_ERROR(Fault(key, "set "));
        return base_->SetParts(key, parts);
    }
    Status Remove(const std::string& key) override {
        ZARR_RETURN_IF_ERROR(Fault(key, "erase "));
        return base_->Erase(key);
    }
    Result<bool> RemovePrefix(const std::string& prefix) override {
        ZARR_RETURN_IF_ERROR(Fault(prefix));
        return base_->ErasePrefix(prefix);
    }
    Result<bool> MovePrefix(const std::string& from, const std::string& to) override {
        ZARR_RETURN_IF_ERROR(Fault(from));
        return base_->RenamePrefix(from, to);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        ZARR_RETURN_IF_ERROR(Fault(prefix));
        if (!can_list) return Status::Unsupported(prefix + ": cannot list");
        return base_->List(prefix);
    }

    bool can_list = true;

  private:
    Status Fault(const std::string& key, const char* change = nullptr) const {
        const std::lock_guard lock(mutex_);
        ++calls_;
        if (fail_at_ != 0 && (calls_ == fail_at_ || (all_later_ && calls_ > fail_at_)))
            return Status::Io(key + ": injected fault");
        if (change != nullptr) changes_.push_back(change + key);
        return {};
    }

    std::shared_ptr<Store> base_;
    mutable std::mutex mutex_;
    mutable std::vector<std::string> changes_;
    mutable std::size_t calls_ = 0;
    std::size_t fail_at_ = 0;
    bool all_later_ = false;
};

}  // namespace zarr::test
