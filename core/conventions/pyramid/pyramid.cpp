// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/pyramid.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/pyramid/tile_matrices.h"
#include "core/conventions/pyramid/xcube_levels.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Returns the path of a node, relative to the group `group` that contains it.
std::string_view NameInGroup(std::string_view group, std::string_view path) {
    return group.empty() ? path : path.substr(group.size() + 1);
}

// Lists the multiscales of a group, with paths from the root.
class MultiscaleLister {
  public:
    explicit MultiscaleLister(std::string group) : group_(std::move(group)) {}

    ListedPyramid List(const Multiscale& multiscale) {
        ListedPyramid pyramid{group_, multiscale.origin, {}, multiscale.is_overviews};
        for (const MultiscaleLevel& level : multiscale.levels) {
            const auto& source = level.statement->source;
            const auto is_source = [&](const MultiscaleLevel& other) {
                return other.statement->level == *source;
            };
            const bool is_source_listed = source && std::any_of(multiscale.levels.begin(),
                                                                multiscale.levels.end(), is_source);
            pyramid.levels.push_back(
                {FromRoot(level.path), level.origin, StatementOf(level, is_source_listed)});
        }
        return pyramid;
    }

  private:
    std::string FromRoot(const std::string& path) const {
        return path.empty() ? group_ : JoinKey(group_, path);
    }

    std::shared_ptr<const LevelStatement> StatementOf(const MultiscaleLevel& level,
                                                      bool is_source_listed) {
        auto& known = known_[{level.statement.get(), is_source_listed}];
        if (known != nullptr) return known;
        LevelStatement statement = *level.statement;
        statement.level = FromRoot(statement.level);
        statement.is_source_listed = is_source_listed;
        if (statement.source) statement.source = FromRoot(*statement.source);
        known = std::make_shared<const LevelStatement>(std::move(statement));
        return known;
    }

    std::string group_;
    // Statements with paths from the root. Overviews in one group share them.
    std::map<std::pair<const LevelStatement*, bool>, std::shared_ptr<const LevelStatement>> known_;
};

// Returns the pyramids in the `multiscales` of a group's attributes. With `holding`, only those
// that list this array or its group.
std::vector<ListedPyramid> ListMultiscales(const Hierarchy& hierarchy, const std::string& group,
                                           const std::string& holding, Warnings& warnings) {
    std::vector<ListedPyramid> pyramids;
    const auto read = MultiscalesOf(hierarchy, group);
    const std::string_view name = holding.empty() ? holding : NameInGroup(group, holding);
    const auto holds = [&](const MultiscaleLevel& level) {
        return level.path == name || level.path == ParentPath(name);
    };
    MultiscaleLister lister(group);
    for (const Multiscale& multiscale : read->all)
        if (holding.empty() ||
            std::any_of(multiscale.levels.begin(), multiscale.levels.end(), holds))
            pyramids.push_back(lister.List(multiscale));
    // Warnings about pyramids that do not hold the array are given when the group is opened.
    if (holding.empty() || !pyramids.empty() || read->all.empty())
        warnings.insert(warnings.end(), read->warnings.begin(), read->warnings.end());
    return pyramids;
}

// Returns the pyramids that a group describes by one convention. With `holding`, the path of an
// array, only pyramids that hold this array are wanted, and no more is read than these need.
using PyramidsDescribedBy = std::vector<ListedPyramid> (*)(const Hierarchy& hierarchy,
                                                           const std::string& group,
                                                           const std::string& holding,
                                                           Warnings& warnings);
constexpr PyramidsDescribedBy kPyramidConventions[] = {ListMultiscales, ListXcubeLevels,
                                                       ListTileMatrices};

// True if the pyramid lists the array or group at `path`.
bool IsListed(const ListedPyramid& pyramid, const std::string& path) {
    return std::any_of(pyramid.levels.begin(), pyramid.levels.end(),
                       [&](const ListedLevel& level) { return level.path == path; });
}

