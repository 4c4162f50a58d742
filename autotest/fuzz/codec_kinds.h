// SPDX-License-Identifier: MIT
// What may be expected of an array's codecs beyond that they do not break anything.
#pragma once

#include "core/metadata/array_metadata.h"

namespace zarr::fuzz {

// False where encoding takes what a fuzzer cannot give, or makes what cannot be decoded.
bool CanBeEncoded(const ArrayMetadata& metadata);

// True where coding gives back every bit.
bool IsLossless(const ArrayMetadata& metadata);

}  // namespace zarr::fuzz
