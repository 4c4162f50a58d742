// SPDX-License-Identifier: MIT
#include "core/array/read_ahead.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/array/array.h"
#include "core/base/thread_pool.h"

namespace zarr {

namespace {

// Regions of one batch at most, as where hundreds of rows lie in one chunk.
constexpr std::size_t kMostRegions = 256;

// The least region that holds two, where that is no more than both: where they differ along one
// dimension, and touch.
bool Join(Region& a, const Region& b) {
    std::size_t along = a.start.size();
    for (std::size_t i = 0; i < a.start.size(); ++i) {
        if (a.step[i] != 1 || b.step[i] != 1) return false;
        if (a.start[i] == b.start[i] && a.count[i] == b.count[i]) continue;
        if (along != a.start.size()) return false;
        along = i;
    }
    if (along == a.start.size()) return true;
    const std::uint64_t begin = std::min(a.start[along], b.start[along]);
    const std::uint64_t a_end = a.start[along] + a.count[along];
    const std::uint64_t b_end = b.start[along] + b.count[along];
    if (std::max(a.start[along], b.start[along]) > std::min(a_end, b_end)) return false;
    a.start[along] = begin;
    a.count[along] = std::max(a_end, b_end) - begin;
    return true;
}

// Takes away what lies in `before`, where the two differ along one dimension.
void CutOff(Region& region, const Region& before) {
    std::size_t along = region.start.size();
    for (std::size_t i = 0; i < region.start.size(); ++i) {
        if (region.step[i] != 1 || before.step[i] != 1) return;
        if (region.start[i] == before.start[i] && region.count[i] == before.count[i]) continue;
        if (along != region.start.size()) return;
        along = i;
    }
    if (along == region.start.size()) return;
    const std::uint64_t begin = region.start[along];
    const std::uint64_t end = begin + region.count[along];
    const std::uint64_t other_begin = before.start[along];
    const std::uint64_t other_end = other_begin + before.count[along];
    if (other_begin <= begin && begin < other_end && other_end < end) {
        region.start[along] = other_end;
        region.count[along] = end - other_end;
    } else if (begin < other_begin && other_begin < end && end <= other_end) {
        region.count[along] = other_begin - begin;
    }
}

}  // namespace

ReadAhead::~ReadAhead() {
    is_ending_ = true;
    std::vector<std::shared_ptr<Completion>> running;
    {
        const std::lock_guard<Mutex> lock(mutex_);
        running.swap(running_);
    }
    for (const auto& batch : running)
        if (batch->IsOfThisProcess()) batch->Wait();
}

std::size_t ReadAhead::MostBytes() const {
    constexpr std::size_t kShareOfCache = 4;
    return std::min(kMostBytes, array_.context().cache().max_bytes() / kShareOfCache);
}

bool ReadAhead::IsBusyLocked() {
    running_.erase(std::remove_if(running_.begin(), running_.end(),
                                  [](const auto& batch) {
                                      return !batch->IsOfThisProcess() || batch->HasEnded();
                                  }),
                   running_.end());
    return running_.size() >= kBatches;
}

std::vector<Region> ReadAhead::TakeNextLocked(const Region& last) {
    const std::size_t most_chunks = array_.store()->ReadsAtOnce();
    const std::size_t most_bytes = MostBytes() / kBatches;
    const std::size_t chunk_bytes = std::max<std::size_t>(array_.layouts().largest().bytes(), 1);
    if (ahead_ >= kBatches * kMostRegions) return {};
    const std::vector<Region> all = sequence_.Next(ahead_ + kMostRegions, array_.metadata().shape);
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

void ReadAhead::Note(const Region& region, std::size_t threads) {
    std::vector<Region> next;
    {
        const std::lock_guard<Mutex> lock(mutex_);
        if (!sequence_.Note(region)) {
            ahead_ = 0;
            return;
        }
        if (ahead_ > 0) --ahead_;
        if (IsBusyLocked()) return;
        next = TakeNextLocked(region);
    }
    if (!next.empty()) Start(std::move(next), threads);
}

void ReadAhead::Load(const Region& region, std::size_t threads) {
    if (array_.DecodedBytes(region) > MostBytes()) return;
    Start({region}, threads);
}

void ReadAhead::Start(std::vector<Region> regions, std::size_t threads) {
    auto batch = std::make_shared<Completion>();
    {
        const std::lock_guard<Mutex> lock(mutex_);
        if (is_ending_) return;
        running_.push_back(batch);
    }
    const auto load = [this, batch, threads, regions = std::move(regions)] {
        static_cast<void>(ParallelFor(regions.size(), array_.store()->ReadsAtOnce(),
                                      [&](std::size_t i) -> Status {
                                          if (is_ending_) return {};
                                          static_cast<void>(array_.Preload(regions[i], threads));
                                          return {};
                                      }));
        batch->End();
    };
    if (!WorkerPool::Instance().Start(load)) batch->End();
}

}  // namespace zarr
