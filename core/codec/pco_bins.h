// SPDX-License-Identifier: MIT
// Chooses the bins of a pco file. A latent is a number after conversion to an unsigned integer, and
// a bin is a range of latents. Better bins give a smaller file.
#pragma once

#include <cstdint>
#include <vector>

#include "core/codec/pco_metadata.h"

namespace zarr::pco {

struct ChosenBins {
    LatentMetadata metadata;  // describes the bins, which are ascending and disjoint
    double bits = 0;          // estimated number of bits that encode all latents
};

// Chooses bins for `latents`, which may be empty and have `bits` bits each. A higher `level`, up to
// 8, tries more bins.
ChosenBins ChooseBins(std::vector<std::uint64_t> latents, unsigned bits, unsigned level);

}  // namespace zarr::pco
