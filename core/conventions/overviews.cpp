// SPDX-License-Identifier: MIT
#include "core/conventions/overviews.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/conventions/attributes.h"
#include "core/conventions/convention_list.h"
#include "core/conventions/multiscales.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kMultiscales = "multiscales";
constexpr std::string_view kLayoutMember = "layout";
constexpr std::string_view kLayoutArrays = "gdal_arrays";
constexpr std::string_view kLayoutMethods = "gdal_methods";
constexpr std::string_view kGroupItself = ".";
constexpr std::string_view kPlacePrefix = "spatial:";
constexpr std::string_view kOverviewPrefix = "ovr_";
constexpr std::string_view kContainer = "overviews";
constexpr std::string_view kGroupMark = "gdal_overviews";
// Value of `metadata.method` of a list's entry that describes overviews, and the member and value
// that distinguish an image of PROFILE=OME from the lists of earlier releases.
constexpr std::string_view kMethod = "GDALDataset::BuildOverviews";
constexpr std::string_view kProfile = "profile";
constexpr std::string_view kProfileOfImage = "OME";

// A group of overviews that a `layout` of `multiscales` lists.
struct LayoutLevel {
    std::string group;
    std::vector<std::string> arrays;  // arrays with an overview in the group
    std::vector<double> scale;  // elements of an array per element of its overview, by dimension
    std::string method;
    json::Object place;  // members of the level's entry whose names begin with `spatial:`
    std::map<std::string, std::string> methods = {};  // of arrays with a method other than `method`

    const std::string& MethodOf(const std::string& array) const {
        const auto own = methods.find(array);
        return own != methods.end() ? own->second : method;
    }
};

// A `layout` that describes only overviews.
struct Layout {
    // The entry of the full-resolution arrays. `group` is the name of an array, "." or the group of
    // the largest level. `arrays` is filled only for the group of the largest level.
    LayoutLevel base;
    std::vector<LayoutLevel> levels;

    bool HasLevelGroups() const { return !base.arrays.empty(); }
    bool IsEmpty() const { return levels.empty() && !HasLevelGroups(); }
    // True if each entry lists the arrays of its group in `gdal_arrays`.
    bool ListsArrays() const { return HasLevelGroups() || base.group == kGroupItself; }
};

bool HoldsArray(const LayoutLevel& level, std::string_view array) {
    return std::find(level.arrays.begin(), level.arrays.end(), array) != level.arrays.end();
}

double ProductOf(const std::vector<double>& numbers) {
    double product = 1;
    for (const double number : numbers) product *= number;
    return product;
}

std::vector<double> PositivesIn(const json::Value* list) {
    std::vector<double> numbers;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
        double number = 0;
        if (!(*items)[i].GetDouble(number) || !(number > 0)) return {};
        numbers.push_back(number);
    }
    return numbers;
}

bool IsSingleName(const std::string* name) {
    return name != nullptr && IsValidKey(*name) && name->find('/') == std::string::npos;
}

std::vector<std::string> SingleNamesIn(const json::Value* list) {
    std::vector<std::string> names;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
        if (IsSingleName((*items)[i].as_string())) names.push_back(*(*items)[i].as_string());
    return names;
}

const json::Array* LayoutOf(const json::Value& multiscale) {
    const json::Value* layout = multiscale.Find(kLayoutMember);
    return layout != nullptr ? layout->as_array() : nullptr;
}

json::Object PlacementIn(const json::Value& entry) {
    json::Object place;
    for (const json::Member& member : *entry.as_object())
        if (member.first.substr(0, kPlacePrefix.size()) == kPlacePrefix) place.push_back(member);
    return place;
}

std::string WithNumber(std::string name, int number) {
    if (number > 1) name += "_" + std::to_string(number);
    return name;
}

// True if `name` is `prefix`, a number and `suffix`, perhaps followed by "_" and another number.
bool IsNumberedName(std::string_view name, std::string_view prefix, std::string_view suffix) {
    const auto take = [&name](std::string_view text) {
        const bool has_text = name.substr(0, text.size()) == text;
        if (has_text) name.remove_prefix(text.size());
        return has_text;
    };
    const auto take_digits = [&name] {
        const std::size_t count = std::min(name.find_first_not_of("0123456789"), name.size());
        name.remove_prefix(count);
        return count > 0;
    };
    if (!take(prefix) || !take_digits() || !take(suffix)) return false;
    return name.empty() || (take("_") && take_digits() && name.empty());
}

