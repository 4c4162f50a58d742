// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/tile_matrices.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/group/level_statement.h"
#include "core/conventions/group/tile_matrix_ids.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Maximum number of entries in the parent group. If there are more, the sibling groups are not
// searched for the array that describes the pyramid.
constexpr std::size_t kMaxSiblingGroups = 64;

bool IsArray(const Hierarchy& hierarchy, const std::string& path) {
    const auto found = IsValidKey(path) ? hierarchy.Has(path, Document::kArray) : false;
    return found.ok() && *found;
}

// Returns the names of the groups in `parent` with an array `name`. Returns none if `parent` has
// more groups than a pyramid can have levels.
std::vector<std::string> GroupsThatHold(const Hierarchy& hierarchy, const std::string& parent,
                                        const std::string& name) {
    std::vector<std::string> names;
    const auto entries = hierarchy.List(parent);
    if (!entries.ok()) return names;
    const auto folders = std::count_if(entries->begin(), entries->end(),
                                       [](const StoreEntry& entry) { return entry.is_prefix; });
    if (static_cast<std::size_t>(folders) > kMaxPyramidLevels) return names;
    for (const StoreEntry& entry : *entries)
        if (entry.is_prefix && IsArray(hierarchy, JoinKey(JoinKey(parent, entry.name), name)))
            names.push_back(entry.name);
    return names;
}

// Returns the levels that an array's attributes describe, as arrays; nullopt if `multiscales` is
// absent or invalid.
std::optional<ListedPyramid> LevelsOfTileMatrices(const Hierarchy& hierarchy,
                                                  const std::string& array_path,
                                                  const json::Value& array_attributes,
                                                  Warnings& warnings) {
    const json::Value* multiscales = array_attributes.Find("multiscales");
    if (multiscales == nullptr || multiscales->is_null() || array_path.empty()) return std::nullopt;
    ListedPyramid pyramid;
    pyramid.origin = "/" + array_path + ": multiscales";
    if (!IsTileMatrixPyramid(*multiscales)) {
        warnings.push_back(
            json::Expected(pyramid.origin, "an object with tile_matrix_set", *multiscales)
                .message());
        return std::nullopt;
    }
    const std::string name(LastName(array_path));
    const std::string own(ParentPath(array_path));
    const std::string above(ParentPath(own));
    const auto holds = [&](const std::string& group, const std::string& id) {
        return IsArray(hierarchy, JoinKey(JoinKey(group, id), name));
    };
    std::vector<std::string> ids = TileMatrixIds(*multiscales, pyramid.origin, warnings);
    bool are_siblings = !own.empty();
    if (ids.empty()) {
        if (are_siblings) ids = GroupsThatHold(hierarchy, above, name);
        if (ids.size() < 2) {
            auto inside = GroupsThatHold(hierarchy, own, name);
            are_siblings = are_siblings && inside.empty();
            if (!are_siblings) ids = std::move(inside);
        }
    } else if (are_siblings && std::find(ids.begin(), ids.end(), LastName(own)) == ids.end()) {
        are_siblings = std::none_of(ids.begin(), ids.end(),
                                    [&](const std::string& id) { return holds(own, id); });
    }
    pyramid.group = are_siblings ? above : own;
    pyramid.levels.push_back({array_path, pyramid.origin});
    for (const std::string& id : ids) {
        std::string path = JoinKey(JoinKey(pyramid.group, id), name);
        const std::string origin = pyramid.origin + ", tile matrix " + Quoted(id);
        if (id.empty() || !IsValidKey(path))
            warnings.push_back(origin + ": is not a valid group name; the level is left out");
        else if (path != array_path)
            pyramid.levels.push_back({std::move(path), origin});
    }
    return pyramid;
}

// Finds the arrays in `group` and its child groups that describe a pyramid of `group`; at most one
// array of each name.
class Search {
  public:
    Search(const Hierarchy& hierarchy, const std::string& group, Warnings& warnings)
        : hierarchy_(hierarchy), group_(group), warnings_(warnings) {}

    std::vector<ListedPyramid> Find(const std::string& holding) {
        if (holding.empty())
            TryAll();
        else
            TryFor(holding);
        std::vector<ListedPyramid> pyramids;
        for (auto& [name, pyramid] : found_) pyramids.push_back(std::move(pyramid));
        return pyramids;
    }

  private:
    void TryAll() {
        const auto members = hierarchy_.Members(group_);
        // A group with more members than a pyramid can have levels holds many products, and is not
        // searched.
        if (!members.ok() || members->size() > kMaxPyramidLevels) return;
        for (const Node& node : *members) {
            if (node.kind == NodeKind::kArray) Try(node.path);
            if (node.kind != NodeKind::kGroup) continue;
            const auto inside = hierarchy_.Members(node.path);
            for (std::size_t i = 0; inside.ok() && i < inside->size(); ++i)
                if ((*inside)[i].kind == NodeKind::kArray) Try((*inside)[i].path);
        }
    }

    // Tries the arrays that may describe a pyramid with the array at `holding`: the array itself,
    // or arrays of its name beside its group and in groups beside its group.
    void TryFor(const std::string& holding) {
        const std::string_view own = ParentPath(holding);
        const std::string_view name = LastName(holding);
        const bool is_above = !own.empty() && group_ == ParentPath(own);
        if (!is_above && group_ != own) return;
        Try(holding);
        if (!is_above || !found_.empty()) return;
        Try(JoinKey(group_, name), holding);
        const auto entries = hierarchy_.List(group_);
        if (!entries.ok() || entries->size() > kMaxSiblingGroups) return;
        for (const StoreEntry& entry : *entries)
            if (entry.is_prefix) Try(JoinKey(JoinKey(group_, entry.name), name), holding);
    }

    // Adds the pyramid that the array at `path` describes, unless one of the array's name is known.
    // With `holding`, the pyramid must list this array.
    void Try(const std::string& path, const std::string& holding = {}) {
        const std::string name(LastName(path));
        if (found_.count(name) != 0) return;
        const json::Value attributes = AttributesOrEmpty(hierarchy_, path);
        if (attributes.Find("multiscales") == nullptr) return;
        Warnings own;
        auto pyramid = LevelsOfTileMatrices(hierarchy_, path, attributes, own);
        const auto is_wanted = [&](const ListedLevel& level) { return level.path == holding; };
        if (pyramid && pyramid->group != group_) return;
        if (!holding.empty() &&
            (!pyramid || std::none_of(pyramid->levels.begin(), pyramid->levels.end(), is_wanted)))
            return;
        warnings_.insert(warnings_.end(), own.begin(), own.end());
        if (pyramid) found_.emplace(name, std::move(*pyramid));
    }

    const Hierarchy& hierarchy_;
    const std::string& group_;
    Warnings& warnings_;
    std::map<std::string, ListedPyramid> found_;
};

}  // namespace

std::vector<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            const std::string& holding, Warnings& warnings) {
    return Search(hierarchy, group, warnings).Find(holding);
}

}  // namespace zarr
