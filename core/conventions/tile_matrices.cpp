// SPDX-License-Identifier: MIT
#include "core/conventions/tile_matrices.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Each list has the names of one JSON member: in GeoZarr, and in versions 2.0 and 1.0 of OGC's Tile
// Matrix Set standard.
constexpr std::string_view kLimitNames[] = {"tile_matrix_limits", "tile_matrix_set_limits"};
constexpr std::string_view kMatrixNames[] = {"tileMatrices", "tileMatrix"};
constexpr std::string_view kIdNames[] = {"id", "identifier", "tileMatrix"};

// Maximum number of entries in the parent group. If there are more, the sibling groups are not
// searched for the array that describes the pyramid.
constexpr std::size_t kMaxSiblingGroups = 64;

// Returns the identifier of a tile matrix; nullopt if absent. Some writers store a number instead
// of a string.
std::optional<std::string> MatrixId(const json::Value& item) {
    std::uint64_t number = 0;
    if (item.as_string() != nullptr) return *item.as_string();
    if (item.GetUint64(number)) return std::to_string(number);
    for (const std::string_view name : kIdNames) {
        const json::Value* id = item.Find(name);
        if (id == nullptr) continue;
        if (id->as_string() != nullptr) return *id->as_string();
        if (id->GetUint64(number)) return std::to_string(number);
    }
    return std::nullopt;
}

std::vector<std::string> IdsOf(const json::Value& list, const std::string& origin,
                               Warnings& warnings) {
    std::vector<std::string> ids;
    const json::Object* object = list.as_object();
    const json::Array* items = list.as_array();
    const std::size_t count = object != nullptr ? object->size() : items ? items->size() : 0;
    if (object == nullptr && items == nullptr) {
        warnings.push_back(
            json::Expected(origin, "an object or a list of tile matrices", list).message());
        return ids;
    }
    if (count > kMaxPyramidLevels) {
        warnings.push_back(origin + ": is ignored, because its " + std::to_string(count) +
                           " levels exceed the maximum of " + std::to_string(kMaxPyramidLevels));
        return ids;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto id = object != nullptr ? (*object)[i].first : MatrixId((*items)[i]);
        if (id)
            ids.push_back(*id);
        else
            warnings.push_back(json::Expected(origin + "[" + std::to_string(i) + "]",
                                              "a tile matrix with an id", (*items)[i])
                                   .message());
    }
    return ids;
}

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

}  // namespace

bool IsTileMatrixPyramid(const json::Value& multiscales) {
    return multiscales.Find("tile_matrix_set") != nullptr ||
           std::any_of(std::begin(kLimitNames), std::end(kLimitNames),
                       [&](std::string_view name) { return multiscales.Find(name) != nullptr; });
}

std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings) {
    for (const std::string_view name : kLimitNames) {
        const json::Value* limits = multiscales.Find(name);
        if (limits == nullptr || limits->is_null()) continue;
        auto ids = IdsOf(*limits, origin + "." + std::string(name), warnings);
        if (!ids.empty()) return ids;
    }
    const json::Value* set = multiscales.Find("tile_matrix_set");
    if (set == nullptr || set->is_null() || set->as_string() != nullptr) return {};
    const std::string place = origin + ".tile_matrix_set";
    for (const std::string_view name : kMatrixNames)
        if (const json::Value* matrices = set->Find(name))
            return IdsOf(*matrices, place + "." + std::string(name), warnings);
    warnings.push_back(
        json::Expected(place, "a name, or an object with tileMatrices", *set).message());
    return {};
}

std::optional<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy,
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

namespace {

// Finds the arrays in `group` and its child groups that describe a pyramid of `group`; at most one
// array of each name.
class Search {
  public:
    Search(const Hierarchy& hierarchy, const std::string& group, Warnings& warnings)
        : hierarchy_(hierarchy), group_(group), warnings_(warnings) {}

    std::vector<ListedPyramid> Find() {
        const auto members = hierarchy_.Members(group_);
        // A group with more members than a pyramid can have levels holds many products, and is not
        // searched.
        if (!members.ok() || members->size() > kMaxPyramidLevels) return {};
        for (const Node& node : *members) {
            if (node.kind == NodeKind::kArray) Try(node);
            if (node.kind != NodeKind::kGroup) continue;
            const auto inside = hierarchy_.Members(node.path);
            for (std::size_t i = 0; inside.ok() && i < inside->size(); ++i)
                if ((*inside)[i].kind == NodeKind::kArray) Try((*inside)[i]);
        }
        std::vector<ListedPyramid> pyramids;
        for (auto& [name, pyramid] : found_) pyramids.push_back(std::move(pyramid));
        return pyramids;
    }

  private:
    void Try(const Node& node) {
        if (found_.count(node.name) != 0) return;
        const json::Value attributes = AttributesOrEmpty(hierarchy_, node.path);
        if (attributes.Find("multiscales") == nullptr) return;
        Warnings own;
        auto pyramid = ListTileMatrices(hierarchy_, node.path, attributes, own);
        if (pyramid && pyramid->group != group_) return;
        warnings_.insert(warnings_.end(), own.begin(), own.end());
        if (pyramid) found_.emplace(node.name, std::move(*pyramid));
    }

    const Hierarchy& hierarchy_;
    const std::string& group_;
    Warnings& warnings_;
    std::map<std::string, ListedPyramid> found_;
};

}  // namespace

std::vector<ListedPyramid> FindTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            Warnings& warnings) {
    return Search(hierarchy, group, warnings).Find();
}

std::optional<ListedPyramid> FindTileMatricesOf(const Hierarchy& hierarchy,
                                                const std::string& array_path, Warnings& warnings) {
    const std::string name(LastName(array_path));
    const std::string own(ParentPath(array_path));
    const std::string above(ParentPath(own));
    if (own.empty()) return std::nullopt;
    std::vector<std::string> holders = {JoinKey(above, name)};
    const auto entries = hierarchy.List(above);
    if (entries.ok() && entries->size() <= kMaxSiblingGroups)
        for (const StoreEntry& entry : *entries)
            if (entry.is_prefix) holders.push_back(JoinKey(JoinKey(above, entry.name), name));
    for (const std::string& path : holders) {
        const auto attributes = hierarchy.Attributes(path);
        if (path == array_path || !attributes.ok() || attributes->Find("multiscales") == nullptr)
            continue;
        Warnings found;
        auto pyramid = ListTileMatrices(hierarchy, path, *attributes, found);
        const bool lists_it = pyramid && std::any_of(pyramid->levels.begin(), pyramid->levels.end(),
                                                     [&](const ListedLevel& level) {
                                                         return level.path == array_path;
                                                     });
        if (!lists_it) continue;
        warnings.insert(warnings.end(), found.begin(), found.end());
        return pyramid;
    }
    return std::nullopt;
}

}  // namespace zarr