// True for the path of a group of overviews, relative to the group of the arrays.
bool IsOverviewGroupPath(std::string_view path) {
    const std::string_view container = ParentPath(path);
    return container.empty()
               ? IsOverviewGroupName(path)
               : IsOverviewContainerName(container) && IsLevelGroupName(LastName(path));
}

// Returns the group of the overview that the `asset` of an entry names; empty if it is no overview.
// In lists of earlier releases the asset is the array in the group, which has the name `base`.
std::string GroupOfAsset(const std::string& asset, const std::string& base) {
    if (IsOverviewGroupPath(asset)) return asset;
    const std::string_view group = ParentPath(asset);
    return LastName(asset) == base && IsOverviewGroupPath(group) ? std::string(group)
                                                                 : std::string();
}

// Returns the scale of an entry relative to the full-resolution array. In the entry, the scale is
// relative to the level that `derived_from` names.
std::vector<double> ScaleFromBase(const json::Value& entry,
                                  const std::vector<LayoutLevel>& before) {
    const json::Value* transform = entry.Find("transform");
    std::vector<double> scale =
        PositivesIn(transform != nullptr ? transform->Find("scale") : nullptr);
    const std::string* from = StringAttribute(entry, "derived_from");
    for (const LayoutLevel& level : before)
        if (from != nullptr && level.group == *from && level.scale.size() == scale.size())
            for (std::size_t i = 0; i < scale.size(); ++i) scale[i] *= level.scale[i];
    return scale;
}

// Parses a `layout` of overviews; returns nullopt if the layout describes anything else.
std::optional<Layout> ParseLayout(const json::Value& multiscale) {
    const json::Array* items = LayoutOf(multiscale);
    if (items == nullptr || items->empty() || items->size() > kMaxPyramidLevels)
        return std::nullopt;
    const std::string* base = StringAttribute(items->front(), "asset");
    if (base == nullptr || (*base != kGroupItself && !IsSingleName(base))) return std::nullopt;
    Layout layout;
    layout.base = {*base, {}, ScaleFromBase(items->front(), {}), "", PlacementIn(items->front())};
    if (*base != kGroupItself)
        layout.base.arrays = SingleNamesIn(items->front().Find(kLayoutArrays));
    if (!layout.HasLevelGroups() && items->size() < 2) return std::nullopt;
    for (std::size_t i = 1; i < items->size(); ++i) {
        const json::Value& entry = (*items)[i];
        const std::string* asset = StringAttribute(entry, "asset");
        if (asset == nullptr || StringAttribute(entry, "derived_from") == nullptr)
            return std::nullopt;
        const std::string group = layout.HasLevelGroups()
                                      ? IsSingleName(asset) ? *asset : std::string()
                                      : GroupOfAsset(*asset, *base);
        LayoutLevel level{
            group, {*base}, ScaleFromBase(entry, layout.levels), "", PlacementIn(entry)};
        if (layout.ListsArrays()) level.arrays = SingleNamesIn(entry.Find(kLayoutArrays));
        if (group.empty() || level.arrays.empty()) return std::nullopt;
        if (const std::string* method = StringAttribute(entry, "resampling_method"))
            level.method = *method;
        level.methods = MethodsOfArrays(entry);
        layout.levels.push_back(std::move(level));
    }
    return layout;
}

json::Value LayoutNumbers(const std::vector<double>& numbers) {
    json::Array list;
    for (const double number : numbers) list.emplace_back(number);
    return json::Value(std::move(list));
}

