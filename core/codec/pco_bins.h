// SPDX-License-Identifier: MIT
// Chooses the bins for writing a pco file. A latent is a number after conversion to an unsigned
// integer; a bin is a range of latents. Any bins that cover all latents give a valid file, but the
// choice affects the file's size.
#pragma once

#include <cstdint>
#include <vector>

#include "core/codec/pco_metadata.h"

namespace zarr::pco {

struct ChosenBins {
    LatentMetadata metadata;  // bins are ascending and disjoint
    double bits = 0;          // estimated number of bits that encode all latents
};

// Chooses bins for `latents`, which may be empty; `bits` is the number of bits of a latent. A
// higher `level`, up to 8, considers more bins.
ChosenBins ChooseBins(std::vector<std::uint64_t> latents, unsigned bits, unsigned level);

}  // namespace zarr::pco
