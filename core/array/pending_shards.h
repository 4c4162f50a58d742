// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "core/array/shard_layout.h"
#include "core/base/bytes.h"
#include "core/base/fork.h"
#include "core/base/tuning.h"
#include "core/store/synchronizer.h"

namespace zarr {

// Encoded chunks that wait in memory until their shard is stored, by shard number and chunk number.
// Also locks shards, so that no thread reads a shard while another thread stores it. Pending chunks
// belong to the process that opened the array; a forked child has none. Thread-safe.
class PendingShards {
  public:
    PendingShards() = default;
    ~PendingShards() = default;
    PendingShards(const PendingShards&) = delete;
    PendingShards& operator=(const PendingShards&) = delete;

    bool empty() const { return !is_own() || bytes_.load(std::memory_order_acquire) == 0; }
    // Returns the memory in bytes that pending chunks use.
    std::size_t bytes() const { return is_own() ? bytes_.load() : 0; }

    // Returns the pending bytes of a chunk; nullopt if the chunk is not pending. A null pointer
    // means that the chunk is to be removed.
    std::optional<std::shared_ptr<const Buffer>> Find(std::uint64_t shard,
                                                      std::uint64_t chunk) const;

    // Makes a chunk pending until its shard is stored under `locks`, which may be nullptr. If
    // `chunk.bytes` is nullptr, the chunk will be removed. Returns the shard's number of pending
    // chunks.
    std::size_t Put(std::uint64_t shard, const ShardChange& chunk,
                    const std::shared_ptr<Synchronizer>& locks);

    struct Changes {
        std::vector<ShardChange> chunks;
        std::shared_ptr<Synchronizer> locks;
    };
    // Returns the pending chunks of a shard, and the locks under which to store the shard.
    Changes Of(std::uint64_t shard) const;
    // Returns the numbers of all shards with pending chunks, lowest first.
    std::vector<std::uint64_t> Shards() const;
    // Reserves the shard with most pending bytes for the calling thread, until Unreserve(). Returns
    // the shard's number; nullopt if no unreserved shard has pending chunks.
    std::optional<std::uint64_t> ReserveLargest();
    void Unreserve(std::uint64_t shard);

    // Removes the chunks in `stored` from the pending chunks. A chunk that Put() has replaced
    // meanwhile stays pending. The caller holds the shard's Writing() lock.
    void OnStored(std::uint64_t shard, const std::vector<ShardChange>& stored);
    // Discards all pending chunks without storing them.
    void Clear();

    // Shared and exclusive lock of a shard; a shard is stored only under Writing(). The holder must
    // not wait for other threads, to avoid deadlocks, but may wait for the store.
    std::shared_lock<std::shared_mutex> Reading(std::uint64_t shard) const;
    std::unique_lock<std::shared_mutex> Writing(std::uint64_t shard) const;
    // Returns a number that changes whenever the shard is stored. Compare two numbers of a shard
    // only while the lock of Reading() is held.
    std::uint64_t StoreCount(std::uint64_t shard) const;

  private:
    struct Shard {
        std::unordered_map<std::uint64_t, std::shared_ptr<const Buffer>> chunks;
        std::shared_ptr<Synchronizer> locks;
        std::size_t bytes = 0;
        bool is_taken = false;
    };
    // Lock for several shards. A hash of the shard number selects the lock, and neighbouring shards
    // have different locks.
    struct Gate {
        mutable std::shared_mutex mutex;
        std::atomic<std::uint64_t> stored{0};
    };

    bool is_own() const { return generation_ == ForkGeneration(); }
    Gate& GateOf(std::uint64_t shard) const {
        return gates_[static_cast<std::size_t>((shard * 0x9e3779b97f4a7c15U) >> 58U)];
    }

    // Fork generation of the process that owns the pending chunks.
    const std::uint64_t generation_ = ForkGeneration();
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Shard> shards_;
    std::atomic<std::size_t> bytes_{0};
    mutable Gate gates_[tuning::kShardLocks];
};

}  // namespace zarr
