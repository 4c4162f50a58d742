// SPDX-License-Identifier: MIT
#include "core/conventions/overview_layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kOverviewPrefix = "ovr_";
constexpr std::string_view kLayoutArrays = "gdal_arrays";
constexpr std::string_view kGroupItself = ".";

// A group of overviews that a `layout` of `multiscales` lists.
struct LayoutLevel {
    std::string group;
    std::vector<std::string> arrays;  // arrays with an overview in the group
    std::vector<double> scale;        // elements of an array per element of its overview
    std::string method;
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

// Returns the scale of an entry relative to the array. The entry states its scale relative to the
// level that it is derived from.
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
std::optional<std::vector<LayoutLevel>> ParseLayout(const json::Value& multiscale) {
    const json::Array* items = LayoutOf(multiscale);
    if (items == nullptr || items->size() < 2 || items->size() > kMaxPyramidLevels)
        return std::nullopt;
    const std::string* base = StringAttribute(items->front(), "asset");
    if (base == nullptr || base->find('/') != std::string::npos) return std::nullopt;
    std::vector<LayoutLevel> levels;
    for (std::size_t i = 1; i < items->size(); ++i) {
        const json::Value& entry = (*items)[i];
        const std::string* group = StringAttribute(entry, "asset");
        if (group == nullptr || !IsOverviewGroupName(*group) ||
            StringAttribute(entry, "derived_from") == nullptr)
            return std::nullopt;
        LayoutLevel level{*group, {*base}, ScaleFromBase(entry, levels), ""};
        if (*base == kGroupItself) level.arrays = TextsIn(entry.Find(kLayoutArrays));
        if (level.arrays.empty()) return std::nullopt;
        if (const std::string* method = StringAttribute(entry, "resampling_method"))
            level.method = *method;
        levels.push_back(std::move(level));
    }
    return levels;
}

json::Value LayoutNumbers(const std::vector<double>& numbers) {
    json::Array list;
    for (const double number : numbers) list.emplace_back(number);
    return json::Value(std::move(list));
}

// Returns the `layout` entry for `level`, with its scale relative to `from`. If `from` is nullptr,
// the scale is relative to the array or the group itself.
json::Value LayoutEntry(const LayoutLevel& level, const LayoutLevel* from,
                        const std::string& base) {
    std::vector<double> scale = level.scale;
    if (from != nullptr && from->scale.size() == scale.size())
        for (std::size_t i = 0; i < scale.size(); ++i) scale[i] /= from->scale[i];
    // The translation is 0, because the corner of the first pixel is the same in all levels.
    json::Object transform{{"scale", LayoutNumbers(scale)},
                           {"translation", LayoutNumbers(std::vector<double>(scale.size(), 0.0))}};
    json::Object entry{{"asset", json::Value(level.group)},
                       {"derived_from", json::Value(from != nullptr ? from->group : base)},
                       {"transform", json::Value(std::move(transform))},
                       {"resampling_method", json::Value(level.method)}};
    if (base == kGroupItself) {
        json::Array arrays;
        for (const std::string& array : level.arrays) arrays.emplace_back(array);
        entry.emplace_back(kLayoutArrays, json::Value(std::move(arrays)));
    }
    return json::Value(std::move(entry));
}

json::Value DescribeLayout(const std::vector<LayoutLevel>& levels) {
    std::set<std::string> arrays;
    for (const LayoutLevel& level : levels) arrays.insert(level.arrays.begin(), level.arrays.end());
    const std::string base = arrays.size() == 1 ? *arrays.begin() : std::string(kGroupItself);
    const std::vector<double> ones(levels.front().scale.size(), 1.0);
    json::Object transform{{"scale", LayoutNumbers(ones)}};
    json::Array layout{json::Value(json::Object{{"asset", json::Value(base)},
                                                {"transform", json::Value(std::move(transform))}})};
    for (std::size_t i = 0; i < levels.size(); ++i) {
        // If arrays have different levels, each level refers to the base. In a chain of levels,
        // GDAL would stop at the first level without an overview of the array.
        const LayoutLevel* const from = base != kGroupItself && i > 0 ? &levels[i - 1] : nullptr;
        layout.push_back(LayoutEntry(levels[i], from, base));
    }
    return json::Value(json::Object{{"layout", json::Value(std::move(layout))}});
}

void AddToLayout(const OverviewLevel& overview, const OverviewLevel& base,
                 std::vector<LayoutLevel>& levels) {
    const std::string group(ParentPath(overview.path));
    const auto known = std::find_if(levels.begin(), levels.end(),
                                    [&](const LayoutLevel& level) { return level.group == group; });
    if (known != levels.end()) {
        known->arrays.push_back(base.path);
        return;
    }
    LayoutLevel level{group, {base.path}, {}, overview.method};
    for (std::size_t i = 0; i < base.shape.size(); ++i)
        level.scale.push_back(static_cast<double>(base.shape[i]) /
                              static_cast<double>(overview.shape[i]));
    levels.push_back(std::move(level));
}

}  // namespace

bool IsOverviewLayout(const json::Value& multiscale) { return ParseLayout(multiscale).has_value(); }

std::vector<OverviewLevel> OverviewsInLayout(const json::Value& multiscale, std::string_view base) {
    std::vector<OverviewLevel> found;
    const auto levels = ParseLayout(multiscale);
    if (!levels) return found;
    for (const LayoutLevel& level : *levels)
        if (HoldsArray(level, base))
            found.push_back({JoinKey(level.group, base), {}, level.method});
    return found;
}

std::vector<std::string> OverviewPathsInLayout(const json::Value& multiscale) {
    std::vector<std::string> paths;
    const auto levels = ParseLayout(multiscale);
    if (!levels) return paths;
    for (const LayoutLevel& level : *levels)
        for (const std::string& array : level.arrays) paths.push_back(JoinKey(level.group, array));
    return paths;
}

Status PutInLayout(json::Value& multiscale, const std::vector<OverviewLevel>& levels) {
    std::vector<LayoutLevel> described;
    if (auto known = ParseLayout(multiscale)) described = std::move(*known);
    const OverviewLevel& base = levels.front();
    for (LayoutLevel& level : described)
        level.arrays.erase(std::remove(level.arrays.begin(), level.arrays.end(), base.path),
                           level.arrays.end());
    described.erase(std::remove_if(described.begin(), described.end(),
                                   [](const LayoutLevel& level) { return level.arrays.empty(); }),
                    described.end());
    for (std::size_t i = 1; i < levels.size(); ++i) AddToLayout(levels[i], base, described);
    if (described.size() >= kMaxPyramidLevels)
        return Status::Limit("multiscales: the group would have more than " +
                             std::to_string(kMaxPyramidLevels) + " levels");
    std::stable_sort(described.begin(), described.end(),
                     [](const LayoutLevel& a, const LayoutLevel& b) {
                         return ProductOf(a.scale) < ProductOf(b.scale);
                     });
    multiscale = described.empty() ? json::Value() : DescribeLayout(described);
    return {};
}

std::string OverviewGroupName(int factor, int turn) {
    std::string name = std::string(kOverviewPrefix) + std::to_string(factor) + "x";
    if (turn > 1) name += "_" + std::to_string(turn);
    return name;
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
