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

// The encoded chunks of an array that are to be stored in shards and are not yet, by the number of
// their shard and their number in it; and what keeps the readers and writers of one shard apart.
// All are of the process that the array was opened in: a forked child has none of them.
// Thread-safe.
class PendingShards {
  public:
    PendingShards() = default;
    ~PendingShards() = default;
    PendingShards(const PendingShards&) = delete;
    PendingShards& operator=(const PendingShards&) = delete;

    bool empty() const { return !is_own() || bytes_.load(std::memory_order_acquire) == 0; }
    // What they take, in memory.
    std::size_t bytes() const { return is_own() ? bytes_.load() : 0; }

    // The chunk's bytes, nullptr for one that is to be absent; nothing where it is not pending.
    std::optional<std::shared_ptr<const Buffer>> Find(std::uint64_t shard,
                                                      std::uint64_t chunk) const;

    // Takes a chunk in place of what was pending of it; nullptr for one that is to be absent.
    // `locks`, which may be nullptr, are those that the shard is to be stored under. Returns how
    // many chunks of the shard are pending.
    std::size_t Put(std::uint64_t shard, const ShardChange& chunk,
                    const std::shared_ptr<Synchronizer>& locks);

    struct Changes {
        std::vector<ShardChange> chunks;
        std::shared_ptr<Synchronizer> locks;
    };
    // What is pending of a shard.
    Changes Of(std::uint64_t shard) const;
    // The shards that something is pending of, lowest first.
    std::vector<std::uint64_t> Shards() const;
    // The shard that takes most, of those that no one has taken by this call before, until it is
    // given back; nothing where there is none.
    std::optional<std::uint64_t> TakeLargest();
    void GiveBack(std::uint64_t shard);

    // To be called after a shard was stored, by the holder of its Writing(): forgets what was
    // stored, but for what has come in its place since.
    void WasStored(std::uint64_t shard, const std::vector<ShardChange>& stored);
    // Forgets everything, unstored.
    void Clear();

    // A shard does not change while someone has this. Short of what others of this process read
    // from the store nothing is waited for under it.
    std::shared_lock<std::shared_mutex> Reading(std::uint64_t shard) const;
    std::unique_lock<std::shared_mutex> Writing(std::uint64_t shard) const;
    // Another number whenever the shard was stored, to be compared under Reading().
    std::uint64_t StoreCount(std::uint64_t shard) const;

  private:
    struct Shard {
        std::unordered_map<std::uint64_t, std::shared_ptr<const Buffer>> chunks;
        std::shared_ptr<Synchronizer> locks;
        std::size_t bytes = 0;
        bool is_taken = false;
    };
    // Shards share them by their numbers: neighbours have different ones.
    struct Gate {
        mutable std::shared_mutex mutex;
        std::atomic<std::uint64_t> stored{0};
    };

    bool is_own() const { return generation_ == ForkGeneration(); }
    Gate& GateOf(std::uint64_t shard) const {
        return gates_[static_cast<std::size_t>((shard * 0x9e3779b97f4a7c15U) >> 58U)];
    }

    const std::uint64_t generation_ = ForkGeneration();  // of the process that writes
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Shard> shards_;
    std::atomic<std::size_t> bytes_{0};
    mutable Gate gates_[tuning::kShardGates];
};

}  // namespace zarr
