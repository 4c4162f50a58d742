// SPDX-License-Identifier: MIT
// What the stored numbers mean: nodata, packing, units.
#pragma once

#include <optional>
#include <string>

#include "core/conventions/attributes.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// value = stored * scale + offset, in `units` (CF conventions, section 8.1).
struct Packing {
    std::optional<double> scale;
    std::optional<double> offset;
    std::string units;
};
Packing ReadPacking(const json::Value& attributes, Warnings& warnings);

// The element that stands for missing data, in the host's byte order: the attribute `_FillValue`,
// else `missing_value`, else NaT for a time, else, where `fill_value_counts`, the fill value of the
// array.
std::optional<FillValue> ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                    bool fill_value_counts, Warnings& warnings);

// The units of an array's numbers: what its NumPy time type says, else the attribute.
std::string UnitsOf(const DataType& type, const Packing& packing);

// UDUNITS' spelling of a NumPy time type: "25 seconds since 1970-01-01" for <M8[25s], "days" for
// <m8[D]; empty for other types and for time without a unit.
std::string TimeUnits(const DataType& type);

}  // namespace zarr
