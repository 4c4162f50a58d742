// SPDX-License-Identifier: MIT
#include "core/conventions/crs/grid_mapping.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/cf_grid_mapping.h"
#include "core/conventions/crs/group_placement.h"
#include "core/conventions/facts/dimensions.h"
#include "core/conventions/facts/prefetch.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// A variable that the attribute `grid_mapping` names, with the coordinates that the variable
// applies to.
struct NamedGridMapping {
    std::string name;
    std::vector<std::string> coordinates;  // empty if the attribute names no coordinates
};

// Parses the attribute `grid_mapping` (CF conventions, section 5.6): "crs" in the simple form,
// "crs: x y crs2: lat lon" in the extended form.
std::vector<NamedGridMapping> ReadGridMappings(const json::Value& attributes) {
    std::vector<NamedGridMapping> mappings;
    for (const std::string& word : WordsAttribute(attributes, "grid_mapping")) {
        if (word == ":") continue;
        if (word.back() == ':')
            mappings.push_back({word.substr(0, word.size() - 1), {}});
        else if (mappings.empty())
            return {NamedGridMapping{word, {}}};
        else
            mappings.back().coordinates.push_back(word);
    }
    return mappings;
}

// Returns the variable that the attribute `grid_mapping` names for the array's X dimension, else
// the first variable. Returns an empty name if the attribute names no variable.
std::string OwnGridMapping(const ArrayFacts& facts, const json::Value& attributes) {
    const std::vector<NamedGridMapping> mappings = ReadGridMappings(attributes);
    for (const NamedGridMapping& mapping : mappings)
        for (const std::string& coordinate : mapping.coordinates)
            if (facts.axes.x && coordinate == facts.dimensions[*facts.axes.x].name)
                return mapping.name;
    return mappings.empty() ? std::string() : mappings.front().name;
}

// Returns the attributes that contain `grid_mapping`: the array's, else its group's. Returns
// nullptr if neither contains `grid_mapping`.
const json::Value* StatingGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (facts.attributes.Find("grid_mapping") != nullptr) return &facts.attributes;
    const bool is_of_group = facts.group_attributes.Find("grid_mapping") != nullptr;
    return is_of_group && SharesGroupCrs(hierarchy, facts) ? &facts.group_attributes : nullptr;
}

// A dimension of an array that names a grid mapping: whether the dimension has a name; the name;
// the size, if the dimension has no name.
using MappedDimension = std::tuple<bool, std::string, std::uint64_t>;

// Dimensions of the arrays in a group, by the name of the grid mapping that the arrays name. Each
// set contains distinct combinations of dimensions.
struct MappedArrays {
    std::map<std::string, std::set<std::vector<MappedDimension>>> by_mapping;
};

// Collects the dimensions of a group's arrays by their grid mapping. Finds no array if the store
// does not list the group.
MappedArrays FindMappedArrays(const Hierarchy& hierarchy, const std::string& group) {
    MappedArrays mapped;
    const auto members = MembersWithAttributes(hierarchy, group);
    if (!members.ok()) return mapped;
    for (const Node& node : *members) {
        if (node.kind != NodeKind::kArray) continue;
        const json::Value attributes = AttributesOrEmpty(hierarchy, node.path);
        if (attributes.Find("grid_mapping") == nullptr) continue;
        std::vector<MappedDimension> dimensions;
        if (const auto metadata = hierarchy.Metadata(node.path); metadata.ok()) {
            const auto named = NameDimensions(hierarchy, node.path, *metadata, attributes).value;
            for (std::size_t i = 0; i < named.size(); ++i)
                dimensions.emplace_back(named[i].is_named, named[i].name,
                                        named[i].is_named ? 0 : metadata->shape[i]);
        }
        for (const std::string& name : GridMappingNames(attributes))
            mapped.by_mapping[name].insert(dimensions);
    }
    return mapped;
}

// True if the grid mapping `name` belongs only to other arrays of the group: they name it, and none
// of them has the X and Y dimensions of this array. An array without X and Y is no map, and has
// none.
bool BelongsToOtherArrays(const Hierarchy& hierarchy, const ArrayFacts& facts,
                          const std::string& name) {
    const HorizontalAxes& axes = facts.axes;
    if (!axes.x || !axes.y) return true;
    const std::string group(ParentPath(facts.path));
    const auto mapped = hierarchy.Derived<MappedArrays>(
        group, [&]() -> Result<MappedArrays> { return FindMappedArrays(hierarchy, group); });
    if (!mapped.ok()) return false;
    const auto found = (*mapped)->by_mapping.find(name);
    if (found == (*mapped)->by_mapping.end()) return false;
    const auto has = [&](const std::vector<MappedDimension>& dimensions, const Dimension& own) {
        const MappedDimension wanted(own.is_named, own.name, own.is_named ? 0 : own.size);
        return std::find(dimensions.begin(), dimensions.end(), wanted) != dimensions.end();
    };
    return std::none_of(found->second.begin(), found->second.end(), [&](const auto& dimensions) {
        return has(dimensions, facts.dimensions[*axes.x]) &&
               has(dimensions, facts.dimensions[*axes.y]);
    });
}