bool HasLevel(const Pyramid& pyramid, const std::string& path) {
    return std::any_of(pyramid.levels.begin(), pyramid.levels.end(),
                       [&](const PyramidLevel& level) { return level.path == path; });
}

// The pyramid that lists an array.
using Listing = Fact<std::optional<ListedPyramid>>;

// Builds the pyramids of one group from lists of levels.
class Builder {
  public:
    Builder(const Hierarchy& hierarchy, Warnings& warnings, PyramidFaults* faults = nullptr,
            IncompleteLevels incomplete = IncompleteLevels::kLeftOut)
        : hierarchy_(hierarchy),
          warnings_(warnings),
          faults_(faults),
          checker_(hierarchy, warnings, incomplete) {}

    // Returns the pyramids of a list of levels, by name. If the first level is an array, the levels
    // are arrays of one pyramid. Otherwise the levels are groups, and each variable has a pyramid.
    // `only` is the name of the only variable that is wanted; empty for all rasters.
    std::vector<Pyramid> Build(const ListedPyramid& listed, std::string_view only = {}) {
        std::map<std::string, std::vector<ListedLevel>> variables;
        NodeKind kind_of_all = NodeKind::kNone;
        std::string name(only);
        for (const ListedLevel& level : Distinct(listed)) {
            const NodeKind kind = KindOf(level);
            if (kind == NodeKind::kNone) continue;
            if (kind_of_all == NodeKind::kNone) kind_of_all = kind;
            if (kind_of_all == NodeKind::kArray && variables.empty()) name = LastName(level.path);
            if (kind == NodeKind::kArray && kind == kind_of_all)
                variables[name].push_back(level);
            else if (kind == NodeKind::kArray)
                LeaveOut(level, "is an array, but other levels are groups");
            else if (name.empty())
                AddVariables(level, variables);
            else if (auto path = ArrayIn(level.path, name))
                variables[name].push_back({std::move(*path), level.origin, level.statement});
            else if (kind != kind_of_all)
                LeaveOut(level, "is a group, but other levels are arrays");
        }
        const bool is_of_rasters = only.empty() || kind_of_all == NodeKind::kArray;
        std::vector<Pyramid> pyramids;
        for (const auto& [variable, levels] : variables)
            if (auto pyramid = checker_.Check(
                    listed, levels,
                    is_of_rasters ? LevelChecker::Ranks::kRasters : LevelChecker::Ranks::kAny))
                pyramids.push_back(std::move(*pyramid));
        return pyramids;
    }

    // Returns the pyramid of `listed` that has the array as a level.
    std::optional<Pyramid> BuildOf(const ListedPyramid& listed, const std::string& array_path) {
        for (Pyramid& pyramid : Build(listed, LastName(array_path)))
            if (HasLevel(pyramid, array_path)) return std::move(pyramid);
        return std::nullopt;
    }

    // Prefetches the metadata documents of the levels that BuildOf() may find for each array of
    // `listings`.
    void PrefetchFor(const std::map<std::string, std::shared_ptr<const Listing>>& listings) const {
        std::vector<ListedLevel> candidates;
        for (const auto& [array_path, listing] : listings) {
            if (!listing->value) continue;
            const bool is_listed = IsListed(*listing->value, array_path);
            for (ListedLevel level : listing->value->levels) {
                if (!is_listed) level.path = JoinKey(level.path, LastName(array_path));
                candidates.push_back(std::move(level));
            }
        }
        checker_.Prefetch(candidates);
    }

  private:
    void LeaveOut(const ListedLevel& level, const std::string& why) {
        warnings_.push_back(LevelWarning(level, why));
    }

    // Returns the path of the array `name` in a group; nullopt if the array does not exist.
    std::optional<std::string> ArrayIn(const std::string& group, std::string_view name) {
        std::string path = JoinKey(group, name);
        const auto exists = hierarchy_.Has(path, Document::kArray);
        return exists.ok() && *exists ? std::optional(std::move(path)) : std::nullopt;
    }

