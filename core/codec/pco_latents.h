// SPDX-License-Identifier: MIT
// Decodes the latents of a page in a pco file, in batches. A latent is an unsigned integer, stored
// as a tANS-coded bin plus an offset into the bin.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md, "Page"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

// Returns the bin of each state of the tANS table. The number of states of a bin is its weight; the
// weights must add up to the table size. The states of a bin are spread over the table in steps of
// about three fifths of the table size.
std::vector<std::uint16_t> SpreadBins(const LatentMetadata& latent);

using Batch = std::array<std::uint64_t, kBatch>;

// Decoder of one latent variable within a page. A latent is the unsigned integer that stands for a
// number, or for a part of it.
class LatentDecoder {
  public:
    // `latent` must come from ReadChunkMetadata().
    explicit LatentDecoder(const LatentMetadata& latent);

    // Reads the initial tANS states at the beginning of the page.
    void ReadStates(BitReader& reader);

    // Reads the next `count` <= kBatch latents. Requires has_bins().
    void Decode(BitReader& reader, std::size_t count, Batch& latents);

    bool has_bins() const { return !table_.empty(); }

  private:
    struct State {
        std::uint64_t lower = 0;
        std::uint32_t next = 0;  // next state, before the read bits are added
        std::uint8_t bits = 0;
        std::uint8_t offset_bits = 0;
    };

    unsigned ans_size_log_;
    std::uint64_t mask_;
    std::vector<State> table_;
    std::array<std::uint64_t, kInterleaved> states_{};
};

}  // namespace zarr::pco
