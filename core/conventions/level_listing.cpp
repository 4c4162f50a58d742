// SPDX-License-Identifier: MIT
#include "core/conventions/level_listing.h"

#include "core/conventions/lookup.h"
#include "core/store/keys.h"

namespace zarr {

std::shared_ptr<const json::Value> LevelListings::AttributesOf(const std::string& group) {
    auto& attributes = attributes_[group];
    if (attributes == nullptr) {
        Warnings ignored;  // reported where the group is opened
        attributes =
            std::make_shared<const json::Value>(LenientAttributes(hierarchy_, group, ignored));
    }
    return attributes;
}

LevelListing LevelListings::Find(const std::string& path, Multiscale::Kind kind) {
    // Of a walk through a hierarchy, the groups that it has left.
    for (auto it = attributes_.begin(); it != attributes_.end();)
        it = IsAtOrBelow(path, it->first) ? std::next(it) : attributes_.erase(it);
    for (std::string_view at = path; !at.empty();) {
        at = ParentPath(at);
        LevelListing listing;
        listing.group = std::string(at);
        listing.attributes = AttributesOf(listing.group);
        const std::string_view name = std::string_view(path).substr(at.empty() ? 0 : at.size() + 1);
        listing.levels = FindLevels(*listing.attributes, name, kind);
        if (listing.is_listed()) return listing;
    }
    return {};
}

}  // namespace zarr