// Returns the `layout` entry for `level`, with the scale relative to the level `from`. `from` is
// nullptr for the entry of the full-resolution arrays, which has no scale.
json::Value LayoutEntry(const LayoutLevel& level, const LayoutLevel* from, bool lists_arrays) {
    json::Object entry{{"asset", json::Value(level.group)}};
    std::vector<double> scale = level.scale;
    if (from != nullptr) {
        entry.emplace_back("derived_from", json::Value(from->group));
        if (from->scale.size() == scale.size())
            for (std::size_t i = 0; i < scale.size(); ++i) scale[i] /= from->scale[i];
    }
    json::Object transform{{"scale", LayoutNumbers(scale)}};
    // The translation is 0, because the corner of the first pixel is the same in all levels.
    if (from != nullptr)
        transform.emplace_back("translation",
                               LayoutNumbers(std::vector<double>(scale.size(), 0.0)));
    entry.emplace_back("transform", json::Value(std::move(transform)));
    const std::string method = level.arrays.empty() ? "" : level.MethodOf(level.arrays[0]);
    if (from != nullptr) entry.emplace_back("resampling_method", json::Value(method));
    entry.insert(entry.end(), level.place.begin(), level.place.end());
    if (!lists_arrays) return json::Value(std::move(entry));
    json::Array arrays;
    json::Object methods;
    for (const std::string& array : level.arrays) {
        arrays.emplace_back(array);
        if (level.MethodOf(array) != method)
            methods.emplace_back(array, json::Value(level.MethodOf(array)));
    }
    entry.emplace_back(kLayoutArrays, json::Value(std::move(arrays)));
    if (!methods.empty()) entry.emplace_back(kLayoutMethods, json::Value(std::move(methods)));
    return json::Value(std::move(entry));
}

json::Value DescribeLayout(const Layout& layout) {
    Layout described = layout;
    LayoutLevel& base = described.base;
    if (!layout.HasLevelGroups()) {
        std::set<std::string> arrays;
        for (const LayoutLevel& level : layout.levels)
            arrays.insert(level.arrays.begin(), level.arrays.end());
        base.group = arrays.size() == 1 ? *arrays.begin() : std::string(kGroupItself);
        base.scale.assign(layout.levels.front().scale.size(), 1.0);
    }
    json::Array entries{LayoutEntry(base, nullptr, layout.HasLevelGroups())};
    const LayoutLevel* from = &base;
    for (const LayoutLevel& level : described.levels) {
        entries.push_back(LayoutEntry(level, from, described.ListsArrays()));
        // GDAL would stop at the first level of a chain that lacks an array. If the group itself
        // holds several base arrays, each level therefore refers to the base.
        if (base.group != kGroupItself) from = &level;
    }
    return json::Value(json::Object{{std::string(kLayoutMember), json::Value(std::move(entries))}});
}

// Adds the arrays of `added` to the level of its group, or the level itself if there is none.
void AddLevel(LayoutLevel added, std::vector<LayoutLevel>& levels) {
    const auto known = std::find_if(levels.begin(), levels.end(), [&](const LayoutLevel& level) {
        return level.group == added.group;
    });
    if (known == levels.end()) return levels.push_back(std::move(added));
    for (const std::string& array : added.arrays) {
        known->arrays.push_back(array);
        known->methods[array] = added.MethodOf(array);
    }
}

void RemoveArray(const std::string& array, std::vector<LayoutLevel>& levels) {
    for (LayoutLevel& level : levels) {
        level.arrays.erase(std::remove(level.arrays.begin(), level.arrays.end(), array),
                           level.arrays.end());
        level.methods.erase(array);
    }
    levels.erase(std::remove_if(levels.begin(), levels.end(),
                                [](const LayoutLevel& level) { return level.arrays.empty(); }),
                 levels.end());
}

// True if the layout describes, or can describe, overviews of the array `base`: the array's name,
// or its path in the group of the largest level.
bool IsLayoutOf(const Layout& layout, std::string_view base) {
    const std::string_view group = ParentPath(base);
    if (layout.IsEmpty()) return true;
    return group.empty() ? !layout.HasLevelGroups()
                         : layout.HasLevelGroups() && layout.base.group == group;
}

// Replaces the levels of the array levels[0]; see DescribeOverviewsIn().
Status PutLevels(const std::vector<OverviewLevel>& levels, Layout& layout) {
    const OverviewLevel& base = levels.front();
    const std::string array(LastName(base.path));
    if (const std::string_view group = ParentPath(base.path); !group.empty()) {
        layout.base.group = std::string(group);
        layout.base.scale.assign(base.shape.size(), 1.0);
        layout.base.place = base.place;
        if (!HoldsArray(layout.base, array)) layout.base.arrays.push_back(array);
    }
    std::vector<LayoutLevel>& described = layout.levels;
    RemoveArray(array, described);
    for (std::size_t i = 1; i < levels.size(); ++i) {
        const OverviewLevel& overview = levels[i];
        LayoutLevel level{
            std::string(ParentPath(overview.path)), {array}, {}, overview.method, overview.place};
        for (std::size_t axis = 0; axis < base.shape.size(); ++axis)
            level.scale.push_back(static_cast<double>(base.shape[axis]) /
                                  static_cast<double>(overview.shape[axis]));
        AddLevel(std::move(level), described);
    }
    if (described.size() >= kMaxPyramidLevels)
        return Status::Limit("multiscales: the group would have more than " +
                             std::to_string(kMaxPyramidLevels) + " levels");
    std::stable_sort(described.begin(), described.end(),
                     [](const LayoutLevel& a, const LayoutLevel& b) {
                         return ProductOf(a.scale) < ProductOf(b.scale);
                     });
    return {};
}

