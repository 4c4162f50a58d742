// SPDX-License-Identifier: MIT
// Which bins a writer of pco files sorts latents into: there is any number of right choices, and
// this one makes the fewest bits of those that it looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "core/codec/pco_metadata.h"

namespace zarr::pco {

struct ChosenBins {
    LatentMetadata metadata;  // bins are ascending and apart
    double bits = 0;          // about what all latents take
};

// Of `latents`, which are sorted for it and may be none; they have `bits` bits. A higher `level`,
// up to 8, looks at more bins.
ChosenBins ChooseBins(std::vector<std::uint64_t> latents, unsigned bits, unsigned level);

}  // namespace zarr::pco
