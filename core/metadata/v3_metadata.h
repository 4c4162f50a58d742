// SPDX-License-Identifier: MIT
// The document of Zarr v3, `zarr.json` (Zarr v3 specification, "Metadata"): read into the model,
// and written.
//
// The names of dimensions, which v3 has in a member of their own, are shown as the attribute
// `_ARRAY_DIMENSIONS`, as other versions have them, and become that member when attributes are
// written.
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

// Which node a document describes, as far as its "zarr_format" and "node_type" say; the rest is not
// looked at. This and the next functions take a document or its text, of which they parse no more
// than they need.
Result<V3NodeType> V3NodeTypeOf(const json::Value& document);
Result<V3NodeType> V3NodeTypeOf(std::string_view text);

// Parses and validates the document of an array. Members that the specification does not define are
// refused unless they say that they need not be understood. Errors name the member.
Result<ArrayMetadata> ParseV3Array(const json::Value& document);
Result<ArrayMetadata> ParseV3Array(std::string_view text);
// Checks the document of a group, likewise, but for its attributes.
Status CheckV3Group(const json::Value& document);
Status CheckV3Group(std::string_view text);

// The attributes that a document of either kind has.
Result<json::Value> ParseV3Attributes(const json::Value& document);
Result<json::Value> ParseV3Attributes(std::string_view text);

// The documents in the document of a group that has consolidated metadata, by their keys relative
// to the group (a convention of zarr-python: "consolidated_metadata", kind "inline"). They borrow
// from `text`. None where it has none.
Result<std::optional<DocumentTexts>> ParseV3Consolidated(std::string_view text);
// The same document with null in their place; as it is where it has none or cannot be split into
// its members.
std::string WithNullAsV3Consolidated(std::string_view text);

// The metadata of a new array. Errors are kInvalidArgument or kLimit and name the member.
Result<ArrayMetadata> MakeV3Array(const ArraySpec& spec);

// The texts of documents. `attributes` are an object.
std::string V3ArrayText(const ArrayMetadata& metadata, const json::Value& attributes);
std::string V3GroupText();

// The text of a stored document, changed: with other attributes, with the members of other metadata
// of its array, or with or without consolidated metadata, which are documents by the path of their
// node. Everything else is kept.
Result<std::string> WithV3Attributes(std::string_view text, const json::Value& attributes);
Result<std::string> WithV3Array(std::string_view text, const ArrayMetadata& metadata);
Result<std::string> WithV3Consolidated(std::string_view text,
                                       std::optional<json::Object> documents);
// True where a document has consolidated metadata.
bool HasV3Consolidated(std::string_view text);

// Members of the model that depend on the document; see array_metadata.h.
Result<ArrayMetadata> WithV3Shape(const ArrayMetadata& metadata,
                                  const std::vector<std::uint64_t>& shape);
Result<ArrayMetadata> WithV3FillValue(const ArrayMetadata& metadata,
                                      const std::optional<std::string>& element);
Result<ArrayMetadata> WithV3Grid(const ArrayMetadata& metadata,
                                 const std::vector<std::uint64_t>& shape,
                                 const std::vector<std::uint64_t>& chunks, char separator);

}  // namespace zarr
