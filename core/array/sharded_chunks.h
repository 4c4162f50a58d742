// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "core/array/chunk_store.h"
#include "core/array/keyed_chunks.h"
#include "core/array/loading_cache.h"
#include "core/array/pending_shards.h"
#include "core/array/shard_layout.h"
#include "core/base/bytes.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// What was read of a shard, or of one that lies in another one: its index, and its bytes where
// they are encoded as a whole, or those around it are. Immutable.
struct ShardNode {
    bool is_absent = false;
    ObjectVersion version;              // of the stored value, from before it was read
    std::uint64_t store_count = 0;      // PendingShards::StoreCount() of that time
    std::uint64_t base = 0;             // where its offsets count from, in the value or in `memory`
    std::optional<std::uint64_t> size;  // of the shard, in bytes, where that is known
    std::shared_ptr<const Buffer> memory;  // nullptr where it lies as it is in the value
    Buffer entries;                        // ShardLayout::DecodeIndex()

    std::size_t bytes() const {
        return sizeof(ShardNode) + entries.size() + (memory != nullptr ? memory->size() : 0);
    }
};
using ShardNodePtr = std::shared_ptr<const ShardNode>;
using ShardCache = LoadingCache<ShardNode>;

// Chunks that lie in shards (Zarr v3, "Sharding codec"): a chunk is read by a request for its part
// of the shard, and one before it for the shard's index, which is remembered. A shard is written
// whole. Errors about what is stored start with the shard's key. Thread-safe.
//
// An index and the parts of a shard are read one after the other, so that the shard may be replaced
// between: what was read counts where the version is the same before and after, and where the store
// knows no versions, or over a network, it is taken to be. Writers of this process, through what
// shares `pending`, and readers wait for each other.
class ShardedChunks final : public ChunkStore, public ChunkGroups {
  public:
    // `counts` are the numbers of chunks of the array along each dimension, `max_chunk_bytes`
    // bounds what is stored of one. `cache` and `pending` are borrowed.
    static Result<std::unique_ptr<const ShardedChunks>> Open(
        std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
        const DimVector<std::uint64_t>& counts, std::size_t max_chunk_bytes, ShardCache& cache,
        PendingShards& pending);
    ~ShardedChunks() override;
    ShardedChunks(const ShardedChunks&) = delete;
    ShardedChunks& operator=(const ShardedChunks&) = delete;

    using Index = ChunkStore::Index;

    Result<bool> Get(const Index& chunk, Buffer& value, std::size_t limit) const override;
    Result<std::optional<std::size_t>> GetInto(const Index& chunk,
                                               MutableByteSpan memory) const override;
    Result<bool> GetRange(const Index& chunk, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override;
    ObjectVersion VersionOf(const Index& chunk) const override;
    Result<std::optional<ChunkPlace>> PlaceOf(const Index& chunk) const override;
    char separator() const override { return shards_.separator(); }
    Result<char> Separator() const override { return shards_.Separator(); }
    const ChunkGroups* groups() const override { return this; }
    std::string NameOf(const Index& chunk) const override;
    // Where a request takes a while, not of more than a few shards.
    Status ForEachPresent(const ChunkVisitor& visit, const SizeVisitor& visit_size) const override;
    void DropAssumptions() const override;
    Result<std::string> LockOf(const Index& chunk) const override;
    Status Set(Store& store, const Index& chunk, ByteSpan value) const override;
    Status Erase(Store& store, const Index& chunk) const override;
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                        const std::shared_ptr<Synchronizer>& locks) const override;

