// SPDX-License-Identifier: MIT
// Properties of the codecs of an array that decide which checks a fuzz target can make.
#pragma once

#include "core/metadata/array_metadata.h"

namespace zarr::fuzz {

// False if encoding may take too much memory, or may write bytes that cannot be decoded.
bool CanBeEncoded(const ArrayMetadata& metadata);

// True if decoding restores every bit.
bool IsLossless(const ArrayMetadata& metadata);

}  // namespace zarr::fuzz
