// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/cf/band_lists.h"
#include "core/conventions/group/multiscales.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"
#include "driver/base/debug_log.h"
#include "driver/georef/editable_array.h"
#include "driver/raster/ome_channels.h"
#include "driver/raster/slice_labels.h"

namespace zarr_driver {

// An array whose slices or fields are bands of a dataset.
struct BandArray : EditableArray {
    using EditableArray::EditableArray;

    int first_band = 1;  // number, from 1, of the array's first band
    // Returns the position, from 1, of band `number` among the bands of the array.
    int NumberOf(int number) const { return number - first_band + 1; }
    // Describes the OME image or ndpyramid of which the array is a level.
    zarr::LevelListing listing;
    OmeChannels channels;
    std::unique_ptr<SliceLabels> labels;
    std::unique_ptr<ArrayActivity> activity;
    // Nodata value as one element of the array, with all fields; see zarr::ReadNodata().
    std::optional<zarr::FillValue> nodata;
    // Scale, offset and units that all bands have.
    zarr::Fact<zarr::Packing> packing;
    // Lists with an entry for each band, and the nodata values in such a list; see
    // zarr::NodataOfBands().
    zarr::BandLists lists;
    std::vector<std::optional<zarr::FillValue>> nodata_of_bands;

    // Returns the items of the metadata domain ZARR. This object owns the list.
    CPLStringList& Description();
    // Reads `packing`, `lists` and `nodata_of_bands` from the attributes.
    void ReadLists(const zarr::Hierarchy& hierarchy, zarr::Warnings& warnings);
    // True if the list `name` states a value of a band, and no attribute of CF comes first. `band`
    // is an index along lists.axis(), else 0.
    bool HasEntry(std::string_view name, std::size_t band) const;
    // Changes a band's entry of the list `name`. Returns false if HasEntry() is false.
    bool ChangeEntry(std::string_view name, std::size_t band, const zarr::json::Value& value);
    // Removes the list `name` if it has a pending change after which the entries of all bands are
    // equal. Returns true if it was removed.
    bool RemoveIfEqual(std::string_view name, std::size_t band);

  private:
    CPLStringList description_;  // cached
};

// Arrays of a dataset, in the order of the bands. All arrays are in one group and have equal
// dimensions.
using BandArrays = std::vector<std::unique_ptr<BandArray>>;

inline std::set<std::string> PathsOf(const BandArrays& arrays) {
    std::set<std::string> paths;
    for (const auto& array : arrays) paths.insert(array->path());
    return paths;
}

}  // namespace zarr_driver