void RenameLevels(const std::string& array, const std::string& new_name, Layout& layout) {
    if (new_name.empty()) {
        std::vector<LayoutLevel> largest{std::move(layout.base)};
        RemoveArray(array, largest);
        RemoveArray(array, layout.levels);
        layout.base = largest.empty() ? LayoutLevel() : std::move(largest.front());
        return;
    }
    std::replace(layout.base.arrays.begin(), layout.base.arrays.end(), array, new_name);
    for (LayoutLevel& level : layout.levels) {
        std::replace(level.arrays.begin(), level.arrays.end(), array, new_name);
        level.methods[new_name] = level.MethodOf(array);
    }
}

// The attribute `multiscales` of a group.
struct Description {
    Layout layout;       // the overviews of all arrays in the group
    json::Array others;  // entries of a list for images and others, without the `layout`
};

// True if an entry of a list has the mark of PROFILE=OME, or of lists of earlier releases.
bool IsMarked(const json::Value& entry) {
    const json::Value* metadata = entry.Find("metadata");
    const std::string* method =
        metadata != nullptr ? StringAttribute(*metadata, "method") : nullptr;
    return method != nullptr && *method == kMethod;
}

bool IsImage(const json::Value& entry) {
    const std::string* profile =
        IsMarked(entry) ? StringAttribute(*entry.Find("metadata"), kProfile) : nullptr;
    return profile != nullptr && *profile == kProfileOfImage;
}

Status NotOverviews(const json::Value& multiscales) {
    return Status::Unsupported(
        "multiscales: the attribute does not describe levels of an array; overviews cannot be "
        "added to it: " +
        json::Brief(multiscales));
}

Result<Description> ReadDescription(const json::Value* multiscales) {
    Description description;
    if (multiscales == nullptr || multiscales->is_null()) return description;
    const json::Array* entries = multiscales->as_array();
    auto layout = ParseLayout(*multiscales);
    if (entries == nullptr && !layout) return NotOverviews(*multiscales);
    if (entries == nullptr) description.layout = std::move(*layout);
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
        json::Value entry = (*entries)[i];
        layout = ParseLayout(entry);
        const bool has_overviews = layout && !layout->HasLevelGroups();
        if (has_overviews)
            for (LayoutLevel& level : layout->levels)
                AddLevel(std::move(level), description.layout.levels);
        if (IsOverviews(entry) && !IsImage(entry)) continue;
        if (has_overviews) json::EraseMember(*entry.MutableObject(), kLayoutMember);
        description.others.push_back(std::move(entry));
    }
    return description;
}

void WriteDescription(Description description, json::Object& group_attributes) {
    json::Value value;
    if (!description.layout.IsEmpty()) value = DescribeLayout(description.layout);
    json::Array& entries = description.others;
    if (entries.empty() && !value.is_null())
        RegisterConvention(group_attributes, Convention::kMultiscales);
    else
        UnregisterConvention(group_attributes, Convention::kMultiscales);
    if (!entries.empty()) {
        // Programs for OME-NGFF refuse an entry without an image, but not the member of an image.
        const auto image = std::find_if(entries.begin(), entries.end(), [](const auto& entry) {
            return entry.as_object() != nullptr && entry.Find(kLayoutMember) == nullptr;
        });
        if (!value.is_null() && image != entries.end())
            json::PutMember(*image->MutableObject(), kLayoutMember, *value.Find(kLayoutMember));
        else if (!value.is_null())
            entries.push_back(std::move(value));
        value = json::Value(std::move(entries));
    }
    if (value.is_null())
        json::EraseMember(group_attributes, kMultiscales);
    else
        json::PutMember(group_attributes, kMultiscales, std::move(value));
}

