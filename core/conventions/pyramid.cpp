// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/conventions/catalog.h"
#include "core/conventions/lookup.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/pyramid_levels.h"
#include "core/conventions/tile_matrices.h"
#include "core/conventions/xcube_levels.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// The `multiscales` of a group's attributes, with paths from the root.
std::vector<ListedPyramid> ListMultiscales(const json::Value& attributes, const std::string& group,
                                           Warnings& warnings) {
    std::vector<ListedPyramid> pyramids;
    for (const Multiscale& multiscale : ReadMultiscales(attributes, warnings)) {
        ListedPyramid pyramid{group, multiscale.origin, {}, multiscale.is_overviews};
        for (const MultiscaleLevel& level : multiscale.levels)
            pyramid.levels.push_back(
                {level.path.empty() ? group : JoinKey(group, level.path), level.origin});
        pyramids.push_back(std::move(pyramid));
    }
    return pyramids;
}

// Turns listings into pyramids.
class Builder {
  public:
    Builder(const Hierarchy& hierarchy, Warnings& warnings)
        : hierarchy_(hierarchy), warnings_(warnings), checker_(hierarchy, warnings) {}

    // The pyramids of arrays, or of the variables in groups, whichever the first level is.
    void Add(const ListedPyramid& listed, std::vector<Pyramid>& pyramids) {
        std::vector<ListedLevel> arrays;
        std::map<std::string, std::vector<ListedLevel>> variables;
        NodeKind kind_of_all = NodeKind::kNone;
        for (const ListedLevel& level : Distinct(listed)) {
            const NodeKind kind = KindOf(level);
            if (kind_of_all == NodeKind::kNone) kind_of_all = kind;
            if (kind == NodeKind::kNone) continue;
            if (kind != kind_of_all)
                LeaveOut(level, kind == NodeKind::kGroup ? "is a group where others are arrays"
                                                         : "is an array where others are groups");
            else if (kind == NodeKind::kArray)
                arrays.push_back(level);
            else
                AddVariables(level, variables);
        }
        if (!arrays.empty()) AddChecked(listed, arrays, pyramids);
        for (const auto& [name, levels] : variables) AddChecked(listed, levels, pyramids);
    }

    // The pyramid of one array: the arrays, or those of its name in the groups.
    std::optional<Pyramid> BuildOf(const ListedPyramid& listed, const std::string& array_path) {
        const bool is_listed_itself =
            std::any_of(listed.levels.begin(), listed.levels.end(),
                        [&](const ListedLevel& level) { return level.path == array_path; });
        std::vector<ListedLevel> arrays;
        for (const ListedLevel& level : Distinct(listed)) {
            const NodeKind kind = KindOf(level);
            if (kind == NodeKind::kNone) continue;
            if ((kind == NodeKind::kArray) != is_listed_itself) {
                LeaveOut(level, is_listed_itself ? "is a group where others are arrays"
                                                 : "is an array where others are groups");
                continue;
            }
            std::string path =
                is_listed_itself ? level.path : JoinKey(level.path, LastName(array_path));
            const auto exists = hierarchy_.Has(JoinKey(path, kArrayKey));
            if (is_listed_itself || (exists.ok() && *exists))
                arrays.push_back({std::move(path), level.origin});
        }
        return Check(listed, arrays);
    }

  private:
    void LeaveOut(const ListedLevel& level, const std::string& why) {
        warnings_.push_back(LeftOut(level, why));
    }

    // The levels without those that are listed before.
    std::vector<ListedLevel> Distinct(const ListedPyramid& listed) {
        std::vector<ListedLevel> levels;
        std::set<std::string> seen;
        for (const ListedLevel& level : listed.levels) {
            if (seen.insert(level.path).second)
                levels.push_back(level);
            else
                LeaveOut(level, "is listed twice");
        }
        return levels;
    }

    // kNone, and a warning, where there is nothing or nothing that can be looked at.
    NodeKind KindOf(const ListedLevel& level) {
        const auto kind = hierarchy_.KindOf(level.path);
        if (kind.ok() && *kind != NodeKind::kNone) return *kind;
        LeaveOut(level,
                 kind.ok() ? "does not exist" : "cannot be read: " + kind.status().message());
        return NodeKind::kNone;
    }

