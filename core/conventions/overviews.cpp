// SPDX-License-Identifier: MIT
#include "core/conventions/overviews.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/overview_layout.h"
#include "core/conventions/registered.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kMultiscales = "multiscales";
// Value of OME's `metadata.method` that marks entries for overviews.
constexpr std::string_view kMethod = "GDALDataset::BuildOverviews";
constexpr std::string_view kGroupMark = "gdal_overviews";

// Scale and translation of a level, by axis. The scale is the number of elements of the base for
// each element of the level. The translation is the distance between the centres of the first
// elements, in elements of the base.
struct Relative {
    json::Array scale;
    json::Array translation;
};

Relative CompareShapes(const OverviewLevel& level, const OverviewLevel& base) {
    Relative relative;
    for (std::size_t i = 0; i < base.shape.size(); ++i) {
        const double scale =
            static_cast<double>(base.shape[i]) / static_cast<double>(level.shape[i]);
        relative.scale.emplace_back(scale);
        relative.translation.emplace_back(0.5 * scale - 0.5);
    }
    return relative;
}

json::Value Dataset(const OverviewLevel& level, const Relative& relative) {
    const json::Object scale{{"type", json::Value("scale")},
                             {"scale", json::Value(relative.scale)}};
    const json::Object translation{{"type", json::Value("translation")},
                                   {"translation", json::Value(relative.translation)}};
    json::Array transformations{json::Value(scale), json::Value(translation)};
    return json::Value(
        json::Object{{"path", json::Value(level.path)},
                     {"coordinateTransformations", json::Value(std::move(transformations))}});
}

json::Value Asset(const OverviewLevel& level, const OverviewLevel& base, const Relative& relative) {
    json::Object asset{{"asset", json::Value(level.path)}};
    if (&level != &base) {
        asset.emplace_back("derived_from", json::Value(base.path));
        asset.emplace_back("resampling_method", json::Value(level.method));
    }
    asset.emplace_back(
        "transform", json::Value(json::Object{{"scale", json::Value(relative.scale)},
                                              {"translation", json::Value(relative.translation)}}));
    return json::Value(std::move(asset));
}

json::Value OmeAxes(const std::vector<OverviewAxis>& axes) {
    json::Array list;
    for (const OverviewAxis& axis : axes)
        list.emplace_back(json::Object{{"name", json::Value(axis.name)},
                                       {"type", json::Value(OmeType(axis.role))}});
    return json::Value(std::move(list));
}

// True if `multiscale` is an entry that DescribeOverviews() made.
bool IsEntry(const json::Value& multiscale) {
    const json::Value* metadata = multiscale.Find("metadata");
    const std::string* method =
        metadata != nullptr ? StringAttribute(*metadata, "method") : nullptr;
    return method != nullptr && *method == kMethod;
}

// Returns the path of the array whose overviews an entry describes; nullptr if the entry states no
// path.
const std::string* BaseOf(const json::Value& entry) {
    const json::Value* datasets = entry.Find("datasets");
    const json::Array* items = datasets != nullptr ? datasets->as_array() : nullptr;
    return items != nullptr && !items->empty() ? StringAttribute(items->front(), "path") : nullptr;
}

// Returns the entries of `multiscales`; nullptr if `multiscales` is not a list.
const json::Array* EntriesOf(const json::Value& group_attributes) {
    const json::Value* value = group_attributes.Find(kMultiscales);
    return value != nullptr ? value->as_array() : nullptr;
}

// Returns the number of levels that an entry lists.
std::size_t CountLevels(const json::Value& entry) {
    for (const char* name : {"datasets", "layout"})
        if (const json::Value* list = entry.Find(name))
            return list->as_array() != nullptr ? list->as_array()->size() : 0;
    return 0;
}

Status CheckLimits(const json::Array& entries) {
    std::size_t levels = 0;
    for (const json::Value& entry : entries) {
        levels += CountLevels(entry);
        if (CountLevels(entry) > kMaxPyramidLevels)
            return Status::Limit("multiscales: an array would have more than " +
                                 std::to_string(kMaxPyramidLevels) + " levels");
    }
    if (entries.size() > kMaxMultiscales || levels > kMaxLevelsInGroup)
        return Status::Limit("multiscales: a group can describe the overviews of at most " +
                             std::to_string(kMaxMultiscales) + " arrays and " +
                             std::to_string(kMaxLevelsInGroup) +
                             " levels; bands of one array need a single description");
    return {};
}

