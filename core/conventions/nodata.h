// SPDX-License-Identifier: MIT
// Nodata values of arrays, by their attributes and fill values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Whether fill values count as nodata values.
enum class FillAsNodata : std::uint8_t {
    kAuto,  // if FillMeansMissing() is true
    kYes,
    kNo,
};

// Returns the nodata value that the data type (ArrayMetadata::dtype.missing), the attribute
// `_FillValue`, or `missing_value` states, in this order. The element is in the host's byte order.
// nullopt if none is stated. A value outside the data type gives a warning.
std::optional<FillValue> StatedNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                      Warnings& warnings);

// True for an array that holds coordinates, bounds or a grid mapping of other arrays. Criteria: a
// 1-D array with the name of its dimension; the array's own attributes; bounds of coordinates of
// its dimensions; names in attributes of the group and of the group's arrays. The last criterion is
// skipped if it needs requests to a remote store.
bool IsCoordinate(const Hierarchy& hierarchy, const ArrayFacts& facts);

// Returns the nodata value: StatedNodata(), else NaT for times, else the fill value if `fill`
// allows it. nullopt if none applies.
std::optional<FillValue> ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                    FillAsNodata fill, Warnings& warnings);

// Like ReadNodata() with attributes, but a fill value of an array of coordinates is not nodata.
// Exception: longitudes and latitudes of two or more dimensions keep a fill value beyond 360
// degrees.
std::optional<FillValue> ReadNodata(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                    FillAsNodata fill, Warnings& warnings);

// Returns an error if the data type itself defines the nodata value, because its elements may be
// missing.
Status CheckNodataIsWritable(const DataType& type);

// Returns the attribute that states the nodata value `element`, given in the host's byte order, in
// a form that xarray reads. Usually `_FillValue`. In Zarr v3 a float is base64 of a little-endian
// double, a complex number is two of them. Times, strings, bytes and structures in v3 use
// `missing_value`, because xarray fails to open such an array with `_FillValue`.
Result<json::Member> NodataAttribute(const DataType& type, Format format, std::string_view element);

}  // namespace zarr
