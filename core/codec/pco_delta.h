// SPDX-License-Identifier: MIT
// The way from what a pco file stores of a latent variable to its latents: its delta encodings.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md, "Delta Encodings"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_latents.h"

namespace zarr::pco {

// Undoes the delta encoding of one latent variable in a page. A latent variable of n latents has
// the first few of them, or what these follow from, as states, and n - states differences.
class DeltaDecoder {
  public:
    // `delta` must outlive this. Latents have `bits` bits.
    DeltaDecoder(const Delta& delta, unsigned bits);

    // Reads the states that the page begins with.
    void ReadStates(BitReader& reader);

    // Makes the next `count` latents of the next `differences` differences, which are in `latents`,
    // at most as many; only the last of a page are fewer. `lookback` has as many places. kCorrupt
    // for a place that there is not.
    Status Decode(std::size_t differences, const Batch& lookback, std::size_t count,
                  Batch& latents);

  private:
    void Sum(std::size_t differences, std::size_t count, Batch& latents);
    Status AddEarlier(std::size_t differences, const Batch& lookback, const Batch& latents);
    void AddPredicted(std::size_t differences, const Batch& latents);
    void TakeDecoded(std::size_t count, Batch& latents);
    std::uint64_t Predict() const;

    const Delta& delta_;
    unsigned bits_;
    std::uint64_t mask_;
    std::uint64_t middle_;  // which stands for no difference
    // Of consecutive differences: the next latent, the next difference, that of the next two ...
    std::vector<std::uint64_t> moments_;
    // Of the others: the latents so far, of which those from `next_` on are still to be returned.
    std::vector<std::uint64_t> decoded_;
    std::size_t next_ = 0;
};

}  // namespace zarr::pco
