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

// Encoded chunks that wait in memory until their shard is stored, by shard number and by chunk
// number in the shard. The class also locks shards, so that no thread reads a shard while another
// thread stores that shard. Pending chunks belong to the process that opened the array; a forked
// child has none. Thread-safe.
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

    // Makes a chunk pending and replaces an earlier pending chunk. If `chunk.bytes` is nullptr, the
    // chunk will be removed from the shard. The shard will be stored under `locks`, which may be
    // nullptr. Returns the number of pending chunks of the shard.
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
    // ReserveLargest() reserves the shard with most pending bytes for the calling thread and
    // returns the shard's number. Shards that are already reserved are skipped. Returns nullopt if
    // no unreserved shard has pending chunks. Unreserve() ends the reservation.
    std::optional<std::uint64_t> ReserveLargest();
    void Unreserve(std::uint64_t shard);

    // Removes the chunks in `stored` from the pending chunks after their shard was stored. A chunk
    // stays pending if Put() has replaced it while the shard was being stored. The caller holds the
    // shard's Writing() lock.
    void OnStored(std::uint64_t shard, const std::vector<ShardChange>& stored);
    // Discards all pending chunks without storing them.
    void Clear();

    // Lock a shard. Reading() takes a shared lock; while the lock is held, this process does not
    // store the shard. Writing() takes an exclusive lock. To avoid deadlocks, a thread that holds
    // either lock must not wait for other threads. It may wait for requests to the store.
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
