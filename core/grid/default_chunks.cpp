// SPDX-License-Identifier: MIT
#include "core/grid/default_chunks.h"

#include <algorithm>

#include "core/base/checked.h"

namespace zarr {

namespace {

bool Fits(const std::vector<std::uint64_t>& chunks, std::size_t element_size) {
    std::uint64_t bytes = element_size;
    for (const std::uint64_t size : chunks) {
        const auto product = CheckedMul(bytes, size);
        if (!product) return false;
        bytes = *product;
    }
    return bytes <= kDefaultChunkBytes;
}

}  // namespace

std::vector<std::uint64_t> DefaultChunks(const std::vector<std::uint64_t>& shape,
                                         std::size_t element_size) {
    std::vector<std::uint64_t> chunks = shape;
    for (std::uint64_t& size : chunks) size = std::max<std::uint64_t>(size, 1);
    while (!Fits(chunks, element_size)) {
        // Of equal sides the first: the last ones are walked along in memory.
        const auto longest = std::max_element(chunks.begin(), chunks.end());
        if (longest == chunks.end() || *longest == 1) break;
        *longest = CeilDiv(*longest, 2);
    }
    return chunks;
}

}  // namespace zarr
