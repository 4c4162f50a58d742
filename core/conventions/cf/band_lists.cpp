// SPDX-License-Identifier: MIT
#include "core/conventions/cf/band_lists.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/checked.h"
#include "core/conventions/cf/coordinates.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kBand = "band";

constexpr std::string_view kLists[] = {kScalesOfBands,   kOffsetsOfBands,  kUnitsOfBands,
                                       kNamesOfBands[0], kNamesOfBands[1], kNodataOfBands,
                                       kColoursOfBands};

const json::Array* ListOf(const json::Value& attributes, std::string_view name) {
    const json::Value* const value = attributes.Find(name);
    return value != nullptr ? value->as_array() : nullptr;
}

// True if the list `name` has a number other than `neutral`.
bool HasOther(const json::Value& attributes, std::string_view name, double neutral) {
    const json::Array* const items = ListOf(attributes, name);
    return items != nullptr && std::any_of(items->begin(), items->end(), [&](const auto& item) {
               return NumberIn(item).value_or(neutral) != neutral;
           });
}

bool HasLists(const json::Value& attributes) {
    return std::any_of(std::begin(kLists), std::end(kLists),
                       [&](std::string_view name) { return ListOf(attributes, name) != nullptr; });
}

bool IsNamedBand(const Dimension& dimension) {
    return dimension.name == kBand || dimension.name == "bands" || dimension.name == "Band";
}

// Returns the axes of an array besides X and Y.
std::vector<std::size_t> OtherAxes(const ArrayFacts& facts) {
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < facts.dimensions.size(); ++i)
        if (facts.axes.x != i && facts.axes.y != i) axes.push_back(i);
    return axes;
}

// Returns the number of slices along `axes`.
std::size_t SliceCount(const ArrayFacts& facts, const std::vector<std::size_t>& axes) {
    std::uint64_t slices = 1;
    for (const std::size_t axis : axes) slices = SaturatingMul(slices, facts.dimensions[axis].size);
    return static_cast<std::size_t>(slices);
}

// Returns numbers of bands; empty if `values` are not distinct integers from 1 on.
std::vector<std::uint64_t> NumbersIn(const std::vector<double>& values) {
    constexpr auto kMost = static_cast<double>(kMaxLabels);
    std::vector<std::uint64_t> numbers;
    for (const double value : values) {
        if (!(value >= 1 && value <= kMost) || value != std::floor(value)) return {};
        numbers.push_back(static_cast<std::uint64_t>(value));
    }
    const std::set<std::uint64_t> distinct(numbers.begin(), numbers.end());
    return distinct.size() == numbers.size() ? numbers : std::vector<std::uint64_t>();
}

std::vector<std::uint64_t> NumbersAt(const Hierarchy& hierarchy, const std::string& path) {
    const auto metadata = hierarchy.Metadata(path);
    const bool are_few = metadata.ok() && metadata->rank() <= 1 &&
                         (metadata->rank() == 0 || metadata->shape[0] <= kMaxLabels);
    if (path.empty() || !are_few) return {};
    const auto read = ReadCoordinates(hierarchy, path, json::Value(json::Object{}), 1);
    return read.ok() ? NumbersIn(read->values) : std::vector<std::uint64_t>();
}

// Returns the path of the scalar array `band` that an array names as a coordinate; empty if there
// is none.
std::string ScalarBand(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (ReferencedNames(facts.attributes).count(std::string(kBand)) == 0) return {};
    std::string path =
        FindVariable(hierarchy, std::string(ParentPath(facts.path)), std::string(kBand));
    const auto metadata = hierarchy.Metadata(path);
    return metadata.ok() && metadata->rank() == 0 ? path : std::string();
}

}  // namespace

bool IsListOfBands(std::string_view name) {
    return std::find(std::begin(kLists), std::end(kLists), name) != std::end(kLists);
}

BandLists BandLists::Find(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    BandLists lists;
    if (!HasLists(facts.attributes)) return lists;
    lists.has_scales_ = HasOther(facts.attributes, kScalesOfBands, 1);
    lists.has_offsets_ = HasOther(facts.attributes, kOffsetsOfBands, 0);
    const std::vector<std::size_t> axes = OtherAxes(facts);
    if (axes.size() > 1) lists.slices_ = SliceCount(facts, axes);
    const auto named = std::find_if(axes.begin(), axes.end(), [&](std::size_t axis) {
        return IsNamedBand(facts.dimensions[axis]);
    });
    const std::string scalar = named == axes.end() ? ScalarBand(hierarchy, facts) : std::string();
    if (!scalar.empty()) {
        lists.bands_ = 1;
        lists.SetNumbers(NumbersAt(hierarchy, scalar));
        return lists;
    }
    if (named != axes.end())
        lists.axis_ = *named;
    else if (axes.size() == 1)
        lists.axis_ = axes.front();
    if (!lists.axis_) {
        lists.bands_ = axes.empty() ? 1 : 0;
        return lists;
    }
    const Dimension& dimension = facts.dimensions[*lists.axis_];
    lists.bands_ = static_cast<std::size_t>(dimension.size);
    if (IsNamedBand(dimension)) lists.SetNumbers(NumbersAt(hierarchy, dimension.coordinate_path));
    return lists;
}

