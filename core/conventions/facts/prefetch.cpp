// SPDX-License-Identifier: MIT
#include "core/conventions/facts/prefetch.h"

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/dimensions.h"
#include "core/conventions/group/named_members.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Appends the keys of the documents from which DescribeArray() reads the coordinates of an array.
// The array's own documents must be cached.
void AddCoordinateKeys(const Hierarchy& hierarchy, const std::string& path,
                       std::vector<std::string>& keys) {
    const auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok() || path.empty()) return;
    for (const NamedDimension& dimension :
         NameDimensions(hierarchy, path, *metadata, AttributesOrEmpty(hierarchy, path)).value) {
        if (!dimension.is_named) continue;
        const std::string coordinates = JoinKey(dimension.group, dimension.name);
        const std::string document = hierarchy.KeyOf(coordinates, Document::kArray);
        const auto is_there = hierarchy.store()->IsCached(document)
                                  ? hierarchy.Has(coordinates, Document::kArray)
                                  : Result<bool>(true);
        if (is_there.ok() && !*is_there) continue;
        keys.push_back(document);
        keys.push_back(hierarchy.KeyOf(coordinates, Document::kAttributes));
    }
}

// Prefetches the documents that tell arrays from groups, and the attributes of arrays.
void PrefetchListed(const Hierarchy& hierarchy, const std::string& group) {
    const auto entries = hierarchy.List(group);
    if (!entries.ok()) return;
    std::vector<std::string> keys;
    for (const StoreEntry& entry : *entries) {
        if (!entry.is_prefix) continue;
        const std::string path = JoinKey(group, entry.name);
        for (const Document document : {Document::kArray, Document::kAttributes})
            keys.push_back(hierarchy.KeyOf(path, document));
    }
    hierarchy.store()->Prefetch(keys, {});
    keys.clear();
    for (const StoreEntry& entry : *entries) {
        if (!entry.is_prefix) continue;
        const std::string path = JoinKey(group, entry.name);
        const auto is_array = hierarchy.Has(path, Document::kArray);
        if (is_array.ok() && !*is_array) keys.push_back(hierarchy.KeyOf(path, Document::kGroup));
    }
    hierarchy.store()->Prefetch(keys, {});
}

}  // namespace

bool CanPrefetch(const Hierarchy& hierarchy) {
    const StoreTraits traits = hierarchy.store()->Traits();
    return traits.remote && traits.caches_absence;
}

void PrefetchArrays(const Hierarchy& hierarchy, const std::vector<std::string>& paths) {
    if (!CanPrefetch(hierarchy)) return;
    std::vector<std::string> keys;
    for (const std::string& path : paths)
        for (const Document document : {Document::kArray, Document::kAttributes})
            keys.push_back(hierarchy.KeyOf(path, document));
    hierarchy.store()->Prefetch(keys, {});
    keys.clear();
    for (const std::string& path : paths) AddCoordinateKeys(hierarchy, path, keys);
    hierarchy.store()->Prefetch(keys, {});
}

Result<std::vector<Node>> MembersWithAttributes(const Hierarchy& hierarchy,
                                                const std::string& group) {
    if (CanPrefetch(hierarchy)) PrefetchListed(hierarchy, group);
    return MembersOf(hierarchy, group);
}

}  // namespace zarr
