// SPDX-License-Identifier: MIT
#include "core/conventions/group/overviews.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "core/base/dim_vector.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/convention_list.h"
#include "core/conventions/group/level_statement.h"
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
constexpr std::size_t kMaxDigits = 10;  // of a number in the name of a group
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

bool ListsArray(const Layout& layout, std::string_view array) {
    return HoldsArray(layout.base, array) ||
           std::any_of(layout.levels.begin(), layout.levels.end(),
                       [&](const LayoutLevel& level) { return HoldsArray(level, array); });
}

double ProductOf(const std::vector<double>& numbers) {
    double product = 1;
    for (const double number : numbers) product *= number;
    return product;
}

std::vector<double> PositivesIn(const json::Value* list) {
    std::vector<double> numbers;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    // An array has no more dimensions.
    if (items != nullptr && items->size() > DimVector<double>::kCapacity) return {};
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
        return count > 0 && count <= kMaxDigits;
    };
    if (!take(prefix) || !take_digits() || !take(suffix)) return false;
    return name.empty() || (take("_") && take_digits() && name.empty());
}

// Marks a layout as one for which IsMarked() is true.
void PutMark(json::Object& multiscale) {
    json::PutMember(multiscale, "metadata",
                    json::Value(json::Object{{"method", json::Value(kMethod)}}));
}

// True if an entry has the mark of PROFILE=OME, of lists of earlier releases, or of a layout with
// groups from these lists.
bool IsMarked(const json::Value& entry) {
    const json::Value* metadata = entry.Find("metadata");
    const std::string* method =
        metadata != nullptr ? StringAttribute(*metadata, "method") : nullptr;
    return method != nullptr && *method == kMethod;
}

// True for the path of a group of overviews of an earlier release, such as overviews/2.
bool IsEarlierGroupPath(std::string_view path) {
    return IsOverviewContainerName(ParentPath(path)) && IsLevelGroupName(LastName(path));
}

// Returns the group of the overview that the `asset` of an entry names; empty if it is no overview.
// Layouts of other programs may list arrays, and groups in a group "overviews". Only in a marked
// layout are these overviews: the asset is a group, or the array `base` in the group.
std::string GroupOfAsset(const std::string& asset, const std::string& base, bool is_marked) {
    if (!IsValidKey(asset)) return {};
    if (IsOverviewGroupName(asset)) return asset;
    if (!is_marked) return {};
    if (IsEarlierGroupPath(asset)) return asset;
    const std::string group(ParentPath(asset));
    const bool is_array =
        LastName(asset) == base && (IsOverviewGroupName(group) || IsEarlierGroupPath(group));
    return is_array ? group : std::string();
}

// Returns the number of overviews that a `layout` lists.
std::size_t CountListed(const json::Value& multiscale) {
    const json::Array* items = LayoutOf(multiscale);
    std::size_t count = 0;
    for (std::size_t i = 1; items != nullptr && i < items->size(); ++i) {
        const json::Value* list = (*items)[i].Find(kLayoutArrays);
        const json::Array* arrays = list != nullptr ? list->as_array() : nullptr;
        count += arrays != nullptr ? std::max<std::size_t>(arrays->size(), 1) : 1;
    }
    return count;
}

// Parses a `layout` of overviews.
class LayoutParser {
  public:
    explicit LayoutParser(const json::Value& multiscale)
        : items_(LayoutOf(multiscale)),
          is_marked_(IsMarked(multiscale)),
          is_short_(CountListed(multiscale) <= kMaxOverviewsInGroup) {}

