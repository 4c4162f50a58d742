// SPDX-License-Identifier: MIT
#include "driver/create/copy_pixels.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "driver/base/report.h"
#include "driver/raster/band.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// How many bands are to be copied together, as chunks hold pixels of them all: where bands are of
// one axis those of a chunk, else all.
int BandsAtOnce(ZarrDataset& dataset) {
    const RasterLayout& layout = dataset.Band(1)->array().layout;
    const std::vector<std::uint64_t>& chunks = layout.facts.metadata.chunks;
    const auto bands = static_cast<std::uint64_t>(dataset.GetRasterCount());
    if (layout.other_axes.size() == 1)
        return static_cast<int>(std::min(bands, chunks[layout.other_axes.front()]));
    const bool have_shared = std::any_of(layout.other_axes.begin(), layout.other_axes.end(),
                                         [&](std::size_t axis) { return chunks[axis] > 1; });
    return have_shared ? static_cast<int>(bands) : 1;
}

// Runs one task after another on a thread of its own, the same for all, as what encodes keeps its
// memory by thread. Where no thread is to be had, on the caller's.
class Worker {
  public:
    Worker() {
        try {
            thread_ = std::thread([this] { Work(); });
        } catch (const std::system_error&) {
            // As said above.
        }
    }
    ~Worker() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            is_closing_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Returns what the last task came to, which is over then; ok where there was none.
    Status Wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return task_ == nullptr; });
        return std::exchange(result_, Status());
    }

    // After Wait().
    void Start(std::function<Status()> task) {
        if (!thread_.joinable()) {
            result_ = Run(task);
            return;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            task_ = std::move(task);
        }
        changed_.notify_all();
    }

  private:
    static Status Run(const std::function<Status()>& task) {
        try {
            return task();
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("out of memory");
        }
    }

    void Work() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return is_closing_ || task_ != nullptr; });
            if (task_ == nullptr) return;
            lock.unlock();
            Status result = Run(task_);  // which only this thread takes away
            lock.lock();
            task_ = nullptr;
            result_ = std::move(result);
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<Status()> task_;
    Status result_;
    bool is_closing_ = false;
    std::thread thread_;
};

class Copier {
  public:
    Copier(GDALDataset& from, ZarrDataset& to) : from_(from), to_(to) {
        ZarrRasterBand& band = *to.Band(1);
        type_ = band.TypeOfCopies();
        item_ = GDALGetDataTypeSizeBytes(type_);
        band.GetBlockSize(&block_x_, &block_y_);
        bands_ = to.GetRasterCount();
        bands_at_once_ = BandsAtOnce(to);
        ChooseSize();
    }

    bool Run(GDALProgressFunc progress, void* progress_data) {
        double done = 0;
        const double all = double{1} * bands_ * to_.GetRasterXSize() * to_.GetRasterYSize();
        const auto copy = [&](const Part& part) {
            if (!Copy(part)) return false;
            done += double{1} * part.bands * part.width * part.height;
            if (progress != nullptr && !progress(done / all, "", progress_data))
                return Emit({zarr::StatusCode::kCancelled, "the copy was cancelled"});
            return true;
        };
        if (!ForEachPart(copy)) return false;
        const Status status = worker_.Wait();
        return status.ok() || Emit(status);
    }

  private:
    // `bands` of them from `band`, and rows from `y`.
    struct Part {
        int band, bands, x, y, width, height;
    };
    using PartFunction = std::function<bool(const Part&)>;

    // Calls `copy` on the parts of all bands until it returns false. A chunk that takes several
    // parts has them one after the other, so that it is complete before the next is begun.
    bool ForEachPart(const PartFunction& copy) const {
        const std::int64_t high = to_.GetRasterYSize();
        const std::int64_t rows =
            std::max<std::int64_t>(height_, std::min<std::int64_t>(block_y_, high));
        for (int band = 1; band <= bands_; band += bands_at_once_)
            for (std::int64_t top = 0; top < high; top += rows)
                if (!ForEachPartOf(band, top, std::min(top + rows, high), copy)) return false;
        return true;
    }

    // Of bands that are copied together, the rows from `top` to below `bottom`.
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

    // Whole rows of chunks, or where these are large whole chunks, as many as two buffers may hold.
    void ChooseSize() {
        constexpr GIntBig kMost = GIntBig{16} << 20;
        constexpr GIntBig kLeast = GIntBig{4} << 20;
        const GIntBig bytes = std::clamp(GDALGetCacheMax64() / 8, kLeast, kMost);
        const GIntBig pixels = std::max<GIntBig>(1, bytes / item_ / bands_at_once_);
        const GIntBig wide = to_.GetRasterXSize();
        const GIntBig high = to_.GetRasterYSize();
        const GIntBig row = std::min<GIntBig>(block_y_, high);
        if (wide * row <= pixels) {
            width_ = static_cast<int>(wide);
            height_ = static_cast<int>(std::min(high, pixels / (wide * row) * row));
            return;
        }
        const GIntBig column = std::min<GIntBig>(block_x_, wide);
        height_ = static_cast<int>(std::clamp<GIntBig>(pixels / column, 1, row));
        width_ = static_cast<int>(std::clamp<GIntBig>(pixels / height_ / column * column, 1, wide));
    }

    bool Copy(const Part& part) {
        zarr::Buffer& buffer = buffers_[turn_++ % buffers_.size()];
        const std::size_t size =
            static_cast<std::size_t>(item_) * static_cast<std::size_t>(part.width) *
            static_cast<std::size_t>(part.height) * static_cast<std::size_t>(part.bands);
        if (const Status status = buffer.Reset(size); !status.ok()) return Emit(status);
        std::vector<int> numbers(static_cast<std::size_t>(part.bands));
        std::iota(numbers.begin(), numbers.end(), part.band);
        const GSpacing line = GSpacing{item_} * part.width;
        if (from_.RasterIO(GF_Read, part.x, part.y, part.width, part.height, buffer.data(),
                           part.width, part.height, type_, part.bands, numbers.data(), item_, line,
                           line * part.height, nullptr) != CE_None)
            return false;
        if (const Status status = worker_.Wait(); !status.ok()) return Emit(status);
        worker_.Start([this, part, data = buffer.data()] { return StorePart(part, data); });
        return true;
    }

    Status StorePart(const Part& part, const std::uint8_t* data) const {
        const GSpacing line = GSpacing{item_} * part.width;
        for (int i = 0; i < part.bands; ++i) {
            ZarrRasterBand::Window window{};
            window.x_off = part.x;
            window.y_off = part.y;
            window.x_size = part.width;
            window.y_size = part.height;
            ZARR_RETURN_IF_ERROR(
                to_.Band(part.band + i)
                    ->Store(window, data + line * part.height * i, type_, item_, line, 0));
        }
        return {};
    }

    GDALDataset& from_;
    ZarrDataset& to_;
    GDALDataType type_ = GDT_Unknown;
    int item_ = 1;
    int block_x_ = 1;
    int block_y_ = 1;
    int bands_ = 1;
    int bands_at_once_ = 1;
    int width_ = 1;
    int height_ = 1;
    std::size_t turn_ = 0;
    std::array<zarr::Buffer, 2> buffers_;  // one is filled while the other is stored
    Worker worker_;                        // ends before they do
};

}  // namespace

bool CopyPixels(GDALDataset& from, ZarrDataset& to, GDALProgressFunc progress,
                void* progress_data) {
    return Copier(from, to).Run(progress, progress_data);
}

}  // namespace zarr_driver