    void AddVariables(const ListedLevel& level,
                      std::map<std::string, std::vector<ListedLevel>>& variables) {
        const auto group = ListGroup(hierarchy_, level.path);
        if (!group.ok()) return LeaveOut(level, "cannot be read: " + group.status().message());
        bool any = false;
        for (const CatalogArray& array : group->arrays) {
            // One that cannot be read is told of where the pyramid is checked.
            if (array.status.ok() && (!array.is_raster || array.is_auxiliary)) continue;
            variables[std::string(LastName(array.path))].push_back({array.path, level.origin});
            any = true;
        }
        if (!any) LeaveOut(level, "holds no raster");
    }

    std::optional<Pyramid> Check(const ListedPyramid& listed,
                                 const std::vector<ListedLevel>& levels) {
        auto pyramid = checker_.Check(listed.origin, levels);
        if (pyramid) pyramid->is_overviews = listed.is_overviews;
        return pyramid;
    }

    void AddChecked(const ListedPyramid& listed, const std::vector<ListedLevel>& levels,
                    std::vector<Pyramid>& pyramids) {
        if (auto pyramid = Check(listed, levels)) pyramids.push_back(std::move(*pyramid));
    }

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    LevelChecker checker_;
};

// True where the pyramid lists the array, or the group that it is directly in.
bool Lists(const ListedPyramid& pyramid, const std::string& array_path) {
    const std::string_view group = ParentPath(array_path);
    return std::any_of(pyramid.levels.begin(), pyramid.levels.end(), [&](const ListedLevel& level) {
        return level.path == array_path || level.path == group;
    });
}

// What lists an array as a level, nearest first.
std::optional<ListedPyramid> FindListing(const Hierarchy& hierarchy, const std::string& array_path,
                                         Warnings& warnings) {
    Warnings ignored;  // of attributes that are no JSON, reported where the nodes are opened
    const json::Value attributes = LenientAttributes(hierarchy, array_path, ignored);
    if (auto listed = ListTileMatrices(hierarchy, array_path, attributes, warnings)) return listed;
    const std::string_view own = ParentPath(array_path);
    for (std::string_view at = array_path; !at.empty();) {
        at = ParentPath(at);
        const std::string group(at);
        Warnings found;
        auto listed = ListMultiscales(LenientAttributes(hierarchy, group, ignored), group, found);
        // A folder of xcube levels is the group above the array's own.
        if (listed.empty() && !own.empty() && at == ParentPath(own))
            if (auto levels = ListXcubeLevels(hierarchy, group, found))
                listed.push_back(std::move(*levels));
        // An array that something else lists by itself may have overviews all the same.
        std::stable_partition(listed.begin(), listed.end(),
                              [](const ListedPyramid& pyramid) { return pyramid.is_overviews; });
        for (ListedPyramid& pyramid : listed) {
            if (!Lists(pyramid, array_path)) continue;
            warnings.insert(warnings.end(), found.begin(), found.end());
            return std::move(pyramid);
        }
    }
    return FindTileMatricesOf(hierarchy, array_path, warnings);
}

}  // namespace

std::vector<Pyramid> FindPyramids(const Hierarchy& hierarchy, const std::string& group,
                                  Warnings& warnings) {
    std::vector<Pyramid> pyramids;
    Builder builder(hierarchy, warnings);
    const auto add = [&](const std::vector<ListedPyramid>& listed) {
        for (const ListedPyramid& pyramid : listed) builder.Add(pyramid, pyramids);
        return !pyramids.empty();
    };
    Warnings ignored;  // reported where the group is opened
    if (add(ListMultiscales(LenientAttributes(hierarchy, group, ignored), group, warnings)))
        return pyramids;
    if (const auto levels = ListXcubeLevels(hierarchy, group, warnings)) {
        add({*levels});
        return pyramids;
    }
    add(FindTileMatrices(hierarchy, group, warnings));
    return pyramids;
}

std::optional<Pyramid> FindPyramidOf(const Hierarchy& hierarchy, const std::string& array_path,
                                     Warnings& warnings) {
    if (array_path.empty()) return std::nullopt;
    Warnings found;
    const auto listed = FindListing(hierarchy, array_path, found);
    if (!listed) {
        warnings.insert(warnings.end(), found.begin(), found.end());
        return std::nullopt;
    }
    auto pyramid = Builder(hierarchy, found).BuildOf(*listed, array_path);
    const auto has_it = [&](const PyramidLevel& level) { return level.path == array_path; };
    if (!pyramid || std::none_of(pyramid->levels.begin(), pyramid->levels.end(), has_it))
        return std::nullopt;
    if (pyramid->levels[0].path == array_path)
        warnings.insert(warnings.end(), found.begin(), found.end());
    if (pyramid->levels.size() == 1) return std::nullopt;
    return pyramid;
}

}  // namespace zarr
