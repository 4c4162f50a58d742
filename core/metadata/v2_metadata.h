// SPDX-License-Identifier: MIT
// The documents of Zarr v2 (Zarr v2 specification, "Storage"): read into the model, and written.
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

// The attributes of the array, an object; null where they cannot be read.
using AttributesSource = std::function<json::Value()>;

// Parses and validates the text of `.zarray`. NCZarr's are read as AsSpecified() has them, text
// that is stored as objects as AsObjects() has it. Where the array may be netCDF-C's and mean
// something else than it says, `attributes` are asked, if given. Every compulsory member must be
// there; the product of the shape, of the chunk's sizes in bytes and the number of chunks must fit
// 63 bits. Errors name the member and its value.
Result<ArrayMetadata> ParseArrayMetadata(std::string_view text,
                                         const AttributesSource& attributes = {});
Result<ArrayMetadata> ParseArrayMetadata(const json::Value& document,
                                         const AttributesSource& attributes = {});
// Validates the members of such a document.
Result<ArrayMetadata> ReadArrayMetadata(json::Object members,
                                        const AttributesSource& attributes = {});

// The text of `.zarray`, spelled as zarr-python spells it.
std::string ArrayText(const ArrayMetadata& metadata);

// Adds those of `members`, which are of a stored `.zarray`, that the specification does not define
// and `metadata` lacks.
void AddUndefined(const json::Object& members, ArrayMetadata& metadata);

// Checks the text of `.zgroup`, or the document.
Status CheckGroupMetadata(std::string_view text);
Status CheckGroupMetadata(const json::Value& document);
// The text of a new `.zgroup`.
std::string GroupText();

// Reads the text of `.zattrs`, or the document: an object.
Result<json::Value> ParseAttributes(std::string_view text);
Result<json::Value> ParseAttributes(json::Value document);

// Members of the model that depend on the document; see array_metadata.h.
Result<ArrayMetadata> MakeV2Array(const ArraySpec& spec);
Result<ArrayMetadata> WithV2Shape(const ArrayMetadata& metadata, std::vector<std::uint64_t> shape);
Result<ArrayMetadata> WithV2FillValue(const ArrayMetadata& metadata,
                                      const std::optional<std::string>& element);
Result<ArrayMetadata> WithV2Grid(const ArrayMetadata& metadata,
                                 const std::vector<std::uint64_t>& shape,
                                 const std::vector<std::uint64_t>& chunks, char separator);

}  // namespace zarr