    const Index& shape() const override { return layout_.Reach(0); }
    Status GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                   const ChunkTaker& take) const override;
    Status Gather(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                  const WriteLocks& locks) const override;
    Status StoreLocked(Store& store, const Index& chunk) const override;
    void Forget(const Index& chunk) const override;
    std::size_t PendingBytes() const override { return pending_.bytes(); }
    Status Shrink(Store& store, std::size_t max_bytes) const override;
    Status Flush(Store& store, std::size_t threads) const override;
    void Discard(const ChunkVisitor& visit) const override;

  private:
    // Where a chunk's bytes are.
    struct Place {
        ShardNodePtr node;  // of the last level that was looked at
        bool is_present = false;
        std::uint64_t offset = 0;  // in the stored value, or in `node->memory`
        std::uint64_t size = 0;
    };
    class Walk;
    struct Gathered;
    struct Run;

    ShardedChunks(std::shared_ptr<const Store> store, std::string path,
                  const ArrayMetadata& metadata, const DimVector<std::uint64_t>& counts,
                  ShardLayout layout, ShardCache& cache, PendingShards& pending);

    std::uint64_t NumberOfShard(const Index& shard) const;
    Index ShardAt(std::uint64_t number) const;
    Index ChunkAt(std::uint64_t number) const;
    std::uint64_t NumberOfChunk(const Index& chunk) const;
    bool IsInGrid(const Index& chunk) const;
    // Chunks of a shard that are in the array's grid.
    std::uint64_t ChunksInGrid(const Index& shard) const;
    bool IsDistant() const { return store_->ReadsAtOnce() > 1; }

    // The index of the shard of level 0, and of one that lies in another one at `place` of that's
    // bytes, through the cache.
    Result<ShardNodePtr> Root(const Index& shard) const;
    Result<ShardNodePtr> LoadRoot(const Index& shard) const;
    Result<ShardNodePtr> Child(std::size_t level, const Index& chunk, const Place& place) const;
    Result<ShardNodePtr> LoadChild(std::size_t level, const Index& chunk, const Place& place) const;
    // The same of one whose bytes are encoded as a whole, and of any other.
    std::string NameOfChild(std::size_t level, const Index& chunk) const;
    Status LoadWrapped(std::size_t level, const Index& chunk, const Place& place,
                       ShardNode& node) const;
    Status LoadPlain(std::size_t level, const Index& chunk, const Place& place,
                     ShardNode& node) const;
    Status ReadIndex(std::size_t level, ByteSpan bytes, ShardNode& node) const;
    // Calls `read`, which returns a node of the shard that it has read, or nullptr where it has
    // read none, and again where the shard was replaced meanwhile.
    template <class Read>
    Status WhileFresh(const Index& shard, const Read& read) const;
    // Calls `read` so with the place of a chunk that is stored. False where the chunk is absent.
    template <class Read>
    Result<bool> AtPlace(const Index& chunk, const Read& read) const;
    // Reads `length` bytes of a chunk from `offset` on.
    Status ReadPart(const Index& chunk, const Place& place, std::uint64_t offset,
                    std::size_t length, Buffer& value) const;
    // True where the shard of a node is still the one that it was read from.
    bool IsFresh(const Index& shard, const ShardNode& node) const;
    void Drop(const Index& shard) const;
    Status Corrupt(const Index& chunk, const Status& status) const;

    // The parts of GetMany().
    Status Locate(const std::vector<std::uint64_t>& chunks, Gathered& gathered) const;
    std::vector<Run> PlanRuns(Gathered& gathered, const FetchOptions& options) const;
    Status FetchRun(const std::vector<std::uint64_t>& chunks, const Gathered& gathered,
                    const Run& run, const FetchOptions& options, std::size_t threads,
                    const ChunkTaker& take) const;
    Status GetAlone(std::uint64_t chunk, std::size_t place, const FetchOptions& options,
                    const ChunkTaker& take) const;

    // Stores what is pending of a shard, with `more`. Takes the shard's lock, unless it is held.
    Status StoreShard(Store& store, std::uint64_t shard, bool is_locked,
                      const std::vector<ShardChange>& more,
                      const std::shared_ptr<Synchronizer>& locks) const;
    Status Replace(Store& store, const Index& shard, std::vector<ShardChange> changes,
                   bool is_complete) const;
    // Removes the chunks of a shard that lie outside of a grid of so many chunks.
    Status EraseOutsideIn(Store& store, std::uint64_t shard,
                          const std::vector<std::uint64_t>& counts,
                          const std::shared_ptr<Synchronizer>& locks) const;
    // The shards that are in the store or pending, by number.
    Result<std::vector<std::uint64_t>> PresentShards(const SizeVisitor& visit_size) const;
    // Calls `visit` with each chunk of a shard that is stored or pending, beyond the array, too.
    Status ForEachIn(const Index& shard, const std::function<void(const Index&)>& visit) const;

    const std::shared_ptr<const Store> store_;
    const DimVector<std::uint64_t> chunk_counts_;  // of the array
    const ShardLayout layout_;
    const DimVector<std::uint64_t> shard_counts_;  // of the array
    const KeyedChunks shards_;
    ShardCache& cache_;
    PendingShards& pending_;
    std::vector<std::uint64_t> ids_;  // in the cache, of each level
    mutable BufferPool buffers_;      // for what is read by one request
};

}  // namespace zarr
