// SPDX-License-Identifier: MIT
#include "driver/create/pixel_copy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <new>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "core/array/region_reader.h"
#include "core/base/bytes.h"
#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "driver/base/gdal_errors.h"
#include "driver/raster/band.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Returns the number of bands that are copied together because they share chunks. It is determined
// by the slowest dimension along which a chunk has several indices.
int BandsPerPart(ZarrDataset& dataset) {
    const RasterLayout& layout = dataset.Band(1)->array().layout();
    const std::vector<std::uint64_t>& chunks = layout.facts.metadata.chunks;
    // number of bands for each index along `axis`
    auto faster = static_cast<std::uint64_t>(dataset.GetRasterCount());
    for (const std::size_t axis : layout.other_axes) {
        const std::uint64_t size = layout.facts.dimensions[axis].size;
        faster /= std::max<std::uint64_t>(size, 1);
        if (chunks[axis] > 1) return static_cast<int>(std::min(size, chunks[axis]) * faster);
    }
    return 1;
}

// Returns the number of rows of a chunk, or of a shard if the array has shards.
int RowsOfValues(ZarrDataset& dataset) {
    const RasterLayout& layout = dataset.Band(1)->array().layout();
    const zarr::ArrayMetadata& metadata = layout.facts.metadata;
    const auto& sides = metadata.shards.empty() ? metadata.chunks : metadata.shards[0].shape;
    const std::uint64_t rows = layout.y_axis ? sides[*layout.y_axis] : 1;
    return static_cast<int>(
        std::clamp<std::uint64_t>(rows, 1, static_cast<std::uint64_t>(dataset.GetRasterYSize())));
}

// Copies pixels in parts. While one part is read, another thread encodes and stores the previous
// part.
class Copier {
  public:
    Copier(GDALDataset& from, ZarrDataset& to, CopyPosition start, const CopyCheckpoint& checkpoint)
        : from_(from), to_(to), start_(start), checkpoint_(checkpoint) {
        ZarrRasterBand& band = *to.Band(1);
        type_ = band.CopyDataType();
        item_ = GDALGetDataTypeSizeBytes(type_);
        band.GetBlockSize(&block_x_, &block_y_);
        bands_ = to.GetRasterCount();
        bands_at_once_ = BandsPerPart(to);
        rows_of_values_ = RowsOfValues(to);
        ChooseSize();
    }

    bool Run(GDALProgressFunc progress, void* progress_data) {
        const double all = PixelsBefore({bands_ + 1, 0});
        double done = PixelsBefore(start_);
        const auto copy = [&](const Part& part) {
            if (!PassCheckpoint() || !Copy(part)) return false;
            done += double{1} * part.bands * part.width * part.height;
            if (progress != nullptr && !progress(done / all, "", progress_data))
                return Emit({zarr::StatusCode::kCancelled, "the copy was cancelled"});
            return true;
        };
        if (!ForEachPart(copy)) return false;
        const Status status = StorePending();
        return status.ok() || Emit(status);
    }

  private:
    // A window of pixels in several bands: `bands` bands, starting with band number `band`.
    struct Part {
        int band, bands, x, y, width, height;
    };
    using PartFunction = std::function<bool(const Part&)>;
    struct Pending {
        Part part{};
        const std::uint8_t* data = nullptr;  // pixels in buffers_; nullptr if no part is pending
    };

    // Calls `copy` for one part after another, until `copy` returns false. All parts of a chunk
    // follow each other, so that a chunk is complete before the next one begins.
    bool ForEachPart(const PartFunction& copy) const {
        const std::int64_t high = to_.GetRasterYSize();
        const std::int64_t rows =
            std::max<std::int64_t>(height_, std::min<std::int64_t>(block_y_, high));
        for (int band = start_.band; band <= bands_; band += bands_at_once_)
            for (std::int64_t top = band == start_.band ? start_.row : 0; top < high; top += rows)
                if (!ForEachPartOf(band, top, std::min(top + rows, high), copy)) return false;
        return true;
    }