// Sets `multiscales` and declares the convention. A null `layout` removes both.
void SetLayout(json::Object& group_attributes, json::Value layout) {
    if (layout.is_null()) {
        json::EraseMember(group_attributes, kMultiscales);
        UnregisterConvention(group_attributes, Convention::kMultiscales);
        return;
    }
    json::PutMember(group_attributes, kMultiscales, std::move(layout));
    RegisterConvention(group_attributes, Convention::kMultiscales);
}

}  // namespace

std::string_view OmeType(AxisRole role) {
    switch (role) {
        case AxisRole::kX:
        case AxisRole::kY:
        case AxisRole::kZ:
            return "space";
        case AxisRole::kTime:
            return "time";
        case AxisRole::kNone:
            break;
    }
    return "channel";
}

json::Object OverviewsMark(std::string_view base) {
    return {{"description", json::Value("Overviews of the array " + std::string(base))},
            {"method", json::Value(kMethod)}};
}

bool IsOverviewsOf(const json::Value& entry, std::string_view base) {
    const std::string* path = IsEntry(entry) ? BaseOf(entry) : nullptr;
    return path != nullptr && *path == base;
}

json::Value DescribeOverviews(const std::vector<OverviewAxis>& axes,
                              const std::vector<OverviewLevel>& levels) {
    const OverviewLevel& base = levels.front();
    json::Array datasets;
    json::Array layout;
    for (const OverviewLevel& level : levels) {
        const Relative relative = CompareShapes(level, base);
        datasets.push_back(Dataset(level, relative));
        layout.push_back(Asset(level, base, relative));
    }
    return json::Value(json::Object{{"version", json::Value("0.4")},
                                    {"name", json::Value(base.path)},
                                    {"axes", OmeAxes(axes)},
                                    {"datasets", json::Value(std::move(datasets))},
                                    {"type", json::Value(levels.back().method)},
                                    {"metadata", json::Value(OverviewsMark(base.path))},
                                    {"layout", json::Value(std::move(layout))}});
}

bool IsOverviews(const json::Value& multiscale) {
    return IsEntry(multiscale) || IsOverviewLayout(multiscale);
}

const json::Value* FindOverviews(const json::Value& group_attributes, std::string_view base) {
    const json::Array* entries = EntriesOf(group_attributes);
    if (entries == nullptr) return nullptr;
    const auto found =
        std::find_if(entries->begin(), entries->end(),
                     [&](const json::Value& entry) { return IsOverviewsOf(entry, base); });
    return found != entries->end() ? &*found : nullptr;
}

std::vector<OverviewLevel> ListOverviews(const json::Value& entry) {
    std::vector<OverviewLevel> levels;
    const json::Value* layout = entry.Find("layout");
    const json::Array* items = layout != nullptr ? layout->as_array() : nullptr;
    for (std::size_t i = 1; items != nullptr && i < items->size(); ++i) {
        const std::string* path = StringAttribute((*items)[i], "asset");
        const std::string* method = StringAttribute((*items)[i], "resampling_method");
        if (path != nullptr) levels.push_back({*path, {}, method != nullptr ? *method : ""});
    }
    return levels;
}

OverviewStyle OverviewStyleOf(const json::Value& group_attributes, Format format) {
    const json::Value* value = group_attributes.Find(kMultiscales);
    if (value != nullptr && value->as_array() != nullptr) return OverviewStyle::kList;
    const bool is_layout = value != nullptr && IsOverviewLayout(*value);
    return is_layout || format == Format::kV3 ? OverviewStyle::kLayout : OverviewStyle::kList;
}

OverviewListing ListingOfOverviews(const Hierarchy& hierarchy, const std::string& array_path) {
    const std::string group(ParentPath(array_path));
    if (!group.empty()) {
        const std::string parent(ParentPath(group));
        const json::Value attributes = AttributesOrEmpty(hierarchy, parent);
        const json::Value* value = attributes.Find(kMultiscales);
        if (value != nullptr && IsLevelGroupLayout(*value, LastName(group)))
            return {parent, OverviewStyle::kLevelGroups};
    }
    return {group, OverviewStyleOf(AttributesOrEmpty(hierarchy, group), hierarchy.format())};
}

std::vector<OverviewLevel> OverviewsOf(const json::Value& group_attributes, std::string_view base) {
    if (const json::Value* entry = FindOverviews(group_attributes, base))
        return ListOverviews(*entry);
    const json::Value* value = group_attributes.Find(kMultiscales);
    return value != nullptr ? OverviewsInLayout(*value, base) : std::vector<OverviewLevel>();
}

