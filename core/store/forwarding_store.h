// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

#include "core/store/store.h"

namespace zarr {

// A read-only store that is another one, but for what a class derived from it changes.
class ForwardingStore : public Store {
  public:
    explicit ForwardingStore(std::shared_ptr<const Store> base) : base_(std::move(base)) {}

    std::string Describe() const override { return base_->Describe(); }
    std::string Identity() const override { return base_->Identity(); }
    std::string Manner() const override { return base_->Manner(); }
    std::size_t ReadsAtOnce() const override { return base_->ReadsAtOnce(); }
    bool RemembersAbsence() const override { return base_->RemembersAbsence(); }
    Stamp StampOf(const std::string& key) const override { return base_->StampOf(key); }
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override {
        return base_->Get(key, value, limit);
    }
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override {
        return base_->GetInto(key, memory);
    }
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override {
        return base_->GetRange(key, offset, length, value);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base_->List(prefix);
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        return base_->VisitEntries(prefix, visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override {
        return base_->ForEachKey(prefix, visit, visit_prefix);
    }

  protected:
    const Store& base() const { return *base_; }

  private:
    const std::shared_ptr<const Store> base_;
};

}  // namespace zarr