    // Returns the listed levels without duplicates; each duplicate gives a warning.
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

    // Returns the kind of node at a level. Returns kNone with a warning if the node does not exist
    // or cannot be read.
    NodeKind KindOf(const ListedLevel& level) {
        const auto kind = hierarchy_.KindOf(level.path);
        if (kind.ok() && *kind != NodeKind::kNone) return *kind;
        if (kind.ok() && faults_ != nullptr)
            faults_->AddMissing(LevelWarning(level, "does not exist"));
        else
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
            // An unreadable array is kept here, because the check of the pyramid gives the warning
            // about that array.
            if (array.status.ok() && (!array.is_raster || array.is_auxiliary)) continue;
            variables[std::string(LastName(array.path))].push_back(
                {array.path, level.origin, level.statement});
            any = true;
        }
        if (!any) LeaveOut(level, "contains no raster");
    }

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    PyramidFaults* const faults_;  // collects warnings of several groups; may be nullptr
    LevelChecker checker_;
};

// Returns the pyramid that lists an array or its group, by the first convention by which an
// ancestor group describes such a pyramid. The nearest ancestor is used.
Listing SearchListing(const Hierarchy& hierarchy, const std::string& array_path) {
    const std::string own(ParentPath(array_path));
    Warnings unreadable;  // warnings of groups that list no usable levels
    for (const PyramidsDescribedBy list : kPyramidConventions)
        for (std::string_view at = array_path; !at.empty();) {
            at = ParentPath(at);
            Warnings found;
            auto listed = list(hierarchy, std::string(at), array_path, found);
            // Pyramids of overviews are tried first, because an array may be a level of another
            // pyramid and also have overviews.
            std::stable_partition(listed.begin(), listed.end(), [](const ListedPyramid& pyramid) {
                return pyramid.is_overviews;
            });
            for (ListedPyramid& pyramid : listed)
                if (IsListed(pyramid, array_path) || IsListed(pyramid, own))
                    return {std::move(pyramid), std::move(found)};
            for (std::string& warning : found)
                if (std::find(unreadable.begin(), unreadable.end(), warning) == unreadable.end())
                    unreadable.push_back(std::move(warning));
        }
    return {std::nullopt, std::move(unreadable)};
}

// Returns SearchListing(), which is called once until the store changes.
std::shared_ptr<const Listing> FindListing(const Hierarchy& hierarchy,
                                           const std::string& array_path) {
    return *hierarchy.Derived<Listing>(
        array_path, [&]() -> Result<Listing> { return SearchListing(hierarchy, array_path); });
}

}  // namespace

void PyramidFaults::Add(const std::string& group, const Warnings& warnings) {
    const std::string where = group.empty() ? "" : "/" + group + ": ";
    for (const std::string& warning : warnings) Count(warning, where + warning);
}

void PyramidFaults::Count(const std::string& what, const std::string& warning) {
    const auto [at, is_new] = indices_.emplace(what, alike_.size());
    if (is_new) alike_.push_back({warning, 0});
    ++alike_[at->second].count;
}

void PyramidFaults::Report(Warnings& warnings) {
    for (const Alike& alike : alike_)
        warnings.push_back(alike.count == 1 ? alike.first
                                            : alike.first + "; and " +
                                                  std::to_string(alike.count - 1) + " more");
    *this = PyramidFaults();
}

