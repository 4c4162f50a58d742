// SPDX-License-Identifier: MIT
// Properties of an array's codecs. They decide which checks a fuzz target can make.
#pragma once

#include "core/metadata/array_metadata.h"

namespace zarr::fuzz {

// False if encoding may need too much memory, or may give bytes that cannot be decoded.
bool CanBeEncoded(const ArrayMetadata& metadata);

// True if encoding and decoding restore every bit.
bool IsLossless(const ArrayMetadata& metadata);

}  // namespace zarr::fuzz
