// SPDX-License-Identifier: MIT
#include "core/conventions/overview_layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kOverviewPrefix = "ovr_";
constexpr std::string_view kLayoutArrays = "gdal_arrays";
constexpr std::string_view kLayoutMethods = "gdal_methods";
constexpr std::string_view kGroupItself = ".";
constexpr std::string_view kPlacePrefix = "spatial:";

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

std::vector<std::string> TextsIn(const json::Value* list) {
    std::vector<std::string> texts;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
        if (const std::string* text = (*items)[i].as_string()) texts.push_back(*text);
    return texts;
}

const json::Array* LayoutOf(const json::Value& multiscale) {
    const json::Value* layout = multiscale.Find("layout");
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

bool IsSingleName(const std::string* asset) {
    return asset != nullptr && asset->find('/') == std::string::npos;
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
    if (!IsSingleName(base)) return std::nullopt;
    Layout layout;
    layout.base = {*base, {}, ScaleFromBase(items->front(), {}), "", PlacementIn(items->front())};
    if (*base != kGroupItself) layout.base.arrays = TextsIn(items->front().Find(kLayoutArrays));
    if (!layout.HasLevelGroups() && items->size() < 2) return std::nullopt;
    for (std::size_t i = 1; i < items->size(); ++i) {
        const json::Value& entry = (*items)[i];
        const std::string* group = StringAttribute(entry, "asset");
        if (!IsSingleName(group) || StringAttribute(entry, "derived_from") == nullptr ||
            (!layout.HasLevelGroups() && !IsOverviewGroupName(*group)))
            return std::nullopt;
        LayoutLevel level{
            *group, {*base}, ScaleFromBase(entry, layout.levels), "", PlacementIn(entry)};
        if (layout.ListsArrays()) level.arrays = TextsIn(entry.Find(kLayoutArrays));
        if (level.arrays.empty()) return std::nullopt;
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
    return json::Value(json::Object{{"layout", json::Value(std::move(entries))}});
}

// Adds an overview of `array` to the levels. `array` is a name, and `base` describes the array.
void AddToLayout(const OverviewLevel& overview, const OverviewLevel& base, const std::string& array,
                 std::vector<LayoutLevel>& levels) {
    const std::string group(ParentPath(overview.path));
    const auto known = std::find_if(levels.begin(), levels.end(),
                                    [&](const LayoutLevel& level) { return level.group == group; });
    if (known != levels.end()) {
        known->arrays.push_back(array);
        known->methods[array] = overview.method;
        return;
    }
    LayoutLevel level{group, {array}, {}, overview.method, overview.place};
    for (std::size_t i = 0; i < base.shape.size(); ++i)
        level.scale.push_back(static_cast<double>(base.shape[i]) /
                              static_cast<double>(overview.shape[i]));
    levels.push_back(std::move(level));
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

// Returns the layout if it describes overviews of the array `base`, else nullopt. `base` is the
// array's name, or its path in the group of the largest level.
std::optional<Layout> ParseLayoutOf(const json::Value& multiscale, std::string_view base) {
    auto layout = ParseLayout(multiscale);
    const std::string_view group = ParentPath(base);
    const bool is_of_base =
        layout && (group.empty() ? !layout->HasLevelGroups()
                                 : layout->HasLevelGroups() && layout->base.group == group);
    return is_of_base ? std::move(layout) : std::nullopt;
}

}  // namespace

std::map<std::string, std::string> MethodsOfArrays(const json::Value& entry) {
    std::map<std::string, std::string> methods;
    const json::Value* const stated = entry.Find(kLayoutMethods);
    const json::Object* const members = stated != nullptr ? stated->as_object() : nullptr;
    if (members == nullptr) return methods;
    for (const auto& [array, method] : *members)
        if (const std::string* const text = method.as_string()) methods.emplace(array, *text);
    return methods;
}

bool IsOverviewLayout(const json::Value& multiscale) {
    const auto layout = ParseLayout(multiscale);
    return layout && !layout->HasLevelGroups();
}

bool IsLevelGroupLayout(const json::Value& multiscale, std::string_view base_group) {
    const auto layout = ParseLayout(multiscale);
    return layout && layout->HasLevelGroups() && layout->base.group == base_group;
}

std::vector<OverviewLevel> OverviewsInLayout(const json::Value& multiscale, std::string_view base) {
    std::vector<OverviewLevel> found;
    const auto layout = ParseLayoutOf(multiscale, base);
    if (!layout) return found;
    const std::string_view array = LastName(base);
    for (const LayoutLevel& level : layout->levels)
        if (HoldsArray(level, array))
            found.push_back(
                {JoinKey(level.group, array), {}, level.MethodOf(std::string(array)), level.place});
    return found;
}

std::vector<std::string> OverviewPathsInLayout(const json::Value& multiscale) {
    std::vector<std::string> paths;
    const auto layout = ParseLayout(multiscale);
    if (!layout) return paths;
    for (const LayoutLevel& level : layout->levels)
        for (const std::string& array : level.arrays) paths.push_back(JoinKey(level.group, array));
    return paths;
}

Status PutInLayout(json::Value& multiscale, const std::vector<OverviewLevel>& levels) {
    const OverviewLevel& base = levels.front();
    const std::string array(LastName(base.path));
    Layout layout;
    if (auto known = ParseLayoutOf(multiscale, base.path)) layout = std::move(*known);
    if (const std::string_view group = ParentPath(base.path); !group.empty()) {
        layout.base.group = std::string(group);
        layout.base.scale.assign(base.shape.size(), 1.0);
        layout.base.place = base.place;
        if (!HoldsArray(layout.base, array)) layout.base.arrays.push_back(array);
    }
    std::vector<LayoutLevel>& described = layout.levels;
    RemoveArray(array, described);
    for (std::size_t i = 1; i < levels.size(); ++i) AddToLayout(levels[i], base, array, described);
    if (described.size() >= kMaxPyramidLevels)
        return Status::Limit("multiscales: the group would have more than " +
                             std::to_string(kMaxPyramidLevels) + " levels");
    std::stable_sort(described.begin(), described.end(),
                     [](const LayoutLevel& a, const LayoutLevel& b) {
                         return ProductOf(a.scale) < ProductOf(b.scale);
                     });
    const bool is_empty = described.empty() && !layout.HasLevelGroups();
    multiscale = is_empty ? json::Value() : DescribeLayout(layout);
    return {};
}

void RenameInLayout(json::Value& multiscale, std::string_view base, std::string_view new_name) {
    auto layout = ParseLayoutOf(multiscale, base);
    if (!layout || !layout->HasLevelGroups()) return;
    const std::string array(LastName(base));
    if (new_name.empty()) {
        std::vector<LayoutLevel> largest{std::move(layout->base)};
        RemoveArray(array, largest);
        RemoveArray(array, layout->levels);
        if (largest.empty()) {
            multiscale = json::Value();
            return;
        }
        layout->base = std::move(largest.front());
    } else {
        const std::string renamed(new_name);
        std::replace(layout->base.arrays.begin(), layout->base.arrays.end(), array, renamed);
        for (LayoutLevel& level : layout->levels) {
            std::replace(level.arrays.begin(), level.arrays.end(), array, renamed);
            level.methods[renamed] = level.MethodOf(array);
        }
    }
    multiscale = DescribeLayout(*layout);
}

std::string OverviewGroupName(int factor, int number) {
    return WithNumber(std::string(kOverviewPrefix) + std::to_string(factor) + "x", number);
}

std::string LevelGroupName(int factor, int number) {
    int level = 0;
    while (level < 30 && (1 << level) < factor) ++level;
    const bool is_power = (1 << level) == factor;
    return WithNumber(is_power ? std::to_string(level) : std::to_string(factor) + "x", number);
}

bool IsOverviewGroupName(std::string_view name) {
    if (name.substr(0, kOverviewPrefix.size()) != kOverviewPrefix) return false;
    name.remove_prefix(kOverviewPrefix.size());
    const auto digits = [&name] {
        const std::size_t count = std::min(name.find_first_not_of("0123456789"), name.size());
        name.remove_prefix(count);
        return count > 0;
    };
    if (!digits() || name.empty() || name.front() != 'x') return false;
    name.remove_prefix(1);
    if (name.empty()) return true;
    if (name.front() != '_') return false;
    name.remove_prefix(1);
    return digits() && name.empty();
}

}  // namespace zarr
