// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/store.h"

namespace zarr {

// A store in which another one lies as the folder `name` of the root: its keys are NAME/KEY here,
// and hide what the first store has there. Read-only.
class MountStore final : public ForwardingStore, private Prefetcher {
  public:
    MountStore(std::shared_ptr<const Store> base, std::string name,
               std::shared_ptr<const Store> mounted)
        : ForwardingStore(std::move(base)), name_(std::move(name)), mounted_(std::move(mounted)) {}

    std::string Identity() const override;
    ObjectVersion VersionOf(const std::string& key) const override;
    bool WaitsForDisk(const std::string& key) const override;
    // Not packed, as keys may be of both stores.
    StoreTraits Traits() const override;
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        return Store::GetMany(keys, options, take);
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override;
    const Prefetcher* prefetcher() const override { return this; }

  private:
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsAtHand(const std::string& key) const override;
    bool IsListAtHand(const std::string& prefix) const override;
    // What follows NAME/ in a key or prefix of the mounted store, "" for NAME itself.
    std::optional<std::string> Below(std::string_view key) const;
    // Calls `question` with the store that has a key, and the key there. Messages of the mounted
    // store get the name in front.
    template <class Question>
    auto Ask(const std::string& key, const Question& question) const;

    const std::string name_;
    const std::shared_ptr<const Store> mounted_;
};

}  // namespace zarr
