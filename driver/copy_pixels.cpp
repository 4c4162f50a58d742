// SPDX-License-Identifier: MIT
#include "driver/copy_pixels.h"

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
#include "driver/band.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// True where chunks hold pixels of several bands, so that these are to be copied together.
bool HaveSharedChunks(ZarrDataset& dataset) {
    const RasterLayout& layout = dataset.Band(1)->array().layout;
    return std::any_of(layout.other_axes.begin(), layout.other_axes.end(),
                       [&](std::size_t axis) { return layout.facts.metadata.chunks[axis] > 1; });
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
            result_ = task();
            return;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            task_ = std::move(task);
        }
        changed_.notify_all();
    }

  private:
    void Work() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return is_closing_ || task_ != nullptr; });
            if (task_ == nullptr) return;
            lock.unlock();
            Status result = task_();  // which only this thread takes away
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
        type_ = band.GetRasterDataType();
        item_ = GDALGetDataTypeSizeBytes(type_);
        band.GetBlockSize(&block_x_, &block_y_);
        bands_at_once_ = HaveSharedChunks(to) ? to.GetRasterCount() : 1;
        ChooseSize();
    }

    bool Run(GDALProgressFunc progress, void* progress_data) {
        const int bands = to_.GetRasterCount();
        double done = 0;
        const double all = double{1} * bands * to_.GetRasterXSize() * to_.GetRasterYSize();
        const auto copy = [&](const Part& part) {
            if (!Copy(part)) return false;
            done += double{1} * bands_at_once_ * part.width * part.height;
            if (progress != nullptr && !progress(done / all, "", progress_data))
                return Emit({zarr::StatusCode::kCancelled, "the copy was cancelled"});
            return true;
        };
        for (int band = 1; band <= bands; band += bands_at_once_)
            if (!ForEachPart(band, copy)) return false;
        const Status status = worker_.Wait();
        return status.ok() || Emit(status);
    }

  private:
    struct Part {
        int band, x, y, width, height;
    };

    // Calls `copy` on the parts of a band, or of several at once, until it returns false. A chunk
    // that takes several parts has them one after the other, so that it is complete before the next
    // is begun.
    bool ForEachPart(int band, const std::function<bool(const Part&)>& copy) const {
        const std::int64_t wide = to_.GetRasterXSize();
        const std::int64_t high = to_.GetRasterYSize();
        const std::int64_t rows =
            std::max<std::int64_t>(height_, std::min<std::int64_t>(block_y_, high));
        for (std::int64_t top = 0; top < high; top += rows) {
            const std::int64_t bottom = std::min(top + rows, high);
            for (std::int64_t x = 0; x < wide; x += width_)
                for (std::int64_t y = top; y < bottom; y += height_)
                    if (!copy({band, static_cast<int>(x), static_cast<int>(y),
                               static_cast<int>(std::min<std::int64_t>(width_, wide - x)),
                               static_cast<int>(std::min<std::int64_t>(height_, bottom - y))}))
                        return false;
        }
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
            static_cast<std::size_t>(part.height) * static_cast<std::size_t>(bands_at_once_);
        if (const Status status = buffer.Reset(size); !status.ok()) return Emit(status);
        std::vector<int> numbers(static_cast<std::size_t>(bands_at_once_));
        std::iota(numbers.begin(), numbers.end(), part.band);
        const GSpacing line = GSpacing{item_} * part.width;
        if (from_.RasterIO(GF_Read, part.x, part.y, part.width, part.height, buffer.data(),
                           part.width, part.height, type_, bands_at_once_, numbers.data(), item_,
                           line, line * part.height, nullptr) != CE_None)
            return false;
        if (const Status status = worker_.Wait(); !status.ok()) return Emit(status);
        worker_.Start([this, part, data = buffer.data()] { return StorePart(part, data); });
        return true;
    }

    Status StorePart(const Part& part, const std::uint8_t* data) const {
        const GSpacing line = GSpacing{item_} * part.width;
        for (int i = 0; i < bands_at_once_; ++i) {
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
