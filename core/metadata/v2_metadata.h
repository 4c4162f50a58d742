// SPDX-License-Identifier: MIT
// Reads and writes the metadata documents of Zarr v2 (Zarr v2 specification, "Storage").
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Function that returns an array's attributes as a JSON object; null if they cannot be read.
using AttributesSource = std::function<json::Value()>;

// Parse and validate a `.zarray`. Documents of NCZarr are rewritten by ToSpecification() first, and
// fixed-width text with an object codec by AsObjects(). `attributes` is called only if the
// document's meaning depends on whether netCDF-C wrote the array.
//
// Return an error if a required member is missing, or if a chunk or the whole array has 2^63 bytes
// or more. Errors name the member and its value.
Result<ArrayMetadata> ParseArrayMetadata(std::string_view text,
                                         const AttributesSource& attributes = {});
Result<ArrayMetadata> ParseArrayMetadata(const json::Value& document,
                                         const AttributesSource& attributes = {});
// Validates the members of a parsed `.zarray`; see ParseArrayMetadata().
Result<ArrayMetadata> ReadArrayMetadata(json::Object members,
                                        const AttributesSource& attributes = {});

// Returns the text of `.zarray` in zarr-python's spelling.
std::string ArrayText(const ArrayMetadata& metadata);

// Adds to `metadata` the members of a stored `.zarray` that the specification does not define. Does
// not replace members of `metadata`.
void AddUndefined(const json::Object& members, ArrayMetadata& metadata);

// Validate a `.zgroup`, given as text or as parsed JSON.
Status CheckGroupMetadata(std::string_view text);
Status CheckGroupMetadata(const json::Value& document);
// Returns the text of a new `.zgroup`.
std::string GroupText();

// Return the attributes in a `.zattrs`, given as text or as parsed JSON. Return kCorrupt if the
// document is not a JSON object.
Result<json::Value> ParseAttributes(std::string_view text);
Result<json::Value> ParseAttributes(json::Value document);

// Implementations for Zarr v2 of MakeArrayMetadata(), WithShape(), WithFillValue() and WithGrid()
// in array_metadata.h.
Result<ArrayMetadata> MakeV2Array(const ArraySpec& spec);
Result<ArrayMetadata> WithV2Shape(const ArrayMetadata& metadata, std::vector<std::uint64_t> shape);
Result<ArrayMetadata> WithV2FillValue(const ArrayMetadata& metadata,
                                      const std::optional<std::string>& element);
Result<ArrayMetadata> WithV2Grid(const ArrayMetadata& metadata,
                                 const std::vector<std::uint64_t>& shape,
                                 const std::vector<std::uint64_t>& chunks, char separator);

}  // namespace zarr