void BandLists::SetNumbers(std::vector<std::uint64_t> numbers) {
    numbers_ = std::move(numbers);
    for (const std::uint64_t number : numbers_) largest_number_ = std::max(largest_number_, number);
}

std::optional<std::size_t> BandLists::EntryOf(std::size_t band, std::size_t size) const {
    if (band < numbers_.size() && largest_number_ <= size)
        return static_cast<std::size_t>(numbers_[band] - 1);
    return size == bands_ && band < size ? std::optional(band) : std::nullopt;
}

std::optional<std::size_t> BandLists::EntryOfSlice(std::size_t band, std::size_t slice,
                                                   std::size_t size) const {
    if (size != slices_) return EntryOf(band, size);
    return slice < size ? std::optional(slice) : std::nullopt;
}

std::optional<std::string> BandLists::ColourOf(const json::Value& attributes, std::size_t band,
                                               std::size_t slice) const {
    const json::Value* stated = attributes.Find(kColoursOfBands);
    const json::Array* const items = stated != nullptr ? stated->as_array() : nullptr;
    if (items != nullptr) {
        auto entry = EntryOfSlice(band, slice, items->size());
        // Equal entries state the colour of all bands.
        if (!entry && !items->empty() && json::AreAllEqual(*items)) entry = 0;
        stated = entry ? &(*items)[*entry] : nullptr;
    }
    const std::string* const text = stated != nullptr ? stated->as_string() : nullptr;
    return text != nullptr ? std::optional(*text) : std::nullopt;
}

const json::Value* BandLists::Entry(const json::Value& attributes, std::string_view name,
                                    std::size_t band) const {
    const json::Array* const items = ListOf(attributes, name);
    const auto entry = items != nullptr ? EntryOf(band, items->size()) : std::nullopt;
    return entry ? &(*items)[*entry] : nullptr;
}

BandStatement BandLists::Of(const json::Value& attributes, std::size_t band) const {
    BandStatement stated;
    const auto number = [&](std::string_view name) {
        const json::Value* const entry = Entry(attributes, name, band);
        return entry != nullptr ? NumberIn(*entry) : std::nullopt;
    };
    const auto text = [&](std::string_view name) -> std::optional<std::string> {
        const json::Value* const entry = Entry(attributes, name, band);
        const std::string* const found = entry != nullptr ? entry->as_string() : nullptr;
        return found != nullptr ? std::optional(*found) : std::nullopt;
    };
    if (has_scales_) stated.scale = number(kScalesOfBands);
    if (has_offsets_) stated.offset = number(kOffsetsOfBands);
    stated.units = text(kUnitsOfBands);
    for (const std::string_view name : kNamesOfBands)
        if (auto found = text(name); !stated.name && found && !found->empty())
            stated.name = std::move(found);
    return stated;
}

std::optional<json::Array> BandLists::Changed(const json::Value& attributes, std::string_view name,
                                              std::size_t band, const json::Value& value) const {
    const json::Array* const items = ListOf(attributes, name);
    const auto entry = items != nullptr ? EntryOf(band, items->size()) : std::nullopt;
    if (!entry) return std::nullopt;
    json::Array changed = *items;
    changed[*entry] = value;
    return changed;
}

bool BandLists::AreEqual(const json::Array& list) const {
    json::Array entries;
    for (std::size_t band = 0; band < bands_; ++band)
        if (const auto entry = EntryOf(band, list.size())) entries.push_back(list[*entry]);
    return json::AreAllEqual(entries);
}

Warnings BandLists::WarningsOf(const json::Value& attributes) const {
    Warnings warnings;
    for (const std::string_view name : kLists) {
        const json::Array* const items = ListOf(attributes, name);
        // Equal entries, or a single one, state a value of all bands.
        if (items == nullptr || json::AreAllEqual(*items) || EntryOf(0, items->size())) continue;
        if (name == kColoursOfBands && EntryOfSlice(0, 0, items->size())) continue;
        warnings.push_back("attribute " + std::string(name) + ": has " +
                           std::to_string(items->size()) + " entries for " +
                           std::to_string(bands_) +
                           " bands, whose coordinates do not number the entries; " +
                           (name == kNodataOfBands ? "the first entry is used for all bands"
                                                   : "the list is ignored"));
    }
    return warnings;
}

}  // namespace zarr