    double PixelsBefore(CopyPosition position) const {
        const double whole_bands = double{1} * (position.band - 1) * to_.GetRasterYSize();
        const double rows = double{1} * position.row *
                            std::max(0, std::min(bands_at_once_, bands_ - position.band + 1));
        return (whole_bands + rows) * to_.GetRasterXSize();
    }

    // Calls `checkpoint_` if the pending part is at the start of a row of chunks or shards. All
    // parts before the pending part have been written. Returns false if `checkpoint_` fails.
    bool PassCheckpoint() const {
        const Part& part = to_store_.part;
        if (!checkpoint_ || to_store_.data == nullptr || part.x != 0) return true;
        if (part.y % rows_of_values_ != 0) return true;
        const Status status = checkpoint_({part.band, part.y});
        return status.ok() || Emit(status);
    }

    // Calls `copy` for each part of `band`, and of the bands that are copied together with `band`.
    // The parts are in the rows from `top` (inclusive) to `bottom` (exclusive). Stops if `copy`
    // returns false.
    bool ForEachPartOf(int band, std::int64_t top, std::int64_t bottom,
                       const PartFunction& copy) const {
        const std::int64_t wide = to_.GetRasterXSize();
        const int bands = std::min(bands_at_once_, bands_ - band + 1);
        for (std::int64_t x = 0; x < wide; x += width_)
            for (std::int64_t y = top; y < bottom; y += height_)
                if (!copy({band, bands, static_cast<int>(x), static_cast<int>(y),
                           static_cast<int>(std::min<std::int64_t>(width_, wide - x)),
                           static_cast<int>(std::min<std::int64_t>(height_, bottom - y))}))
                    return false;
        return true;
    }

    bool Emit(const Status& status) const {
        EmitError(to_.store_path(), status);
        return false;
    }

    // Returns the maximum size of a part in bytes. For a remote store, a part is larger, so that
    // many chunks can be stored in parallel.
    GIntBig MostBytes() const {
        constexpr std::size_t kNear = std::size_t{16} << 20;
        constexpr std::size_t kFar = std::size_t{64} << 20;
        const zarr::Array& array = *to_.Band(1)->array().elements();
        const std::size_t chunks = zarr::MaxConcurrentChunks(array, 1);
        const std::size_t bytes = zarr::SaturatingMul(chunks, array.layouts().largest().bytes());
        return static_cast<GIntBig>(chunks > 1 ? std::clamp(bytes, kNear, kFar) : kNear);
    }

    // Returns the height of a part, as a number of rows of chunks, at most `most`. The height is a
    // multiple or a divisor of the height of a shard, so that parts end where shards end.
    GIntBig RowsAtOnce(GIntBig most) const {
        const GIntBig per_shard = std::max(1, rows_of_values_ / std::max(1, block_y_));
        if (most >= per_shard) return most - most % per_shard;
        while (per_shard % most != 0) --most;
        return most;
    }

    // Chooses the size of a part. If a row of chunks fits into a buffer, a part is several rows of
    // chunks; otherwise it is a piece of a row of chunks.
    void ChooseSize() {
        constexpr GIntBig kLeast = GIntBig{4} << 20;
        const GIntBig bytes = std::clamp(GDALGetCacheMax64() / 8, kLeast, MostBytes());
        const GIntBig pixels = std::max<GIntBig>(1, bytes / item_ / bands_at_once_);
        const GIntBig wide = to_.GetRasterXSize();
        const GIntBig high = to_.GetRasterYSize();
        const GIntBig row = std::min<GIntBig>(block_y_, high);
        if (wide * row <= pixels) {
            width_ = static_cast<int>(wide);
            height_ = static_cast<int>(std::min(high, row * RowsAtOnce(pixels / (wide * row))));
            return;
        }
        const GIntBig column = std::min<GIntBig>(block_x_, wide);
        height_ = static_cast<int>(std::clamp<GIntBig>(pixels / column, 1, row));
        width_ = static_cast<int>(std::clamp<GIntBig>(pixels / height_ / column * column, 1, wide));
    }

