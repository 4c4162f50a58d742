// SPDX-License-Identifier: MIT
// Translates the document `meta` of Zarr v1 (Zarr v1 specification, "Metadata") to metadata of Zarr
// v2. The document `attrs` of v1 has the contents of `.zattrs`.
#pragma once

#include <string>
#include <string_view>

#include "core/metadata/array_metadata.h"

namespace zarr {

// True if `text` is a `meta` document: a JSON object whose "zarr_format" is 1.
bool IsV1Metadata(std::string_view text);

// True if `text` looks like a `meta` document, possibly a damaged one: it begins as a JSON object
// and contains "zarr_format", or "chunks" and "compression". For a damaged document,
// ParseV1Metadata() returns the error.
bool LooksLikeV1Metadata(std::string_view text);

// Parses and validates the text of a `meta` document. Errors name the member.
Result<ArrayMetadata> ParseV1Metadata(std::string_view text);

// Returns the error for an attempt to change the array whose `meta` document is at `key`.
Status V1IsReadOnly(const std::string& key);

}  // namespace zarr
