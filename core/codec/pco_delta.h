// SPDX-License-Identifier: MIT
// Decodes the delta encodings of pco files. A latent is an unsigned integer; one or two latents
// encode a number. https://github.com/pcodec/pcodec/blob/main/docs/format.md, "Delta Encodings"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/codec/pco_latents.h"

namespace zarr::pco {

// Decodes the latents of one page from start values ("states") and differences. For consecutive
// differences, each order of differences has one state. For other delta encodings, the states are
// the first latents.
class DeltaDecoder {
  public:
    // `delta` must outlive this object. A latent has `bits` bits.
    DeltaDecoder(const Delta& delta, unsigned bits);

    // Reads the states of one page, from which Decode() starts.
    void ReadStates(BitReader& reader);

    // Decodes the next `count` latents in place. `latents` begins with `differences` differences,
    // fewer than `count` only at the end of a page. Returns kCorrupt if a distance in `lookback`
    // goes beyond the window or the first latent.
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
    std::uint64_t middle_;  // a stored difference of this value means 0
    // For kConsecutive only: the next latent, then its next difference of order 1, 2, and so on.
    std::vector<std::uint64_t> moments_;
    // For all other delta encodings: decoded latents. Those from index `next_` on are not returned
    // yet.
    std::vector<std::uint64_t> decoded_;
    std::size_t next_ = 0;
};

}  // namespace zarr::pco
