// SPDX-License-Identifier: MIT
#include "core/store/overlay_store.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/store/keys.h"

namespace zarr {

OverlayStore::OverlayStore(std::shared_ptr<const Store> base, Buffer text, const Values& values,
                           bool (*is_overlaid)(std::string_view name))
    : ForwardingStore(std::move(base)), text_(std::move(text)), is_overlaid_(is_overlaid) {
    for (const auto& [key, value] : values) {
        entries_[key] = value;
        AddToParents(key);
    }
}

bool OverlayStore::IsOverlaid(std::string_view key) const { return is_overlaid_(LastName(key)); }

void OverlayStore::AddToParents(std::string_view key) {
    for (bool is_prefix = false; !key.empty(); is_prefix = true) {
        const std::string_view parent = ParentPath(key);
        bool& known_as_prefix = children_[std::string(parent)]
                                    .try_emplace(std::string(LastName(key)), false)
                                    .first->second;
        // A known prefix was added together with its parents.
        if (known_as_prefix) return;
        known_as_prefix = is_prefix;
        key = parent;
    }
}

void OverlayStore::Prefetch(const std::vector<std::string>& keys,
                            const std::vector<std::string>&) const {
    std::vector<std::string> others;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(others),
                 [&](const std::string& key) { return !IsOverlaid(key); });
    if (!others.empty()) base().Prefetch(others, {});
}

bool OverlayStore::IsCached(const std::string& key) const {
    return IsOverlaid(key) || base().IsCached(key);
}

Result<ReadResult> OverlayStore::Read(const std::string& key, const ValuePart& part,
                                      const ReadSink& sink) const {
    if (!IsOverlaid(key)) return base().Read(key, part, sink);
    const auto found = entries_.find(key);
    return found != entries_.end() ? ReadFrom(ByteSpan(found->second), key, part, sink)
                                   : Result<ReadResult>(ReadResult());
}

Status OverlayStore::GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                             const ValueTaker& take) const {
    const bool has_own = std::any_of(keys.begin(), keys.end(),
                                     [&](const std::string& key) { return IsOverlaid(key); });
    return has_own ? Store::GetMany(keys, options, take) : base().GetMany(keys, options, take);
}

Result<std::vector<StoreEntry>> OverlayStore::List(const std::string& prefix) const {
    std::vector<StoreEntry> entries;
    const auto found = children_.find(prefix);
    if (found == children_.end()) return entries;
    for (const auto& [name, is_prefix] : found->second) entries.push_back({name, is_prefix});
    return entries;
}

}  // namespace zarr
