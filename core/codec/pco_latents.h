// SPDX-License-Identifier: MIT
// The latent variables of a chunk of a pco file: numbers as bins, which tANS codes, and offsets
// into these, a batch at a time. https://github.com/pcodec/pcodec/blob/main/docs/format.md, "Page"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

// Which bin each state of a table stands for: bins in their order, each as often as its weight is,
// are put where a stride of about three fifths of the table leads. The weights must add up to the
// table's size.
std::vector<std::uint16_t> SpreadBins(const LatentMetadata& latent);

using Batch = std::array<std::uint64_t, kBatch>;

// The states of one latent variable within a page.
class LatentDecoder {
  public:
    // `latent` is of ReadChunkMetadata().
    explicit LatentDecoder(const LatentMetadata& latent);

    // Reads the states that the page begins with.
    void ReadStates(BitReader& reader);

    // Reads the next `count` latents, at most kBatch; there must be bins.
    void Decode(BitReader& reader, std::size_t count, Batch& latents);

    bool has_bins() const { return !table_.empty(); }

  private:
    struct State {
        std::uint64_t lower = 0;
        std::uint32_t next = 0;  // state, to which the bits that are read are added
        std::uint8_t bits = 0;
        std::uint8_t offset_bits = 0;
    };

    unsigned ans_size_log_;
    std::uint64_t mask_;
    std::vector<State> table_;
    std::array<std::uint64_t, kInterleaved> states_{};
};

}  // namespace zarr::pco
