// SPDX-License-Identifier: MIT
// The value of an array that stands for missing data, by its attributes and its fill value.
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

// Whether fill values are nodata values.
enum class FillAsNodata : std::uint8_t {
    kAuto,  // where IsFillMissing() says so
    kYes,
    kNo,
};

// The element that stands for missing data by the data type (ArrayMetadata::dtype.missing), by the
// attribute `_FillValue`, or else by `missing_value`; in the host's byte order. A value that is not
// one of the data type gives a warning.
std::optional<FillValue> StatedNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                      Warnings& warnings);

// True for an array that holds coordinates, bounds or a grid mapping of others: one of one
// dimension with its name; by its own attributes for longitudes, latitudes, projection coordinates,
// axes and grid mappings; for bounds of its dimensions' coordinates; and for what an array or the
// attributes of its group name. The other arrays of the group are looked at where that takes no
// requests over a network.
bool IsCoordinate(const Hierarchy& hierarchy, const ArrayFacts& facts);

// StatedNodata(), else for a time NaT, else the fill value where `fill` says so.
std::optional<FillValue> ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                    FillAsNodata fill, Warnings& warnings);

// ReadNodata(), but the fill value of coordinates is a coordinate as any other. Only longitudes and
// latitudes of two or more dimensions keep a fill value that is neither.
std::optional<FillValue> ReadNodata(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                    FillAsNodata fill, Warnings& warnings);

// Fails where the data type says what is nodata: where its elements may be missing.
Status CheckNodataIsFree(const DataType& type);

// The attribute that says that an element, in the host's byte order, stands for missing data, as
// xarray reads it: `_FillValue`. In Zarr v3 that is base64 of a little-endian double for a float,
// two of them for a complex number. For times, texts, bytes and structures of v3 it is
// `missing_value`, as xarray cannot open an array of these types that has `_FillValue`.
Result<json::Member> NodataAttribute(const DataType& type, Format format, std::string_view element);

}  // namespace zarr