// Returns the path of the grid mapping variable that the attributes `stating` name. If the variable
// is invalid, gives a warning and returns an empty path. If no such variable exists, gives a
// warning and returns nullopt.
std::optional<std::string> FindNamedGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                                const json::Value& stating, Warnings& warnings) {
    const std::string group(ParentPath(facts.path));
    const std::string name = OwnGridMapping(facts, stating);
    std::string path = name.empty() ? "" : FindVariable(hierarchy, group, name);
    if (!path.empty()) {
        const auto attributes = hierarchy.Attributes(path);
        const bool is_usable = (attributes.ok() && DescribesCrs(*attributes)) ||
                               !WarnIfInvalid(hierarchy, path, warnings);
        return is_usable ? path : std::string();
    }
    const std::string sibling =
        name.empty() || name[0] == '/' ? name.substr(name.empty() ? 0 : 1) : JoinKey(group, name);
    const auto found = hierarchy.Has(sibling, Document::kArray);
    const bool is_refused = !found.ok() && found.status().code() == StatusCode::kPermission;
    warnings.push_back("attribute grid_mapping: " +
                       (is_refused ? found.status().message()
                                   : json::Brief(*stating.Find("grid_mapping")) +
                                         " names no variable of the group or a group above it"));
    return std::nullopt;
}

}  // namespace

bool StatesCrs(const json::Value& attributes) {
    return std::any_of(std::begin(kCrsNames), std::end(kCrsNames),
                       [&](const char* name) { return attributes.Find(name) != nullptr; });
}

bool DescribesCrs(const json::Value& attributes) {
    return attributes.Find("grid_mapping_name") != nullptr ||
           std::any_of(std::begin(kPlainCrsNames), std::end(kPlainCrsNames),
                       [&](const char* name) { return attributes.Find(name) != nullptr; });
}

std::vector<std::string> GridMappingNames(const json::Value& attributes) {
    std::vector<std::string> names;
    for (NamedGridMapping& mapping : ReadGridMappings(attributes))
        names.push_back(std::move(mapping.name));
    if (names.empty()) names.assign(std::begin(kGridMappingNames), std::end(kGridMappingNames));
    return names;
}

bool NamesGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    return StatingGridMapping(hierarchy, facts) != nullptr;
}

Fact<std::string> FindGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    Warnings warnings;
    const std::string group(ParentPath(facts.path));
    if (facts.path.empty()) return {};  // an array at the root has no variables beside it
    if (const json::Value* stating = StatingGridMapping(hierarchy, facts)) {
        auto named = FindNamedGridMapping(hierarchy, facts, *stating, warnings);
        if (named) return {std::move(*named), std::move(warnings)};
    }
    // Variables with usual names are searched, too. Writers such as rioxarray may write the grid
    // mapping variable without an attribute `grid_mapping` that names the variable.
    std::vector<std::string> keys;
    for (const char* name : kGridMappingNames)
        keys.push_back(hierarchy.KeyOf(JoinKey(group, name), Document::kArray));
    hierarchy.store()->Prefetch(keys, {});
    std::vector<std::string> names(std::begin(kGridMappingNames), std::end(kGridMappingNames));
    const std::vector<std::string> coordinates = WordsAttribute(facts.attributes, "coordinates");
    for (const std::string& name : coordinates)
        if (IsNameOfGridMapping(name)) names.push_back(name);
    const auto is_listed = [&](const std::string& name) {
        return std::find(coordinates.begin(), coordinates.end(), name) != coordinates.end();
    };
    for (const std::string& name : names) {
        std::string path = FindVariable(hierarchy, group, name);
        if (path.empty()) continue;
        const auto metadata = hierarchy.Metadata(path);
        const auto attributes = hierarchy.Attributes(path);
        WarnIfInvalid(hierarchy, path, warnings);
        const bool is_mapping =
            metadata.ok() && metadata->rank() == 0 && attributes.ok() && DescribesCrs(*attributes);
        if (!is_mapping) continue;
        const bool is_of_others = ParentPath(path) == group && !is_listed(name) &&
                                  BelongsToOtherArrays(hierarchy, facts, name);
        if (!is_of_others) return {std::move(path), std::move(warnings)};
    }
    return {{}, std::move(warnings)};
}

std::string FindOwnGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    std::string path = FindGridMapping(hierarchy, facts).value;
    const bool is_in_same_group = ParentPath(path) == ParentPath(facts.path);
    return is_in_same_group || NamesGridMapping(hierarchy, facts) ? path : std::string();
}

}  // namespace zarr