    // Returns nullopt if the layout describes anything else, or more than readers accept.
    std::optional<Layout> Run() {
        if (items_ == nullptr || items_->empty() || !is_short_) return std::nullopt;
        const json::Value& first = items_->front();
        const std::string* base = StringAttribute(first, "asset");
        if (base == nullptr || (*base != kGroupItself && !IsSingleName(base))) return std::nullopt;
        layout_.base = {*base, {}, ScaleFromBase(first), "", PlacementIn(first)};
        if (*base != kGroupItself) layout_.base.arrays = SingleNamesIn(first.Find(kLayoutArrays));
        if (!layout_.HasLevelGroups() && items_->size() < 2) return std::nullopt;
        for (std::size_t i = 1; i < items_->size(); ++i)
            if (!ParseLevel((*items_)[i])) return std::nullopt;
        return std::move(layout_);
    }

  private:
    bool ParseLevel(const json::Value& entry) {
        const std::string& base = layout_.base.group;
        const std::string* asset = StringAttribute(entry, "asset");
        if (asset == nullptr || StringAttribute(entry, "derived_from") == nullptr) return false;
        const std::string group = layout_.HasLevelGroups()
                                      ? IsSingleName(asset) ? *asset : std::string()
                                      : GroupOfAsset(*asset, base, is_marked_);
        LayoutLevel level{group, {base}, ScaleFromBase(entry), "", PlacementIn(entry)};
        if (layout_.ListsArrays()) level.arrays = SingleNamesIn(entry.Find(kLayoutArrays));
        if (group.empty() || level.arrays.empty()) return false;
        if (const std::string* method = StringAttribute(entry, "resampling_method"))
            level.method = *method;
        level.methods = MethodsOfArrays(entry);
        by_group_.emplace(group, layout_.levels.size());
        layout_.levels.push_back(std::move(level));
        return true;
    }

    // Returns the scale of an entry relative to the full-resolution array. In the entry, the scale
    // is relative to the level that `derived_from` names.
    std::vector<double> ScaleFromBase(const json::Value& entry) const {
        const json::Value* transform = entry.Find("transform");
        std::vector<double> scale =
            PositivesIn(transform != nullptr ? transform->Find("scale") : nullptr);
        const std::string* from = StringAttribute(entry, "derived_from");
        const auto known = from != nullptr ? by_group_.find(*from) : by_group_.end();
        if (known == by_group_.end()) return scale;
        const std::vector<double>& source = layout_.levels[known->second].scale;
        for (std::size_t i = 0; source.size() == scale.size() && i < scale.size(); ++i)
            scale[i] *= source[i];
        return scale;
    }

    const json::Array* items_;
    bool is_marked_;
    bool is_short_;
    Layout layout_;
    std::map<std::string, std::size_t> by_group_;  // indices of layout_.levels
};

