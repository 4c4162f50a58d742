// SPDX-License-Identifier: MIT
// Writes files of pco, in its standalone format, that every version of pcodec since 0.3 reads.
// Their mode is always "classic", their delta encoding none or of consecutive numbers.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

inline constexpr unsigned kMostOrder = 7;  // of differences

struct EncoderOptions {
    unsigned level = 8;
    std::optional<unsigned> order;  // of differences; nullopt where it is chosen
    std::size_t page_numbers = 1;   // at most, of which there are as many in each page as can be
};

// Makes `encoded` the file of the numbers `decoded` of `type`, which are in the host's byte order.
void EncodeFile(ByteSpan decoded, const NumberType& type, const EncoderOptions& options,
                std::vector<std::uint8_t>& encoded);

}  // namespace zarr::pco
