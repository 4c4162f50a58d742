// SPDX-License-Identifier: MIT
// Chooses the codecs that make the chunks of a raster smallest.
#pragma once

#include <gdal_priv.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/dtype/data_type.h"
#include "driver/base/codec_options.h"

namespace zarr_driver {

// Shape of a raster's chunks.
struct RasterChunk {
    std::uint64_t bands = 1;
    std::uint64_t height = 1;
    std::uint64_t width = 1;
    bool is_interleaved = false;  // true if the bands of a pixel are side by side

    // Returns the sizes of the dimensions, slowest first.
    std::vector<std::uint64_t> Shape() const {
        if (is_interleaved) return {height, width, bands};
        return {bands, height, width};
    }
};

// A copy of a chunk of a raster, in C order and in the byte order of the host.
using ChunkSample = std::vector<std::uint8_t>;
using ChunkSamples = std::vector<ChunkSample>;

// Reads chunks at several positions in `source`, and converts the pixels to `dtype`. On failure,
// returns the chunks that were read before. Emits no errors.
ChunkSamples SampleChunks(GDALDataset& source, const zarr::DataType& dtype,
                          const RasterChunk& chunk);

struct EncodingChoice {
    std::size_t index = 0;  // index of the choice in the list of candidates
    double ratio = 1;       // encoded bytes divided by decoded bytes
};

// Encodes `samples` on all cores by each of `candidates`. Returns the candidate with the smallest
// encoded size. A later candidate must be smaller than the first by a few percent, because fewer
// programs can read their codecs.
//
// Returns nullopt if there are no samples, or no candidate can encode them.
std::optional<EncodingChoice> ChooseEncoding(const std::vector<CodecChoice>& candidates,
                                             const ChunkSamples& samples,
                                             const zarr::DataType& dtype, const RasterChunk& chunk);

}  // namespace zarr_driver
