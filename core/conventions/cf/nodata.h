// SPDX-License-Identifier: MIT
// Finds the nodata values of arrays in their attributes and fill values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/array_facts.h"
#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Whether fill values count as nodata values.
enum class FillAsNodata : std::uint8_t {
    kAuto,  // fill values count as nodata if FillMeansMissing() is true
    kYes,
    kNo,
};

using Nodata = Fact<std::optional<FillValue>>;  // nullopt if there is no nodata value

// Returns the nodata value that the data type (ArrayMetadata::dtype.missing), `_FillValue` or
// `missing_value` states, in this order; nullopt if none. The element is in the host's byte order.
// A value outside the data type gives a warning.
Nodata StatedNodata(const json::Value& attributes, const ArrayMetadata& metadata);

// Returns the nodata value that StatedNodata() or a plain attribute states: `fill_value`, `nodata`
// or the first number of `nodatavals`. Not for coordinates, whose plain attributes are not used.
// A plain value outside the data type gives no warning, because it hides no pixel.
Nodata StatedNodataOfData(const json::Value& attributes, const ArrayMetadata& metadata);

// Returns the nodata value of each entry of `nodatavals`; nullopt for an entry without one. Empty
// if another attribute states the nodata value of all bands, or if all entries are equal.
std::vector<std::optional<FillValue>> NodataOfBands(const json::Value& attributes,
                                                    const ArrayMetadata& metadata);

// Returns the attributes, except `name`, whose nodata value differs from `element`. Whoever states
// `element` by the attribute `name` removes these attributes. With nullopt, returns all attributes
// that state a nodata value.
std::vector<std::string> ContradictingNodata(const json::Value& attributes,
                                             const ArrayMetadata& metadata, std::string_view name,
                                             const std::optional<std::string>& element);

// True if an array holds coordinates, bounds or a grid mapping of other arrays. The evidence is one
// of: the array is 1-D and has the name of its dimension; the array's attributes; coordinates of
// its dimensions name the array as bounds.
//
// Names in attributes of the group and of the group's arrays are evidence, too, unless the array's
// attributes show that it contains data. A server that does not list the group hides the arrays.
bool IsCoordinate(const Hierarchy& hierarchy, const ArrayFacts& facts);

// True if ReadNodata() of an array reads the attributes of the other arrays of its group.
bool NeedsOtherArrays(const ArrayFacts& facts, FillAsNodata fill);

// Returns the first nodata value that applies: StatedNodataOfData(), the fill value if `fill`
// allows it, or NaT for times. Returns nullopt if none applies.
Nodata ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata, FillAsNodata fill);

// Returns the nodata value of an array of an OME image. A fill value of zero is not nodata: zeros
// are black pixels, and most writers omit chunks of zeros.
Nodata ReadImageNodata(const ArrayFacts& facts);

// Returns the nodata value like the first ReadNodata(), except that only StatedNodata() applies to
// an array of coordinates. An array of longitudes or latitudes with two or more dimensions keeps a
// plain attribute or fill value beyond 360 degrees as nodata. With FillAsNodata::kAuto,
// ReadImageNodata() applies to an OME image.
Nodata ReadNodata(const Hierarchy& hierarchy, const ArrayFacts& facts, FillAsNodata fill);

// Returns an error if `type` is zarrs.optional, because this data type itself defines the nodata
// value.
Status CheckNodataIsWritable(const DataType& type);

// Returns an attribute that states the nodata value `element` in a form that xarray reads.
// `element` is in the host's byte order.
//
// The attribute is usually `_FillValue`. In Zarr v3 a float is written as base64 of a little-endian
// double, a complex number as two of them. For times, strings, bytes and structures in v3, the
// attribute is `missing_value`, because xarray fails to open an array whose `_FillValue` has such a
// type.
Result<json::Member> NodataAttribute(const DataType& type, Format format, std::string_view element);

}  // namespace zarr