namespace {

// Returns FindPyramidOf() of an array, or its pyramid of one level. `of_levels` are the warnings of
// `builder`.
Fact<std::optional<Pyramid>> BuildListed(Builder& builder, Warnings& of_levels,
                                         const Listing& listing, const std::string& array_path) {
    if (!listing.value) return {std::nullopt, listing.warnings};
    of_levels = listing.warnings;
    auto pyramid = builder.BuildOf(*listing.value, array_path);
    // If the array is not the largest level, opening the largest level reports the warnings.
    if (!pyramid || pyramid->levels[0].path != array_path) of_levels.clear();
    return {std::move(pyramid), std::move(of_levels)};
}

// True if all levels but the first are in groups that contain only overviews.
bool LiesInOverviewGroups(const Hierarchy& hierarchy, const ListedPyramid& listed) {
    const auto is_in_one = [&](const ListedLevel& level) {
        for (std::string_view at = level.path; at.size() > listed.group.size(); at = ParentPath(at))
            if (IsForOverviews(hierarchy, std::string(at))) return true;
        return false;
    };
    return listed.is_overviews &&
           std::all_of(listed.levels.begin() + 1, listed.levels.end(), is_in_one);
}

}  // namespace

std::vector<Pyramid> FindPyramids(const Hierarchy& hierarchy, const std::string& group,
                                  PyramidFaults& faults, OverviewGroups overviews) {
    Warnings warnings;
    std::vector<ListedPyramid> listed;
    for (const PyramidsDescribedBy list : kPyramidConventions)
        if (listed.empty()) listed = list(hierarchy, group, {}, warnings);
    Builder builder(hierarchy, warnings, &faults);
    std::vector<Pyramid> pyramids;
    for (const ListedPyramid& pyramid : listed)
        if (overviews == OverviewGroups::kIncluded || !LiesInOverviewGroups(hierarchy, pyramid))
            for (Pyramid& built : builder.Build(pyramid)) pyramids.push_back(std::move(built));
    faults.Add(group, warnings);
    return pyramids;
}

Fact<std::optional<Pyramid>> FindPyramidOf(const Hierarchy& hierarchy,
                                           const std::string& array_path) {
    Warnings of_levels;
    Builder builder(hierarchy, of_levels);
    auto found = BuildListed(builder, of_levels, *FindListing(hierarchy, array_path), array_path);
    if (found.value && found.value->levels.size() == 1) found.value.reset();
    return found;
}

bool HasOverviewsApart(const Hierarchy& hierarchy, const std::string& array_path) {
    const auto listing = FindListing(hierarchy, array_path);
    return listing->value && LiesInOverviewGroups(hierarchy, *listing->value);
}

Fact<std::vector<Pyramid>> FindPyramidsFrom(const Hierarchy& hierarchy,
                                            const std::vector<std::string>& array_paths,
                                            IncompleteLevels incomplete) {
    std::map<std::string, std::shared_ptr<const Listing>> listings;
    for (const std::string& path : array_paths) listings[path] = FindListing(hierarchy, path);
    Warnings of_levels;
    Builder builder(hierarchy, of_levels, nullptr, incomplete);
    builder.PrefetchFor(listings);
    Fact<std::vector<Pyramid>> pyramids;
    std::set<std::string> seen;
    for (const std::string& path : array_paths) {
        auto [pyramid, found] = BuildListed(builder, of_levels, *listings[path], path);
        if (!pyramid) pyramid.emplace().levels.push_back({path, 0, 0, {}});
        while (pyramid->levels[0].path != path) pyramid->levels.erase(pyramid->levels.begin());
        pyramids.value.push_back(std::move(*pyramid));
        for (std::string& warning : found)
            if (seen.insert(warning).second) pyramids.warnings.push_back(std::move(warning));
    }
    return pyramids;
}

std::vector<std::vector<std::string>> CommonLevels(const std::vector<Pyramid>& pyramids) {
    std::vector<std::vector<std::string>> common;
    for (std::size_t i = 1; !pyramids.empty() && i < pyramids[0].levels.size(); ++i) {
        const PyramidLevel& level = pyramids[0].levels[i];
        std::vector<std::string> paths;
        for (const Pyramid& pyramid : pyramids)
            for (const PyramidLevel& other : pyramid.levels)
                if (other.width == level.width && other.height == level.height) {
                    paths.push_back(other.path);
                    break;
                }
        if (paths.size() == pyramids.size()) common.push_back(std::move(paths));
    }
    return common;
}

}  // namespace zarr