    bool Copy(const Part& part) {
        zarr::Buffer& buffer = buffers_[next_buffer_++ % buffers_.size()];
        const std::size_t size =
            static_cast<std::size_t>(item_) * static_cast<std::size_t>(part.width) *
            static_cast<std::size_t>(part.height) * static_cast<std::size_t>(part.bands);
        if (const Status status = buffer.Reset(size); !status.ok()) return Emit(status);
        std::vector<int> numbers(static_cast<std::size_t>(part.bands));
        std::iota(numbers.begin(), numbers.end(), part.band);
        const bool is_read = ReadWhileStoring(part, buffer.data(), numbers);
        if (!stored_.ok()) return Emit(std::exchange(stored_, {}));
        if (!is_read) return false;
        to_store_ = {part, buffer.data()};
        return true;
    }

    // Reads a part on the calling thread, so that errors of the source are emitted there. Meanwhile
    // a thread of the thread pool encodes and stores the previous part. If no thread is free, the
    // calling thread stores the previous part after reading.
    bool ReadWhileStoring(const Part& part, std::uint8_t* data, std::vector<int>& bands) {
        const std::thread::id caller = std::this_thread::get_id();
        bool is_read = false;
        const std::function<void()> read_or_store = [&] {
            if (std::this_thread::get_id() == caller)
                is_read = Read(part, data, bands);
            else
                stored_ = StorePending();
        };
        zarr::WorkerPool::Instance().Run(to_store_.data != nullptr ? 1 : 0, read_or_store);
        if (to_store_.data != nullptr) stored_ = StorePending();
        return is_read;
    }

    bool Read(const Part& part, std::uint8_t* data, std::vector<int>& bands) {
        const GSpacing line = GSpacing{item_} * part.width;
        return from_.RasterIO(GF_Read, part.x, part.y, part.width, part.height, data, part.width,
                              part.height, type_, part.bands, bands.data(), item_, line,
                              line * part.height, nullptr) == CE_None;
    }

    // Stores the part that was read last, if it is not stored yet.
    Status StorePending() {
        const Pending pending = std::exchange(to_store_, {});
        if (pending.data == nullptr) return {};
        try {
            return StorePart(pending.part, pending.data);
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("out of memory");
        }
    }

    Status StorePart(const Part& part, const std::uint8_t* data) const {
        const GSpacing line = GSpacing{item_} * part.width;
        for (int i = 0; i < part.bands; ++i) {
            const std::uint8_t* const from = data + line * part.height * i;
            ZARR_RETURN_IF_ERROR(to_.Band(part.band + i)
                                     ->pixels()
                                     .Write({part.x, part.y, part.width, part.height}, from,
                                            {type_, item_, line, 0}));
        }
        return {};
    }

    GDALDataset& from_;
    ZarrDataset& to_;
    const CopyPosition start_;
    const CopyCheckpoint& checkpoint_;
    GDALDataType type_ = GDT_Unknown;
    int item_ = 1;
    int block_x_ = 1;
    int block_y_ = 1;
    int bands_ = 1;
    int bands_at_once_ = 1;
    int rows_of_values_ = 1;  // rows of a chunk or shard, which is stored under one key
    int width_ = 1;
    int height_ = 1;
    std::size_t next_buffer_ = 0;
    std::array<zarr::Buffer, 2>
        buffers_;  // one is filled by a read while the other is being stored
    Pending to_store_;
    Status stored_;  // status of storing the previous part
};

}  // namespace

bool CopyPixels(GDALDataset& from, ZarrDataset& to, CopyPosition start,
                const CopyCheckpoint& checkpoint, GDALProgressFunc progress, void* progress_data) {
    return Copier(from, to, start, checkpoint).Run(progress, progress_data);
}

}  // namespace zarr_driver