std::optional<Layout> ParseLayout(const json::Value& multiscale) {
    return LayoutParser(multiscale).Run();
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

// True if GroupOfAsset() accepts the groups of a layout only if the layout is marked.
bool NeedsMark(const Layout& layout) {
    return !layout.HasLevelGroups() &&
           std::any_of(layout.levels.begin(), layout.levels.end(),
                       [](const LayoutLevel& level) { return IsEarlierGroupPath(level.group); });
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
    json::Object described_as{{std::string(kLayoutMember), json::Value(std::move(entries))}};
    if (NeedsMark(layout)) PutMark(described_as);
    return json::Value(std::move(described_as));
}

// Adds each of `added` to `levels`: its arrays to the level of its group, or the level itself if
// there is none.
void AddLevels(std::vector<LayoutLevel> added, std::vector<LayoutLevel>& levels) {
    std::map<std::string, std::size_t> by_group;
    for (std::size_t i = 0; i < levels.size(); ++i) by_group.emplace(levels[i].group, i);
    for (LayoutLevel& level : added) {
        const auto [known, is_new] = by_group.emplace(level.group, levels.size());
        if (is_new) {
            levels.push_back(std::move(level));
            continue;
        }
        LayoutLevel& same = levels[known->second];
        for (const std::string& array : level.arrays) {
            same.arrays.push_back(array);
            same.methods[array] = level.MethodOf(array);
        }
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

// Returns kLimit if readers would ignore a layout in which one array has `count` levels.
Status CheckLength(const Layout& layout, std::size_t count) {
    // For readers, groups of levels are one pyramid.
    if (layout.HasLevelGroups()) count = std::max(count, layout.levels.size() + 1);
    if (count > kMaxPyramidLevels)
        return Status::Limit("multiscales: the array would have more than " +
                             std::to_string(kMaxPyramidLevels) + " levels");
    std::size_t overviews = 0;
    for (const LayoutLevel& level : layout.levels) overviews += level.arrays.size();
    if (overviews > kMaxOverviewsInGroup)
        return Status::Limit("multiscales: the group would have more than " +
                             std::to_string(kMaxOverviewsInGroup) + " overviews");
    return {};
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
    if (levels.size() == 1) return {};
    std::vector<LayoutLevel> added;
    for (std::size_t i = 1; i < levels.size(); ++i) {
        const OverviewLevel& overview = levels[i];
        LayoutLevel level{
            std::string(ParentPath(overview.path)), {array}, {}, overview.method, overview.place};
        for (std::size_t axis = 0; axis < base.shape.size(); ++axis)
            level.scale.push_back(static_cast<double>(base.shape[axis]) /
                                  static_cast<double>(overview.shape[axis]));
        added.push_back(std::move(level));
    }
    AddLevels(std::move(added), described);
    ZARR_RETURN_IF_ERROR(CheckLength(layout, levels.size()));
    std::stable_sort(described.begin(), described.end(),
                     [](const LayoutLevel& a, const LayoutLevel& b) {
                         return ProductOf(a.scale) < ProductOf(b.scale);
                     });
    return {};
}

// Renames an array, or removes it if `new_name` is empty. Removes an array that has the new name,
// because it no longer exists.
void RenameLevels(const std::string& array, const std::string& new_name, Layout& layout) {
    std::vector<LayoutLevel> largest{std::move(layout.base)};
    const std::string& removed = new_name.empty() ? array : new_name;
    RemoveArray(removed, largest);
    RemoveArray(removed, layout.levels);
    layout.base = largest.empty() ? LayoutLevel() : std::move(largest.front());
    if (new_name.empty()) return;
    std::replace(layout.base.arrays.begin(), layout.base.arrays.end(), array, new_name);
    for (LayoutLevel& level : layout.levels) {
        if (!HoldsArray(level, array)) continue;
        std::replace(level.arrays.begin(), level.arrays.end(), array, new_name);
        level.methods[new_name] = level.MethodOf(array);
        level.methods.erase(array);
    }
}

// The attribute `multiscales` of a group.
struct Description {
    Layout layout;       // the overviews of all arrays in the group
    json::Array others;  // entries of a list for images and others, without the `layout`
};

bool IsImage(const json::Value& entry) {
    const std::string* profile =
        IsMarked(entry) ? StringAttribute(*entry.Find("metadata"), kProfile) : nullptr;
    return profile != nullptr && *profile == kProfileOfImage;
}

// Renames an array and its overviews in an image that IsImageOf() the array.
void RenameImage(std::string_view base, std::string_view new_name, json::Object& image) {
    const json::Value* name = json::FindMember(image, "name");
    if (name != nullptr && name->as_string() != nullptr && *name->as_string() == base)
        json::PutMember(image, "name", json::Value(new_name));
    json::PutMember(image, "metadata", json::Value(ImageMark(new_name)));
    json::Array datasets = *json::FindMember(image, "datasets")->as_array();
    for (json::Value& dataset : datasets) {
        const std::string* path = StringAttribute(dataset, "path");
        if (path == nullptr || LastName(*path) != base) continue;
        std::string renamed = JoinKey(ParentPath(*path), new_name);
        json::PutMember(*dataset.MutableObject(), "path", json::Value(std::move(renamed)));
    }
    json::PutMember(image, "datasets", json::Value(std::move(datasets)));
}

// Renames the array `base` in its images, or removes them if `new_name` is empty. An image of an
// array that has the new name is removed, because that array no longer exists. Returns false if
// there is nothing to change.
bool RenameImages(std::string_view base, std::string_view new_name, json::Array& entries) {
    const auto first_removed =
        std::remove_if(entries.begin(), entries.end(), [&](const json::Value& entry) {
            return IsImageOf(entry, new_name.empty() ? base : new_name);
        });
    bool is_changed = first_removed != entries.end();
    entries.erase(first_removed, entries.end());
    for (json::Value& entry : entries) {
        if (!IsImageOf(entry, base)) continue;
        RenameImage(base, new_name, *entry.MutableObject());
        is_changed = true;
    }
    return is_changed;
}

Status NotOverviews(const json::Value& multiscales) {
    return Status::Unsupported(
        "multiscales: the attribute does not describe levels of an array; overviews cannot be "
        "added to it: " +
        json::Brief(multiscales));
}

// Returns the assets of overviews in a `layout`, which need not be a layout of overviews.
std::vector<std::string> AssetsIn(const json::Value& multiscale) {
    std::vector<std::string> assets;
    const json::Array* items = LayoutOf(multiscale);
    for (std::size_t i = 1; items != nullptr && i < items->size(); ++i)
        if (const std::string* asset = StringAttribute((*items)[i], "asset"))
            assets.push_back(*asset);
    return assets;
}

// Returns kLimit for a description that is longer than readers accept.
Result<Description> ReadDescription(const json::Value* multiscales) {
    Description description;
    if (multiscales == nullptr || multiscales->is_null()) return description;
    const json::Array* entries = multiscales->as_array();
    std::size_t count = entries == nullptr ? CountListed(*multiscales) : 0;
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i)
        count += CountListed((*entries)[i]);
    if (count > kMaxOverviewsInGroup)
        return Status::Limit("multiscales: the group lists more than " +
                             std::to_string(kMaxOverviewsInGroup) + " overviews");
    if (entries == nullptr) {
        auto layout = ParseLayout(*multiscales);
        if (!layout) return NotOverviews(*multiscales);
        description.layout = std::move(*layout);
        return description;
    }
    std::vector<LayoutLevel> levels;
    for (const json::Value& entry : *entries) {
        auto layout = ParseLayout(entry);
        // The layout of an image may be ours; any other entry of a list needs the mark.
        const bool has_overviews = layout && !layout->HasLevelGroups() &&
                                   (IsMarked(entry) || entry.Find("datasets") != nullptr);
        if (has_overviews)
            std::move(layout->levels.begin(), layout->levels.end(), std::back_inserter(levels));
        const bool is_read = has_overviews || AssetsIn(entry).empty();
        if (IsOverviews(entry) && !IsImage(entry) && is_read) continue;
        description.others.push_back(entry);
        if (has_overviews)
            json::EraseMember(*description.others.back().MutableObject(), kLayoutMember);
    }
    AddLevels(std::move(levels), description.layout.levels);
    return description;
}

void WriteDescription(Description description, json::Object& group_attributes) {
    json::Value value;
    if (!description.layout.IsEmpty()) value = DescribeLayout(description.layout);
    const bool is_marked = NeedsMark(description.layout);
    json::Array& entries = description.others;
    if (entries.empty() && !value.is_null())
        RegisterConvention(group_attributes, Convention::kMultiscales);
    else
        UnregisterConvention(group_attributes, Convention::kMultiscales);
    if (!entries.empty()) {
        // Readers ignore what follows the first kMaxMultiscales entries.
        const auto last = static_cast<std::ptrdiff_t>(std::min(entries.size(), kMaxMultiscales));
        const auto end = entries.begin() + last;
        // Programs for OME-NGFF refuse an entry without an image, but not the member of an image.
        const auto image = std::find_if(entries.begin(), end, [&](const json::Value& entry) {
            return entry.as_object() != nullptr && entry.Find(kLayoutMember) == nullptr &&
                   (IsImage(entry) || (!is_marked && entry.Find("datasets") != nullptr));
        });
        if (!value.is_null() && image != end)
            json::PutMember(*image->MutableObject(), kLayoutMember, *value.Find(kLayoutMember));
        else if (!value.is_null()) {
            PutMark(*value.MutableObject());
            entries.insert(entries.size() < kMaxMultiscales ? end : end - 1, std::move(value));
        }
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

Result<std::vector<std::string>> AllOverviewPaths(const json::Value& group_attributes) {
    const json::Value* multiscales = group_attributes.Find(kMultiscales);
    const auto description = ReadDescription(multiscales);
    if (description.status().code() == StatusCode::kUnsupported) return AssetsIn(*multiscales);
    ZARR_RETURN_IF_ERROR(description.status());
    std::vector<std::string> paths;
    for (const LayoutLevel& level : description->layout.levels)
        for (const std::string& array : level.arrays) paths.push_back(JoinKey(level.group, array));
    for (const json::Value& entry : description->others)
        for (std::string& asset : AssetsIn(entry)) paths.push_back(std::move(asset));
    return paths;
}

Status DescribeOverviewsIn(json::Object& group_attributes,
                           const std::vector<OverviewLevel>& levels) {
    const std::string& base = levels.front().path;
    const json::Value* existing = json::FindMember(group_attributes, kMultiscales);
    auto description = ReadDescription(existing);
    const bool is_kept = levels.size() == 1 && ParentPath(base).empty();
    if (is_kept && !description.ok()) return {};
    ZARR_RETURN_IF_ERROR(description.status());
    if (!IsLayoutOf(description->layout, base)) return is_kept ? Status() : NotOverviews(*existing);
    if (is_kept && description->layout.IsEmpty()) return {};
    ZARR_RETURN_IF_ERROR(PutLevels(levels, description->layout));
    WriteDescription(description.Take(), group_attributes);
    return {};
}

void RenameInDescription(json::Object& group_attributes, std::string_view base,
                         std::string_view new_name) {
    auto description = ReadDescription(json::FindMember(group_attributes, kMultiscales));
    if (!description.ok()) return;
    const bool is_in_layout =
        IsLayoutOf(description->layout, base) && ListsArray(description->layout, LastName(base));
    const bool has_image = RenameImages(base, new_name, description->others);
    if (is_in_layout)
        RenameLevels(std::string(LastName(base)), std::string(new_name), description->layout);
    if (is_in_layout || has_image) WriteDescription(description.Take(), group_attributes);
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
            if (std::string path = JoinKey(layout->levels[i].group, array); IsValidKey(path))
                arrays[array].push_back({i + 1, std::move(path)});
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

bool HoldsOnlyOverviews(const Hierarchy& hierarchy, const OverviewListing& listing,
                        const std::string& path) {
    const std::string container(ParentPath(path));
    return IsOverviewsGroup(AttributesOrEmpty(hierarchy, path)) ||
           (container != listing.group && IsForOverviews(hierarchy, container));
}

bool ListsOverviewsIn(const Hierarchy& hierarchy, const OverviewListing& listing,
                      const std::string& path) {
    const auto attributes = hierarchy.Attributes(listing.group);
    if (!attributes.ok()) return true;
    const auto listed = AllOverviewPaths(*attributes);
    if (!listed.ok()) return true;
    return std::any_of(listed->begin(), listed->end(), [&](const std::string& overview) {
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
    const std::string container(ParentPath(path));
    const bool is_in_container = container != listing.group;
    if (!HoldsOnlyOverviews(hierarchy, listing, path)) {
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy.KindOf(path));
        if (kind != NodeKind::kGroup) return {};
        ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy.Members(path));
        if (!members.empty()) return {};
    }
    ZARR_RETURN_IF_ERROR(remove(path));
    if (!is_in_container) return {};
    ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy.Members(container));
    return members.empty() ? remove(container) : Status();
}

}  // namespace zarr
