// SPDX-License-Identifier: MIT
#include "core/array/chunk_cache.h"

#include <atomic>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace zarr {

namespace {

// Of what the cache may hold, how much memory may wait beside it to be used again.
constexpr std::size_t kIdleShare = 8;

}  // namespace

DecodedChunk::~DecodedChunk() {
    if (pool != nullptr) pool->Give(std::move(elements));
}

Status DecodedChunk::Allocate(std::size_t size) {
    return pool == nullptr ? elements.Reset(size) : pool->Take(size, elements);
}

ChunkCache::ChunkCache(std::size_t max_bytes)
    : pool_(std::make_shared<BufferPool>(max_bytes / kIdleShare)), max_bytes_(max_bytes) {}

std::size_t ChunkCache::Hash::operator()(const ChunkId& id) const {
    // Fibonacci hashing: neighbouring chunks of neighbouring arrays spread over the buckets.
    return static_cast<std::size_t>((id.chunk ^ (id.array << 40)) * 0x9e3779b97f4a7c15U);
}

std::uint64_t ChunkCache::NextArrayId() {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::size_t ChunkCache::max_bytes() const {
    const std::lock_guard<Mutex> lock(mutex_);
    return max_bytes_;
}

void ChunkCache::SetMaxBytes(std::size_t max_bytes) {
    const std::lock_guard<Mutex> lock(mutex_);
    max_bytes_ = max_bytes;
    EvictLocked();
    pool_->SetMaxBytes(max_bytes / kIdleShare);
}

ChunkPtr ChunkCache::Find(const ChunkId& id) {
    const std::lock_guard<Mutex> lock(mutex_);
    return FindLocked(id);
}

ChunkPtr ChunkCache::FindLocked(const ChunkId& id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return nullptr;
    recency_.splice(recency_.begin(), recency_, found->second);
    return found->second->chunk;
}

Result<ChunkPtr> ChunkCache::GetOrLoad(const ChunkId& id,
                                       const std::function<Result<ChunkPtr>()>& load) {
    std::shared_ptr<Load> mine;
    std::shared_ptr<Load> theirs;
    {
        const std::lock_guard<Mutex> lock(mutex_);
        if (ChunkPtr chunk = FindLocked(id)) return chunk;
        const auto under_way = loads_.find(id);
        if (under_way != loads_.end() && under_way->second->turn.IsOfThisProcess()) {
            theirs = under_way->second;
        } else {
            mine = std::make_shared<Load>();
            loads_[id] = mine;
        }
    }
    if (theirs != nullptr) {
        theirs->turn.Wait();
        return theirs->result;
    }
    Result<ChunkPtr> result = [&load]() -> Result<ChunkPtr> {
        try {
            return load();
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("out of memory");
        }
    }();
    {
        const std::lock_guard<Mutex> lock(mutex_);
        mine->result = result;
        const auto current = loads_.find(id);
        if (current != loads_.end() && current->second == mine) loads_.erase(current);
        if (result.ok() && !mine->is_stale) InsertLocked(id, *result);
    }
    mine->turn.End();
    return result;
}

void ChunkCache::InsertLocked(const ChunkId& id, ChunkPtr chunk) {
    const std::size_t size = chunk->bytes();
    if (size > max_bytes_) return;
    recency_.push_front({id, std::move(chunk)});
    entries_[id] = recency_.begin();
    bytes_ += size;
    EvictLocked();
}

void ChunkCache::EvictLocked() {
    while (bytes_ > max_bytes_ && !recency_.empty()) DropLocked(std::prev(recency_.end()));
}

ChunkCache::Recency::iterator ChunkCache::DropLocked(Recency::iterator entry) {
    bytes_ -= entry->chunk->bytes();
    entries_.erase(entry->id);
    return recency_.erase(entry);
}

// The next reader loads it anew.
ChunkCache::Loads::iterator ChunkCache::DisownLocked(Loads::iterator load) {
    load->second->is_stale = true;
    return loads_.erase(load);
}

void ChunkCache::Replace(const ChunkId& id, ChunkPtr chunk) {
    const std::lock_guard<Mutex> lock(mutex_);
    const auto found = entries_.find(id);
    if (found != entries_.end()) DropLocked(found->second);
    const auto under_way = loads_.find(id);
    if (under_way != loads_.end()) DisownLocked(under_way);
    if (chunk != nullptr) InsertLocked(id, std::move(chunk));
}

void ChunkCache::DropArray(std::uint64_t array) {
    const std::lock_guard<Mutex> lock(mutex_);
    for (auto it = recency_.begin(); it != recency_.end();)
        it = it->id.array == array ? DropLocked(it) : std::next(it);
}

void ChunkCache::DropStale(
    std::uint64_t array, bool and_loading,
    const std::function<bool(std::uint64_t, const DecodedChunk&)>& is_stale) {
    std::vector<Entry> held;
    {
        const std::lock_guard<Mutex> lock(mutex_);
        for (const Entry& entry : recency_)
            if (entry.id.array == array) held.push_back(entry);
        for (auto it = loads_.begin(); and_loading && it != loads_.end();)
            it = it->first.array == array ? DisownLocked(it) : std::next(it);
    }
    for (const Entry& entry : held) {
        if (!is_stale(entry.id.chunk, *entry.chunk)) continue;
        const std::lock_guard<Mutex> lock(mutex_);
        const auto found = entries_.find(entry.id);
        if (found != entries_.end() && found->second->chunk == entry.chunk)
            DropLocked(found->second);
    }
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
    const std::shared_lock<SharedMutex> lock(mutex_);
    return absent_.Has(chunk) || (is_listed_ && !present_.Has(chunk));
}

void AbsentChunks::Add(std::uint64_t chunk, std::uint64_t asked) {
    const std::unique_lock<SharedMutex> lock(mutex_);
    if (asked != generation_) return;
    absent_.Add(chunk);
    is_empty_ = false;
}

void AbsentChunks::Remove(std::uint64_t chunk) {
    const std::unique_lock<SharedMutex> lock(mutex_);
    ++generation_;
    absent_.Remove(chunk);
    if (is_listed_) present_.Add(chunk);
}

void AbsentChunks::SetPresent(ChunkSet present, std::uint64_t asked) {
    const std::unique_lock<SharedMutex> lock(mutex_);
    if (asked != generation_) return;
    present_ = std::move(present);
    is_listed_ = true;
    is_empty_ = false;
}

void AbsentChunks::Clear() {
    const std::unique_lock<SharedMutex> lock(mutex_);
    ++generation_;
    absent_.Clear();
    present_.Clear();
    is_listed_ = false;
    is_empty_ = true;
}

}  // namespace zarr
