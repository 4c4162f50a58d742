// SPDX-License-Identifier: MIT
// A store that wraps another store. Tests of ForwardingStore use it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/store/keys.h"
#include "core/store/store.h"

namespace zarr::test {

// Shows the keys of another store that begin with `prefix`, without this prefix.
class PrefixStore final : public ForwardingStore {
  public:
    PrefixStore(std::shared_ptr<const Store> base, std::string prefix)
        : ForwardingStore(std::move(base)), prefix_(std::move(prefix)) {}

    std::string Identity() const override { return base().Identity() + "\n" + prefix_; }
    ObjectVersion VersionOf(const std::string& key) const override {
        return base().VersionOf(JoinKey(prefix_, key));
    }
    bool WaitsForDisk(const std::string& key) const override {
        return base().WaitsForDisk(JoinKey(prefix_, key));
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        auto read = base().Read(JoinKey(prefix_, key), part, sink);
        if (read.ok()) return read;
        // Error messages of a store begin with the key. The wrapped store's key has the prefix,
        // which is removed.
        return Status(read.status().code(), read.status().message().substr(prefix_.size() + 1));
    }
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        std::vector<std::string> all;
        for (const std::string& key : keys) all.push_back(JoinKey(prefix_, key));
        return base().GetMany(all, options, take);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base().List(prefix.empty() ? prefix_ : JoinKey(prefix_, prefix));
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        return base().VisitEntries(prefix.empty() ? prefix_ : JoinKey(prefix_, prefix), visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override {
        return base().ForEachKey(prefix.empty() ? prefix_ : JoinKey(prefix_, prefix), visit,
                                 visit_prefix);
    }
    const Prefetcher* prefetcher() const override { return nullptr; }

  private:
    const std::string prefix_;
};

}  // namespace zarr::test