Status DescribeOverviewsIn(json::Object& group_attributes, OverviewStyle style,
                           const std::vector<OverviewAxis>& axes,
                           const std::vector<OverviewLevel>& levels) {
    if (style == OverviewStyle::kList)
        return PutOverviews(group_attributes, levels.front().path,
                            levels.size() > 1 ? DescribeOverviews(axes, levels) : json::Value());
    const std::string base_group(ParentPath(levels.front().path));
    const auto is_own = [&](const json::Value& multiscale) {
        return style == OverviewStyle::kLevelGroups ? IsLevelGroupLayout(multiscale, base_group)
                                                    : IsOverviewLayout(multiscale);
    };
    json::Value* const existing = json::FindMember(group_attributes, kMultiscales);
    const bool is_free = existing == nullptr || existing->is_null();
    if (levels.size() == 1 && style == OverviewStyle::kLayout && (is_free || !is_own(*existing)))
        return {};
    if (!is_free && !is_own(*existing))
        return Status::Unsupported(
            "multiscales: the attribute does not describe levels of an array; overviews cannot be "
            "added to "
            "it: " +
            json::Brief(*existing));
    json::Value layout = is_free ? json::Value() : *existing;
    ZARR_RETURN_IF_ERROR(PutInLayout(layout, levels));
    SetLayout(group_attributes, std::move(layout));
    return {};
}

void RenameInDescription(json::Object& group_attributes, std::string_view base,
                         std::string_view new_name) {
    json::Value* const existing = json::FindMember(group_attributes, kMultiscales);
    if (existing == nullptr) return;
    json::Value layout = *existing;
    RenameInLayout(layout, base, new_name);
    SetLayout(group_attributes, std::move(layout));
}

std::vector<std::string> AllOverviewPaths(const json::Value& group_attributes) {
    std::vector<std::string> paths;
    const json::Array* entries = EntriesOf(group_attributes);
    const json::Value* value = group_attributes.Find(kMultiscales);
    if (entries == nullptr && value != nullptr) return OverviewPathsInLayout(*value);
    if (entries == nullptr) return paths;
    for (const json::Value& entry : *entries)
        if (IsEntry(entry))
            for (const OverviewLevel& level : ListOverviews(entry)) paths.push_back(level.path);
    return paths;
}

Status PutOverviews(json::Object& group_attributes, std::string_view base, json::Value entry) {
    const auto is_multiscales = [](const json::Member& member) {
        return member.first == kMultiscales;
    };
    auto member = std::find_if(group_attributes.begin(), group_attributes.end(), is_multiscales);
    const bool has_any = member != group_attributes.end();
    if (has_any && member->second.as_array() == nullptr)
        return Status::Unsupported(
            "multiscales: the attribute is not a list; overviews cannot be added to it: " +
            json::Brief(member->second));
    json::Array entries = has_any ? *member->second.as_array() : json::Array{};
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const json::Value& other) {
        return IsOverviewsOf(other, base);
    });
    if (entry.is_null() && found == entries.end()) return {};
    if (entry.is_null())
        entries.erase(found);
    else if (found != entries.end())
        *found = std::move(entry);
    else
        entries.push_back(std::move(entry));
    ZARR_RETURN_IF_ERROR(CheckLimits(entries));
    if (!has_any)
        group_attributes.emplace_back(kMultiscales, json::Value(std::move(entries)));
    else if (entries.empty())
        group_attributes.erase(member);
    else
        member->second = json::Value(std::move(entries));
    return {};
}

bool MayBeOverviewsGroup(std::string_view name) {
    return name.substr(0, kOverviewsGroup.size()) == kOverviewsGroup || IsOverviewGroupName(name);
}

// The mark is a number, because xarray cannot write a boolean attribute when it converts the group
// to netCDF.
json::Object OverviewsGroupAttributes() {
    return {{std::string(kGroupMark), json::Value(std::int64_t{1})}};
}

bool IsOverviewsGroup(const json::Value& attributes) {
    const json::Value* mark = attributes.Find(kGroupMark);
    if (mark == nullptr) return false;
    std::int64_t number = 0;
    return mark->as_bool() != nullptr ? *mark->as_bool() : mark->GetInt64(number) && number == 1;
}

}  // namespace zarr
