// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/array/chunk_cache.h"
#include "core/array/sharded_chunks.h"
#include "core/base/fork.h"
#include "core/base/tuning.h"
#include "core/codec/pipeline.h"

namespace zarr {

// Counts of read operations since the counters were created. Never reset.
struct ReadCounters {
    std::atomic<std::uint64_t> chunks_requested{0};  // number of chunks requested from the store
    std::atomic<std::uint64_t> chunks_absent{0};
    std::atomic<std::uint64_t> chunks_decoded{0};
    std::atomic<std::uint64_t> bytes_read{0};     // number of stored bytes read
    std::atomic<std::uint64_t> bytes_decoded{0};  // total decoded size of the chunks read
};

// Counts of read operations of one array since the array was opened.
struct ArrayCounters : ReadCounters {
    std::atomic<std::uint64_t> chunks_cached{0};  // number of reads of a chunk from the cache
    // `reading_time` is the time in nanoseconds that threads waited for the store. `decoding_time`
    // is the time in nanoseconds that threads decoded. Each is a sum over all threads.
    std::atomic<std::uint64_t> reading_time{0};
    std::atomic<std::uint64_t> decoding_time{0};
};

// Counts of write operations since the counters were created. Never reset.
struct WriteCounters {
    std::atomic<std::uint64_t> chunks_written{0};  // number of chunks passed to the store
    // Total encoded size of the chunks passed to the store.
    std::atomic<std::uint64_t> bytes_written{0};
};

// Scratch memory for decoding, used by one thread at a time.
struct Scratch {
    PipelineScratch pipeline;
    Buffer chunk;
};

class Array;
class ArrayInstances;
struct ArrayMetadata;

// State that several arrays share: chunk cache, scratch memory, counters, and a registry of open
// arrays. The registry lets an array that is opened twice use the same cached chunks. Thread-safe.
class ArrayContext {
  public:
    explicit ArrayContext(std::size_t cache_bytes)
        : cache_(cache_bytes),
          shards_(std::max(tuning::kMinShardCache, cache_bytes / tuning::kShardCacheShare)) {}

    ChunkCache& cache() { return cache_; }
    // Returns the cache of shard indexes.
    ShardCache& shards() { return shards_; }
    ReadCounters& counters() { return counters_; }
    WriteCounters& write_counters() { return write_counters_; }

    // Returns the array that Share() has registered under `name`. Returns nullptr if no such array
    // is in use.
    std::shared_ptr<const Array> FindShared(const std::string& name);
    // Registers `array` under `name` and returns `array`. If an array with equal metadata is
    // already registered and in use, returns the registered array. The registry does not keep
    // arrays alive.
    std::shared_ptr<const Array> Share(const std::string& name,
                                       const std::shared_ptr<const Array>& array);

    // Returns the ArrayInstances object that all open arrays with this `name` and `metadata` share.
    // The context does not keep the object alive.
    std::shared_ptr<ArrayInstances> InstancesOf(const std::string& name,
                                                const ArrayMetadata& metadata);

    // True if no part of the chunk was requested recently; records this request. If false, the
    // caller should decode the whole chunk, because further parts will probably be requested.
    bool IsFirstPartialRead(const ChunkId& id);

    // Borrows scratch memory from the context, from the constructor until the destructor.
    class ScratchBuffer {
      public:
        explicit ScratchBuffer(ArrayContext& context);
        ~ScratchBuffer();
        ScratchBuffer(const ScratchBuffer&) = delete;
        ScratchBuffer& operator=(const ScratchBuffer&) = delete;
        Scratch& operator*() { return *scratch_; }
        Scratch* operator->() { return scratch_.get(); }

      private:
        ArrayContext& context_;
        std::unique_ptr<Scratch> scratch_;
    };

  private:
    // Clears the registry in a forked child. A child must not share arrays with its parent, because
    // the child does not see the parent's writes.
    void ForgetParentsLocked();
    void PruneLocked();

    ChunkCache cache_;
    ShardCache shards_;
    ReadCounters counters_;
    WriteCounters write_counters_;
    std::array<std::atomic<std::uint64_t>, tuning::kPartSets * tuning::kPartWays>
        parts_{};  // hashes of the chunks that IsFirstPartialRead() remembers
    std::atomic<std::size_t> next_part_{0};
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> idle_;
    template <class T>
    using Names = std::unordered_map<std::string, std::weak_ptr<T>>;
    Names<const Array> shared_;
    Names<ArrayInstances> instances_;
    // Fork generation of the process that filled the registry.
    std::uint64_t generation_ = ForkGeneration();
    std::size_t prune_at_ = tuning::kMinPrunedNames;
};

}  // namespace zarr
