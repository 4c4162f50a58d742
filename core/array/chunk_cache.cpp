// SPDX-License-Identifier: MIT
#include "core/array/chunk_cache.h"

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace zarr {

DecodedChunk::~DecodedChunk() {
    if (pool != nullptr) pool->Release(std::move(elements));
}

Status DecodedChunk::Allocate(std::size_t size) {
    return pool == nullptr ? elements.Reset(size) : pool->Acquire(size, elements);
}

std::uint64_t ChunkCache::NextArrayId() {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

bool ChunkSet::Has(std::uint64_t chunk) const {
    const auto block = blocks_.find(chunk / kBlock);
    return block != blocks_.end() && block->second.test(chunk % kBlock);
}

void ChunkSet::Remove(std::uint64_t chunk) {
    const auto block = blocks_.find(chunk / kBlock);
    if (block != blocks_.end()) block->second.reset(chunk % kBlock);
}

bool AbsentChunks::Has(std::uint64_t chunk) const {
    if (is_empty_) return false;
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return absent_.Has(chunk) || (is_listed_ && !present_.Has(chunk));
}

void AbsentChunks::Add(std::uint64_t chunk, std::uint64_t asked) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    if (asked != generation_) return;
    absent_.Add(chunk);
    is_empty_ = false;
}

void AbsentChunks::Remove(std::uint64_t chunk) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    ++generation_;
    absent_.Remove(chunk);
    if (is_listed_) present_.Add(chunk);
}

void AbsentChunks::SetPresent(ChunkSet present, std::uint64_t asked) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    if (asked != generation_) return;
    present_ = std::move(present);
    is_listed_ = true;
    is_empty_ = false;
}

void AbsentChunks::Clear() {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    ++generation_;
    absent_.Clear();
    present_.Clear();
    is_listed_ = false;
    is_empty_ = true;
}

}  // namespace zarr
