// SPDX-License-Identifier: MIT
// Attributes of an array that are lists with an entry for each band: `scales`, `offsets`, `units`,
// `long_name`, `descriptions`, `nodatavals` and `COLOR_INTERPRETATION`. rioxarray, odc-geo,
// xarray's former open_rasterio() and GDAL's built-in driver write them for arrays (band, y, x).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"

namespace zarr {

inline constexpr std::string_view kUnitsOfBands = "units";
// Lists of names, in the order in which a reader uses them.
inline constexpr std::string_view kNamesOfBands[] = {"long_name", "descriptions"};
// Names of GDAL's colour interpretations: a text for all bands, or a list. GDAL's built-in driver
// needs a list with an entry for each slice of the array.
inline constexpr std::string_view kColoursOfBands = "COLOR_INTERPRETATION";

// True for the name of an attribute that may be a list with an entry for each band.
bool IsListOfBands(std::string_view name);

// Statements of lists about one band. A member is nullopt if no list states it.
struct BandStatement {
    std::optional<double> scale;
    std::optional<double> offset;
    std::optional<std::string> units;
    std::optional<std::string> name;  // never empty
};

// Finds the entries of an array's bands in such lists. xarray keeps lists as they are when it
// selects bands. An entry therefore belongs to the band whose coordinate is its number, counted
// from 1. Coordinates that do not number the entries are not used: the lists then need an entry for
// each band, in the order of the bands. Copyable.
class BandLists {
  public:
    // For an array without lists: no entry belongs to a band.
    BandLists() = default;

    // Finds the bands of an array: the slices along its dimension `band`, or else along its only
    // dimension besides X and Y. An array of one band may have its number in the scalar array
    // `band`. Coordinates are read only if the array has lists.
    static BandLists Find(const Hierarchy& hierarchy, const ArrayFacts& facts);

    // Axis of the array along which its bands lie; nullopt if the lists describe one band.
    std::optional<std::size_t> axis() const { return axis_; }

    // Returns the index of a band's entry in a list of `size` entries; nullopt if none belongs to
    // the band. `band` is an index along axis(), else 0.
    std::optional<std::size_t> EntryOf(std::size_t band, std::size_t size) const;

    // Returns the index of a slice's entry in a list of `size` entries of kColoursOfBands; nullopt
    // if none belongs to the slice. `slice` counts along all dimensions except X and Y; the index
    // along the last dimension changes first.
    std::optional<std::size_t> EntryOfSlice(std::size_t band, std::size_t slice,
                                            std::size_t size) const;
    // Returns the colour that kColoursOfBands states for a slice; nullopt if it states none.
    std::optional<std::string> ColourOf(const json::Value& attributes, std::size_t band,
                                        std::size_t slice) const;

    // Returns the statements of lists in `attributes` about a band.
    BandStatement Of(const json::Value& attributes, std::size_t band) const;

    // True if the list `name` has an entry for a band.
    bool HasEntry(const json::Value& attributes, std::string_view name, std::size_t band) const {
        return Entry(attributes, name, band) != nullptr;
    }

    // Returns the list `name` with `value` as the entry of a band; nullopt if the list has no entry
    // for the band.
    std::optional<json::Array> Changed(const json::Value& attributes, std::string_view name,
                                       std::size_t band, const json::Value& value) const;

    // True if the entries of all bands are equal in `list`.
    bool AreEqual(const json::Array& list) const;

    // Returns a warning for each list that has no entry for a band.
    Warnings WarningsOf(const json::Value& attributes) const;

  private:
    void SetNumbers(std::vector<std::uint64_t> numbers);
    const json::Value* Entry(const json::Value& attributes, std::string_view name,
                             std::size_t band) const;

    std::optional<std::size_t> axis_;
    std::size_t bands_ = 0;               // 0 if the array has no lists, or unknown bands
    std::size_t slices_ = 0;              // number of slices along several dimensions, else 0
    std::vector<std::uint64_t> numbers_;  // of the bands, from 1; empty if unknown
    std::uint64_t largest_number_ = 0;
    // False for lists of 1, or of 0, which open_rasterio() always wrote.
    bool has_scales_ = false;
    bool has_offsets_ = false;
};

}  // namespace zarr
