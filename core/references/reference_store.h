// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/references/target.h"
#include "core/store/store.h"

namespace zarr {

// A read-only store that reads its values from the targets of references: files or objects
// elsewhere. Nearby values of one target are read with one request. If a target is missing, has
// changed, or is too short, a read fails with kCorrupt and names the target.
class ReferenceStore final : public Store, private ValueLocator {
  public:
    // `description` is the document's name for messages.
    ReferenceStore(std::shared_ptr<const ReferenceMap> map,
                   std::shared_ptr<const TargetOpener> targets, std::string description)
        : map_(std::move(map)),
          targets_(std::move(targets)),
          description_(std::move(description)) {}

    std::string Describe() const override { return description_; }
    std::string Identity() const override { return map_->Identity(); }
    StoreTraits Traits() const override;
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return map_->List(prefix);
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        return map_->VisitEntries(prefix, visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override;

    Result<std::optional<ValueLocation>> Locate(const std::string& key) const override;

  private:
    const std::shared_ptr<const ReferenceMap> map_;
    const std::shared_ptr<const TargetOpener> targets_;
    const std::string description_;
};

}  // namespace zarr
