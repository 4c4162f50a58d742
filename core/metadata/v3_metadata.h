// SPDX-License-Identifier: MIT
// Reads and writes `zarr.json`, the metadata document of Zarr v3 (Zarr v3 specification,
// "Metadata"). The member "dimension_names" is read as the attribute `_ARRAY_DIMENSIONS`, as in
// Zarr v2, and written back as the member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "core/metadata/documents.h"

namespace zarr {

enum class V3NodeType : std::uint8_t { kArray, kGroup };

// Return the node type that "zarr_format" and "node_type" state, without checking other members.
// Functions of this file that take text parse only the members that they need.
Result<V3NodeType> V3NodeTypeOf(const json::Value& document);
Result<V3NodeType> V3NodeTypeOf(std::string_view text);

// Parse and validate the `zarr.json` of an array. Errors name the faulty member. A member that the
// specification does not define is an error, unless it states "must_understand": false.
Result<ArrayMetadata> ParseV3Array(const json::Value& document);
Result<ArrayMetadata> ParseV3Array(std::string_view text);
// True if the text of an array's `zarr.json` has the form that GDAL's built-in driver writes: lines
// without a space behind colons, and "zarr_format" and "node_type" first.
bool IsV3TextOfGdal(std::string_view text);
// Validate the `zarr.json` of a group, except its attributes.
Status CheckV3Group(const json::Value& document);
Status CheckV3Group(std::string_view text);

// Return the attributes in the `zarr.json` of an array or a group.
Result<json::Value> ParseV3Attributes(const json::Value& document);
Result<json::Value> ParseV3Attributes(std::string_view text);

// The text of a `zarr.json`, split into the document itself and its consolidated metadata.
struct SplitDocument {
    std::string own;  // text of the document, with null as the value of "consolidated_metadata"
    // Value of "consolidated_metadata", a part of the original text; empty if absent or null.
    std::string_view consolidated;
};
// Splits the text of a `zarr.json`. If `text` is not a JSON object, `own` is `text` and
// `consolidated` is empty.
SplitDocument SplitV3Consolidated(std::string_view text);
// Returns the documents in `consolidated`, a part that SplitV3Consolidated() returned, by key
// relative to the group. The result points into `consolidated`. Its format is zarr-python's, with
// the kind "inline".
Result<DocumentTexts> ParseV3Consolidated(std::string_view consolidated);

// Returns the metadata of a new array. Returns kInvalidArgument or kLimit with the name of the
// invalid member.
Result<ArrayMetadata> MakeV3Array(const ArraySpec& spec);

// Return the text of a new `zarr.json`. `attributes` must be a JSON object.
std::string V3ArrayText(const ArrayMetadata& metadata, const json::Value& attributes);
std::string V3GroupText();

// Return the text of a stored `zarr.json` with new attributes, new array metadata, or new
// consolidated metadata; other members are kept. `documents` are the consolidated documents by node
// path; nullopt removes the consolidated metadata.
Result<std::string> WithV3Attributes(std::string_view text, const json::Value& attributes);
Result<std::string> WithV3Array(std::string_view text, const ArrayMetadata& metadata);
Result<std::string> WithV3Consolidated(std::string_view text,
                                       std::optional<json::Object> documents);
// True if the `zarr.json` has consolidated metadata that is not null.
bool HasV3Consolidated(std::string_view text);

// Implement WithShape(), WithFillValue() and WithGrid() of array_metadata.h for Zarr v3.
Result<ArrayMetadata> WithV3Shape(const ArrayMetadata& metadata,
                                  const std::vector<std::uint64_t>& shape);
Result<ArrayMetadata> WithV3FillValue(const ArrayMetadata& metadata,
                                      const std::optional<std::string>& element);
Result<ArrayMetadata> WithV3Grid(const ArrayMetadata& metadata,
                                 const std::vector<std::uint64_t>& shape,
                                 const std::vector<std::uint64_t>& chunks, char separator);

}  // namespace zarr