// Returns the layout of the group if it describes overviews of the array `base`.
std::optional<Layout> LayoutWith(const json::Value& group_attributes, std::string_view base) {
    auto description = ReadDescription(group_attributes.Find(kMultiscales));
    if (!description.ok() || !IsLayoutOf(description->layout, base)) return std::nullopt;
    return std::move(description->layout);
}

}  // namespace

OverviewListing ListingOfOverviews(const Hierarchy& hierarchy, const std::string& array_path) {
    std::string group(ParentPath(array_path));
    if (group.empty()) return {};
    std::string parent(ParentPath(group));
    const json::Value attributes = AttributesOrEmpty(hierarchy, parent);
    const json::Value* multiscales = attributes.Find(kMultiscales);
    const auto layout = multiscales != nullptr ? ParseLayout(*multiscales) : std::nullopt;
    const bool is_level =
        layout && layout->HasLevelGroups() && layout->base.group == LastName(group);
    return {is_level ? std::move(parent) : std::move(group), is_level};
}

std::vector<OverviewLevel> OverviewsOf(const json::Value& group_attributes, std::string_view base) {
    std::vector<OverviewLevel> found;
    const auto layout = LayoutWith(group_attributes, base);
    if (!layout) return found;
    const std::string array(LastName(base));
    for (const LayoutLevel& level : layout->levels)
        if (HoldsArray(level, array))
            found.push_back({JoinKey(level.group, array), {}, level.MethodOf(array), level.place});
    return found;
}

std::vector<std::string> AllOverviewPaths(const json::Value& group_attributes) {
    std::vector<std::string> paths;
    const auto description = ReadDescription(group_attributes.Find(kMultiscales));
    if (!description.ok()) return paths;
    for (const LayoutLevel& level : description->layout.levels)
        for (const std::string& array : level.arrays) paths.push_back(JoinKey(level.group, array));
    return paths;
}

Status DescribeOverviewsIn(json::Object& group_attributes,
                           const std::vector<OverviewLevel>& levels) {
    const std::string& base = levels.front().path;
    const json::Value* existing = json::FindMember(group_attributes, kMultiscales);
    auto description = ReadDescription(existing);
    const bool is_kept = levels.size() == 1 && ParentPath(base).empty();
    if (!description.ok() || !IsLayoutOf(description->layout, base))
        return is_kept ? Status() : NotOverviews(*existing);
    if (is_kept && description->layout.IsEmpty()) return {};
    ZARR_RETURN_IF_ERROR(PutLevels(levels, description->layout));
    WriteDescription(description.Take(), group_attributes);
    return {};
}

void RenameInDescription(json::Object& group_attributes, std::string_view base,
                         std::string_view new_name) {
    auto description = ReadDescription(json::FindMember(group_attributes, kMultiscales));
    if (!description.ok() || description->layout.IsEmpty() ||
        !IsLayoutOf(description->layout, base))
        return;
    RenameLevels(std::string(LastName(base)), std::string(new_name), description->layout);
    WriteDescription(description.Take(), group_attributes);
}

bool IsOverviews(const json::Value& multiscale) {
    if (IsMarked(multiscale)) return true;
    const auto layout = ParseLayout(multiscale);
    return layout && !layout->HasLevelGroups() && multiscale.Find("datasets") == nullptr;
}

std::map<std::string, std::vector<ListedOverview>> ListOverviews(const json::Value& multiscale) {
    std::map<std::string, std::vector<ListedOverview>> arrays;
    const auto layout = ParseLayout(multiscale);
    if (!layout || layout->HasLevelGroups()) return arrays;
    for (std::size_t i = 0; i < layout->levels.size(); ++i)
        for (const std::string& array : layout->levels[i].arrays)
            arrays[array].push_back({i + 1, JoinKey(layout->levels[i].group, array),
                                     layout->levels[i].MethodOf(array)});
    return arrays;
}

std::map<std::string, std::string> MethodsOfArrays(const json::Value& entry) {
    std::map<std::string, std::string> methods;
    const json::Value* const stated = entry.Find(kLayoutMethods);
    const json::Object* const members = stated != nullptr ? stated->as_object() : nullptr;
    if (members == nullptr) return methods;
    for (const auto& [array, method] : *members)
        if (const std::string* const text = method.as_string()) methods.emplace(array, *text);
    return methods;
}

