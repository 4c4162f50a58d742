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

// True if `text` looks like a `meta` document, even a damaged one: a JSON object with
// "zarr_format", or with "chunks" and "compression". ParseV1Metadata() reports the damage.
bool LooksLikeV1Metadata(std::string_view text);

// Parses and validates the text of a `meta` document. Errors name the member.
Result<ArrayMetadata> ParseV1Metadata(std::string_view text);

// Returns the error for an attempt to change the array whose `meta` document is at `key`.
Status V1IsReadOnly(const std::string& key);

}  // namespace zarr
