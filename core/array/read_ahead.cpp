// SPDX-License-Identifier: MIT
#include "core/array/read_ahead.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "core/array/array.h"
#include "core/base/completion.h"
#include "core/base/thread_pool.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

// Returns the only dimension in which two regions differ. Returns nullopt if they differ in several
// dimensions or in none, or if one of the regions has a step that is not 1.
std::optional<std::size_t> OnlyDifference(const Region& a, const Region& b) {
    std::optional<std::size_t> along;
    for (std::size_t i = 0; i < a.start.size(); ++i) {
        if (a.step[i] != 1 || b.step[i] != 1) return std::nullopt;
        if (a.start[i] == b.start[i] && a.count[i] == b.count[i]) continue;
        if (along) return std::nullopt;
        along = i;
    }
    return along;
}

// Interval [begin, end) of a region along one dimension.
struct Extent {
    Extent(const Region& region, std::size_t along)
        : begin(region.start[along]), end(begin + region.count[along]) {}

    std::uint64_t begin;
    std::uint64_t end;
};

// Extends `a` to the union of `a` and `b`, and returns true. Returns false and leaves `a` unchanged
// if the union is not a region. It is a region if `a` and `b` differ in one dimension only, and
// touch or overlap there.
bool Join(Region& a, const Region& b) {
    const auto along = OnlyDifference(a, b);
    if (!along) return false;
    const Extent one(a, *along);
    const Extent other(b, *along);
    if (std::max(one.begin, other.begin) > std::min(one.end, other.end)) return false;
    a.start[*along] = std::min(one.begin, other.begin);
    a.count[*along] = std::max(one.end, other.end) - a.start[*along];
    return true;
}

// Removes from `region` the part that is also in `before`. Does nothing if the two regions differ
// in several dimensions.
void CutOff(Region& region, const Region& before) {
    const auto along = OnlyDifference(region, before);
    if (!along) return;
    const Extent own(region, *along);
    const Extent other(before, *along);
    if (other.begin <= own.begin && own.begin < other.end && other.end < own.end) {
        region.start[*along] = other.end;
        region.count[*along] = own.end - other.end;
    } else if (own.begin < other.begin && other.begin < own.end && own.end <= other.end) {
        region.count[*along] = other.begin - own.begin;
    }
}

}  // namespace

ReadAhead::ReadAhead(const Array& array) : array_(array), loads_(array.store()->Traits().remote) {}

ReadAhead::~ReadAhead() {
    is_ending_ = true;
    std::vector<std::shared_ptr<Completion>> running;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        running.swap(running_);
    }
    for (const auto& batch : running) batch->Wait();
}

std::size_t ReadAhead::MostBytes() const {
    return std::min(tuning::kAheadBytes,
                    array_.context().cache().max_bytes() / tuning::kAheadShare);
}

std::size_t ReadAhead::RunningLocked() {
    running_.erase(std::remove_if(running_.begin(), running_.end(),
                                  [](const auto& batch) { return batch->HasEnded(); }),
                   running_.end());
    return running_.size();
}

std::vector<Region> ReadAhead::TakeNextLocked(const Region& last) {
    const std::size_t most_chunks = array_.store()->Traits().concurrent_reads;
    const std::size_t most_bytes = MostBytes() / tuning::kBatchesPerSequence;
    const std::size_t chunk_bytes = std::max<std::size_t>(array_.layouts().largest().bytes(), 1);
    if (ahead_ >= tuning::kBatchesPerSequence * tuning::kAheadRegions) return {};
    const std::vector<Region> all =
        sequence_.Next(ahead_ + tuning::kAheadRegions, array_.metadata().shape);
    std::vector<Region> batch;
    std::size_t end = std::min(ahead_, all.size());
    std::uint64_t bytes = 0;
    while (end < all.size()) {
        Region next = all[end];
        if (batch.empty()) CutOff(next, end == 0 ? last : all[end - 1]);
        Region joined = batch.empty() ? next : batch.back();
        const bool is_joined = !batch.empty() && Join(joined, next);
        const std::uint64_t before = is_joined ? array_.DecodedBytes(batch.back()) : 0;
        const std::uint64_t after = array_.DecodedBytes(is_joined ? joined : next);
        const std::uint64_t more = bytes - before + after;
        if (more > most_bytes || (bytes != 0 && more / chunk_bytes > most_chunks)) break;
        bytes = more;
        if (is_joined)
            batch.back() = joined;
        else
            batch.push_back(next);
        ++end;
    }
    ahead_ = end;
    return batch;
}

bool ReadAhead::StaysInChunkLocked(const Region& last) const {
    const std::vector<Region> next = sequence_.Next(1, array_.metadata().shape);
    if (next.empty()) return false;
    const std::vector<GridAxis>& axes = array_.layouts().grid();
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i].ChunkOf(last.start[i]) != axes[i].ChunkOf(next[0].start[i])) return false;
    return true;
}

bool ReadAhead::Note(const Region& region, std::size_t threads) {
    bool stays = false;
    try {
        std::vector<Region> next;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!sequence_.Note(region)) {
                ahead_ = 0;
                return false;
            }
            stays = StaysInChunkLocked(region);
            if (!loads_) return stays;
            if (ahead_ > 0) --ahead_;
            if (RunningLocked() >= tuning::kBatchesPerSequence) return stays;
            next = TakeNextLocked(region);
        }
        if (!next.empty()) Start(std::move(next), threads);
    } catch (const std::bad_alloc&) {
        // Memory has run out. Nothing is loaded ahead, but the read itself continues.
    }
    return stays;
}

void ReadAhead::Load(const Region& region, std::size_t threads) {
    if (!loads_ || array_.DecodedBytes(region) > MostBytes()) return;
    try {
        Start({region}, threads);
    } catch (const std::bad_alloc&) {
        // Memory has run out: nothing is loaded ahead.
    }
}

void ReadAhead::Start(std::vector<Region> regions, std::size_t threads) {
    const auto batch = std::make_shared<Completion>();
    std::function<void()> load = [this, batch, threads, regions = std::move(regions)] {
        LoadAll(regions, threads);
        batch->End();
    };
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (RunningLocked() >= tuning::kAheadBatches) return;
        running_.push_back(batch);
    }
    bool is_started = false;
    try {
        is_started = WorkerPool::Instance().Start(std::move(load));
    } catch (const std::bad_alloc&) {
        // Memory has run out: nothing is loaded ahead.
    }
    if (!is_started) batch->End();
}

void ReadAhead::LoadAll(const std::vector<Region>& regions, std::size_t threads) const {
    NoThrow([&] {
        // A failure to load a region is ignored, so that the other regions are loaded nevertheless.
        static_cast<void>(ParallelFor(regions.size(), array_.store()->Traits().concurrent_reads,
                                      [&](std::size_t i) -> Status {
                                          if (!is_ending_)
                                              static_cast<void>(
                                                  array_.Preload(regions[i], threads));
                                          return {};
                                      }));
    });
}

}  // namespace zarr
