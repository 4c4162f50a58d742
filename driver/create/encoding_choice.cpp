// SPDX-License-Identifier: MIT
#include "driver/create/encoding_choice.h"

#include <algorithm>
#include <new>
#include <string>

#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "core/codec/pipeline.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/gdal_types.h"

namespace zarr_driver {

namespace {

// Positions of the samples, as fractions of width and height. They are spread over the raster, so
// that the samples show different parts of the scene.
constexpr double kPlaces[][2] = {{0.5, 0.5}, {0.2, 0.7}, {0.75, 0.25}};
// Maximum size of a sample in bytes. Samples are read before any pixel is copied, so reading them
// must be fast.
constexpr std::uint64_t kMaxSampleBytes = std::uint64_t{16} << 20;
// A later candidate is chosen only if its size is below this fraction of the first candidate's
// size.
constexpr double kWorthwhile = 0.97;

// Returns the position of a sample along an axis of `size` pixels. It is the start of a chunk of
// `count` pixels, at the fraction `place` of the axis.
int StartOf(double place, int size, std::uint64_t count) {
    const auto step = static_cast<int>(count);
    const int start = static_cast<int>(place * size) / step * step;
    return std::max(0, std::min(start, size - step));
}

// Returns the encoded size of a sample in bytes. Returns nullopt if the candidate's codecs cannot
// encode the sample.
std::optional<std::size_t> EncodedBytes(const CodecChoice& candidate, const ChunkSample& sample,
                                        const zarr::CodecContext& context) {
    const auto codecs = MakeCodecSpecs(candidate, context.dtype);
    if (!codecs.ok()) return std::nullopt;
    const auto pipeline = zarr::Pipeline::Bind(*codecs, context);
    if (!pipeline.ok()) return std::nullopt;
    zarr::PipelineScratch scratch;
    const auto encoded = pipeline->Encode(zarr::ByteSpan(sample.data(), sample.size()), scratch);
    return encoded.ok() ? std::optional(encoded->size) : std::nullopt;
}

}  // namespace

ChunkSamples SampleChunks(GDALDataset& source, const zarr::DataType& dtype,
                          const RasterChunk& chunk) {
    ChunkSamples samples;
    const std::uint64_t pixels =
        zarr::SaturatingMul(zarr::SaturatingMul(chunk.bands, chunk.height), chunk.width);
    const std::uint64_t bytes = zarr::SaturatingMul(pixels, dtype.size);
    if (bytes == 0 || bytes > kMaxSampleBytes) return samples;
    const GDALDataType type = GdalTypeOf(dtype);
    if (GDALGetDataTypeSizeBytes(type) != static_cast<int>(dtype.size)) return samples;
    std::vector<int> bands;
    for (std::uint64_t i = 1; i <= chunk.bands; ++i) bands.push_back(static_cast<int>(i));
    const auto element = static_cast<GSpacing>(dtype.size);
    const GSpacing pixel = chunk.is_interleaved ? element * GSpacing(chunk.bands) : element;
    const GSpacing line = pixel * static_cast<GSpacing>(chunk.width);
    const GSpacing band =
        chunk.is_interleaved ? element : line * static_cast<GSpacing>(chunk.height);
    const QuietErrors quiet;
    for (const auto& [x, y] : kPlaces) {
        const int left = StartOf(x, source.GetRasterXSize(), chunk.width);
        const int top = StartOf(y, source.GetRasterYSize(), chunk.height);
        try {
            ChunkSample sample(static_cast<std::size_t>(bytes));
            if (source.RasterIO(GF_Read, left, top, static_cast<int>(chunk.width),
                                static_cast<int>(chunk.height), sample.data(),
                                static_cast<int>(chunk.width), static_cast<int>(chunk.height), type,
                                static_cast<int>(bands.size()), bands.data(), pixel, line, band,
                                nullptr) != CE_None)
                return samples;
            if (std::find(samples.begin(), samples.end(), sample) == samples.end())
                samples.push_back(std::move(sample));
        } catch (const std::bad_alloc&) {
            return samples;
        }
    }
    return samples;
}

std::optional<EncodingChoice> ChooseEncoding(const std::vector<CodecChoice>& candidates,
                                             const ChunkSamples& samples,
                                             const zarr::DataType& dtype,
                                             const RasterChunk& chunk) {
    std::size_t decoded = 0;
    for (const ChunkSample& sample : samples) decoded += sample.size();
    if (decoded == 0) return std::nullopt;
    zarr::CodecContext context;
    context.dtype = dtype;
    context.chunk_shape = chunk.Shape();
    std::vector<std::optional<std::size_t>> sizes(candidates.size() * samples.size());
    const zarr::Status status =
        zarr::ParallelFor(sizes.size(), sizes.size(), [&](std::size_t i) -> zarr::Status {
            sizes[i] =
                EncodedBytes(candidates[i / samples.size()], samples[i % samples.size()], context);
            return {};
        });
    if (!status.ok()) return std::nullopt;
    std::optional<EncodingChoice> first;
    std::optional<EncodingChoice> smallest;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(i * samples.size());
        const auto end = begin + static_cast<std::ptrdiff_t>(samples.size());
        if (std::count(begin, end, std::nullopt) != 0) continue;
        std::size_t bytes = 0;
        for (auto size = begin; size != end; ++size) bytes += **size;
        const double ratio = static_cast<double>(bytes) / static_cast<double>(decoded);
        if (!smallest || ratio < smallest->ratio) smallest = EncodingChoice{i, ratio};
        if (!first) first = smallest;
    }
    const bool is_worthwhile = smallest && smallest->ratio < kWorthwhile * first->ratio;
    return is_worthwhile ? smallest : first;
}

}  // namespace zarr_driver