json::Object ImageMark(std::string_view base) {
    return {{"description", json::Value("Overviews of the array " + std::string(base))},
            {"method", json::Value(kMethod)},
            {std::string(kProfile), json::Value(kProfileOfImage)}};
}

bool IsImageOf(const json::Value& entry, std::string_view base) {
    const json::Value* datasets = IsImage(entry) ? entry.Find("datasets") : nullptr;
    const json::Array* items = datasets != nullptr ? datasets->as_array() : nullptr;
    const std::string* path =
        items != nullptr && !items->empty() ? StringAttribute(items->front(), "path") : nullptr;
    return path != nullptr && *path == base;
}

Status PutImage(json::Object& group_attributes, std::string_view base, json::Object image) {
    ZARR_ASSIGN_OR_RETURN(Description description,
                          ReadDescription(json::FindMember(group_attributes, kMultiscales)));
    json::EraseMember(image, kLayoutMember);
    json::Array& entries = description.others;
    const auto known = std::find_if(entries.begin(), entries.end(), [&](const json::Value& entry) {
        return IsImageOf(entry, base);
    });
    if (known != entries.end())
        *known = json::Value(std::move(image));
    else
        entries.emplace_back(std::move(image));
    WriteDescription(std::move(description), group_attributes);
    return {};
}

std::string OverviewGroupName(int factor, int number) {
    return WithNumber(std::string(kOverviewPrefix) + std::to_string(factor) + "x", number);
}

bool IsOverviewGroupName(std::string_view name) {
    return IsNumberedName(name, kOverviewPrefix, "x");
}

std::string LevelGroupName(int factor, int number) {
    int level = 0;
    while (level < 30 && (1 << level) < factor) ++level;
    const bool is_power = (1 << level) == factor;
    return WithNumber(is_power ? std::to_string(level) : std::to_string(factor) + "x", number);
}

bool IsLevelGroupName(std::string_view name) {
    return IsNumberedName(name, "", "") || IsNumberedName(name, "", "x");
}

bool IsOverviewContainerName(std::string_view name) {
    return name == kContainer || IsNumberedName(name, std::string(kContainer) + "_", "");
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

bool IsForOverviews(const Hierarchy& hierarchy, const std::string& path) {
    const std::string_view name = LastName(path);
    return (IsOverviewGroupName(name) || IsOverviewContainerName(name)) &&
           IsOverviewsGroup(AttributesOrEmpty(hierarchy, path));
}

bool IsInOverviewGroup(const Hierarchy& hierarchy, const OverviewListing& listing,
                       const std::string& path) {
    const std::string group(ParentPath(path));
    if (group.empty()) return false;
    const std::string parent(ParentPath(group));
    if (listing.has_level_groups)
        return parent == listing.group && IsOverviewsGroup(AttributesOrEmpty(hierarchy, group));
    // Other programs do not mark the groups of overviews that they build.
    if (parent == listing.group && IsOverviewGroupName(LastName(group))) return true;
    return !parent.empty() && ParentPath(parent) == listing.group &&
           IsLevelGroupName(LastName(group)) && IsForOverviews(hierarchy, parent);
}

bool ListsOverviewsIn(const Hierarchy& hierarchy, const OverviewListing& listing,
                      const std::string& path) {
    const auto attributes = hierarchy.Attributes(listing.group);
    if (!attributes.ok()) return true;
    const auto listed = AllOverviewPaths(*attributes);
    return std::any_of(listed.begin(), listed.end(), [&](const std::string& overview) {
        return IsAtOrBelow(JoinKey(listing.group, overview), path);
    });
}

Status RemoveOverviewGroup(HierarchyWriter& writer, const Hierarchy& hierarchy,
                           const OverviewListing& listing, const std::string& path) {
    const auto remove = [&](const std::string& group) {
        Status status = writer.DeleteNode(group);
        return status.code() == StatusCode::kNotFound ? Status() : status;
    };
    if (ListsOverviewsIn(hierarchy, listing, path)) return {};
    ZARR_RETURN_IF_ERROR(remove(path));
    const std::string container(ParentPath(path));
    if (container == listing.group) return {};
    ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy.Members(container));
    return members.empty() ? remove(container) : Status();
}

}  // namespace zarr
