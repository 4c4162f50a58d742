// SPDX-License-Identifier: MIT
// Writes pco files in standalone format, readable by pcodec 0.3 and later. The mode is always
// "classic". Latents are written unchanged or as consecutive differences.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

inline constexpr unsigned kMaxOrder = 7;  // maximum order of differences between latents

struct EncoderOptions {
    unsigned level = 8;
    // order of differences between latents; nullopt: the encoder chooses
    std::optional<unsigned> order;
    std::size_t page_numbers = 1;  // maximum count of numbers in a page; pages have equal size
};

// Encodes the numbers in `decoded`, which have type `type` in the host's byte order, as a pco file
// in `encoded`.
void EncodeFile(ByteSpan decoded, const NumberType& type, const EncoderOptions& options,
                std::vector<std::uint8_t>& encoded);

}  // namespace zarr::pco
