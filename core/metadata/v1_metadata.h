// SPDX-License-Identifier: MIT
// The `meta` of Zarr v1 (Zarr v1 specification, "Metadata") in the terms of v2. Its `attrs` are
// what `.zattrs` are.
#pragma once

#include <string>
#include <string_view>

#include "core/metadata/array_metadata.h"

namespace zarr {

// True where `text` is a `meta`: an object whose "zarr_format" is 1.
bool IsV1Metadata(std::string_view text);

// True also where it seems to have been one: it does not parse, or names another format, but has
// members that only Zarr's have together. What is wrong TranslateV1Metadata() says.
bool IsOrWasV1Metadata(std::string_view text);

// Parses and validates the text of a `meta`. Errors name the member.
Result<ArrayMetadata> ParseV1Metadata(std::string_view text);

// The error for a change of the array that the `meta` at `key` describes.
Status V1IsReadOnly(const std::string& key);

}  // namespace zarr
