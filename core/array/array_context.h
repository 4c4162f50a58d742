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

// Counts of what reading did, since the context was made. Never reset.
struct ReadCounters {
    std::atomic<std::uint64_t> chunks_requested{0};  // values asked of the store
    std::atomic<std::uint64_t> chunks_absent{0};
    std::atomic<std::uint64_t> chunks_decoded{0};
    std::atomic<std::uint64_t> bytes_read{0};     // as stored
    std::atomic<std::uint64_t> bytes_decoded{0};  // as decoded
};

// The same of one array, since it was opened, and what is counted of arrays alone.
struct ArrayCounters : ReadCounters {
    std::atomic<std::uint64_t> chunks_cached{0};  // times one that was decoded was used again
    // Nanoseconds that threads waited for the store and decoded; of all threads together.
    std::atomic<std::uint64_t> reading_time{0};
    std::atomic<std::uint64_t> decoding_time{0};
};

// The same of writing.
struct WriteCounters {
    std::atomic<std::uint64_t> chunks_written{0};  // encoded and given to the store
    std::atomic<std::uint64_t> bytes_written{0};   // of these, as stored
};

// Memory for decoding, lent to one thread at a time.
struct Scratch {
    PipelineScratch pipeline;
    Buffer chunk;
};

class Array;
class ArrayInstances;
struct ArrayMetadata;

// What arrays that are read together share: the cache of decoded chunks, scratch memory, counters,
// and the arrays themselves, so that an array that is opened twice shares its chunks. Thread-safe.
class ArrayContext {
  public:
    explicit ArrayContext(std::size_t cache_bytes)
        : cache_(cache_bytes),
          shards_(std::max(tuning::kLeastShardCache, cache_bytes / tuning::kShardCacheShare)) {}

    ChunkCache& cache() { return cache_; }
    // The indexes of shards.
    ShardCache& shards() { return shards_; }
    ReadCounters& counters() { return counters_; }
    WriteCounters& write_counters() { return write_counters_; }

    // The array that Share() was given under a name, while it is in use; else nullptr.
    std::shared_ptr<const Array> FindShared(const std::string& name);
    // Names an array, in place of the one that had the name, unless that is in use and has
    // the same metadata: an array that is opened twice is shared. Returns the one that has the name
    // now. Does not keep it alive.
    std::shared_ptr<const Array> Share(const std::string& name,
                                       const std::shared_ptr<const Array>& array);

    // What the arrays with this metadata have in common that are one array of one store by `name`.
    // Does not keep it alive.
    std::shared_ptr<ArrayInstances> InstancesOf(const std::string& name,
                                                const ArrayMetadata& metadata);

    // True where a part of the chunk was not asked for lately: a reader of one part may want no
    // other, a reader of a second part wants more. Forgets the oldest parts.
    bool IsFirstPart(const ChunkId& id);

    // Lends a Scratch until the loan ends.
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
    // A forked child shares no arrays with its parent: what the parent writes is not seen here.
    void ForgetParentsLocked();
    void PruneLocked();

    ChunkCache cache_;
    ShardCache shards_;
    ReadCounters counters_;
    WriteCounters write_counters_;
    std::array<std::atomic<std::uint64_t>, tuning::kPartSets * tuning::kPartWays>
        parts_{};  // hashes of chunks
    std::atomic<std::size_t> next_part_{0};
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> idle_;
    template <class T>
    using Names = std::unordered_map<std::string, std::weak_ptr<T>>;
    Names<const Array> shared_;
    Names<ArrayInstances> instances_;
    std::uint64_t generation_ = ForkGeneration();  // of the process that the names are of
    std::size_t prune_at_ = tuning::kPrunedNames;
};

}  // namespace zarr
