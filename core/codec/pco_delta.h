// SPDX-License-Identifier: MIT
// Decodes the delta encodings of pco files. A pco file stores each number as one or two latents,
// which are unsigned integers. https://github.com/pcodec/pcodec/blob/main/docs/format.md, "Delta
// Encodings"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_latents.h"

namespace zarr::pco {

// Decodes the latents of one page from their differences. A page with n latents stores s states and
// n - s differences. For consecutive differences, the states are the start values of the
// differences of each order. For all other delta encodings, the states are the first s latents.
class DeltaDecoder {
  public:
    // `delta` must outlive this object. `bits` is the number of bits of a latent.
    DeltaDecoder(const Delta& delta, unsigned bits);

    // Reads the states at the beginning of the page.
    void ReadStates(BitReader& reader);

    // Decodes the next `count` latents in place. On entry, `latents` begins with `differences`
    // differences, which are fewer than `count` only at the end of a page. `lookback` has a
    // distance for each difference. Returns kCorrupt if a distance exceeds the window or the number
    // of previous latents.
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
    std::uint64_t middle_;  // stored difference that means 0
    // The next latent, followed by the next difference of the first order, of the second order, and
    // so on. Used by kConsecutive only.
    std::vector<std::uint64_t> moments_;
    // Decoded latents; the latents from index `next_` on are not returned yet. Used by all delta
    // encodings except kConsecutive.
    std::vector<std::uint64_t> decoded_;
    std::size_t next_ = 0;
};

}  // namespace zarr::pco
