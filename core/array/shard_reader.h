// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/keyed_chunks.h"
#include "core/array/loading_cache.h"
#include "core/array/pending_shards.h"
#include "core/array/shard_grid.h"
#include "core/array/shard_layout.h"
#include "core/base/bytes.h"

namespace zarr {

// Cached data of a shard or nested shard: its index, and its bytes if the shard, or a shard around
// it, is encoded as a whole. Immutable.
struct ShardNode {
    bool is_absent = false;
    ObjectVersion version;                 // version of the stored value before the read
    std::uint64_t store_count = 0;         // PendingShards::StoreCount() before the read
    std::uint64_t base = 0;                // start of the shard in the value or in `memory`
    std::optional<std::uint64_t> size;     // of the shard in bytes; nullopt if unknown
    std::shared_ptr<const Buffer> memory;  // decoded bytes; nullptr if stored plainly
    Buffer entries;                        // see ShardIndex

    std::size_t bytes() const {
        return sizeof(ShardNode) + entries.size() + (memory != nullptr ? memory->size() : 0);
    }
};
using ShardNodePtr = std::shared_ptr<const ShardNode>;
using ShardCache = LoadingCache<ShardNode>;

// Location of a chunk's bytes.
struct ShardLocation {
    ShardNodePtr node;  // shard of the deepest level that was read
    bool is_present = false;
    std::uint64_t offset = 0;  // in the stored value, or in `node->memory`
    std::uint64_t size = 0;
};

// Reads and caches the indexes of an array's shards, of all levels, and locates chunks. Error
// messages about stored data start with the shard's key. Thread-safe.
//
// The index and the chunks of a shard are read by separate requests, between which the shard may be
// replaced. Data is accepted if the shard's version is equal before and after, or if the store has
// no versions. Otherwise the index is read again; after several attempts the read fails. Readers
// and writers of this process that share `pending` exclude each other.
class ShardReader {
  public:
    using Index = ShardGrid::Index;

    // All arguments must outlive this object.
    ShardReader(const KeyedChunks& shards, const ShardGrid& grid, const ShardLayout& layout,
                ShardCache& cache, const PendingShards& pending);
    ~ShardReader();
    ShardReader(const ShardReader&) = delete;
    ShardReader& operator=(const ShardReader&) = delete;

    // Locates several chunks, and keeps the indexes on the path between calls. Not thread-safe.
    class Walk {
      public:
        explicit Walk(const ShardReader& of) : of_(of) {}
        Result<ShardLocation> Find(const Index& chunk);

      private:
        struct Step {
            ShardNodePtr node;
            ShardIndexPtr index;
            Index place;  // place of a chunk in the shard
        };
        bool IsAt(const Step& step, std::size_t level, const Index& place) const;
        Result<Step> Enter(std::size_t level, const Index& chunk, const ShardLocation& found) const;

        const ShardReader& of_;
        ShardBox box_;  // box of the shard of level 0
        std::vector<Step> steps_;
    };

    // Calls `read` again until the shard was not replaced during the call. `read` returns a node of
    // the shard that it used, or nullptr if it used none. Fails with kIo after several attempts.
    // `chunk` is named in that message if not nullptr.
    using Read = std::function<Result<ShardNodePtr>()>;
    Status RetryUntilFresh(const Index& shard, const Index* chunk, const Read& read) const;
    // Calls `read` with the location of a stored chunk, and again if the shard was replaced
    // meanwhile. Returns false if the chunk is absent.
    using ReadAt = std::function<Status(const ShardLocation& place)>;
    Result<bool> AtPlace(const Index& chunk, const ReadAt& read) const;
    // Reads `length` bytes of a chunk, starting at `offset` in the chunk.
    Status ReadPart(const Index& chunk, const ShardLocation& place, std::uint64_t offset,
                    std::size_t length, Buffer& value) const;
    // Calls `visit` for each stored or pending chunk of a shard, including chunks beyond the
    // array's edge. Time and memory are proportional to the size of the indexes. Fails with kLimit
    // if indexes and results exceed Limit::kChunkSize, for example if many children share bytes.
    Status ForEachIn(const ShardBox& box, const std::function<void(const Index&)>& visit) const;

    // True if the shard has not been replaced since `node` was read.
    bool IsFresh(const Index& shard, const ShardNode& node) const;
    // Drop cached data of a shard: Drop() after this process stored the shard, Forget() if other
    // processes may have.
    void Drop(const Index& shard) const;
    void Forget(const Index& shard) const;
    // Drops all cached data that is outdated, as far as versions show it.
    void DropOutdated() const;

    // Puts the shard's key and the chunk's index before an error about stored data.
    Status Corrupt(const Index& chunk, const Status& status) const;
    // Adds the chunk's index to an error of the store whose message starts with the shard's key.
    Status Failed(const Index& chunk, const Status& status) const;

  private:
    // Locates the child of `node`, a shard of a level, that contains `chunk`. `place` is the
    // chunk's place in its shard of level 0.
    Result<ShardLocation> PlaceIn(std::size_t level, const ShardNodePtr& node,
                                  const ShardIndex& index, const Index& chunk,
                                  const Index& place) const;
    // ForEachIn() for one shard of a level. `first` is the place of its first chunk in the shard of
    // level 0.
    struct Listing;
    Status List(std::size_t level, const ShardNodePtr& node, const ShardIndex& index,
                const Index& first, Listing& listing) const;

    // Load the index of an outer shard (Root), or of a shard nested at byte range `place` (Child),
    // through the cache.
    Result<ShardNodePtr> Root(const ShardBox& box, const ShardIndex& index) const;
    Result<ShardNodePtr> LoadRoot(const ShardBox& box, const ShardIndex& index) const;
    Status ReadRoot(const Index& shard, const ShardIndex& index, ShardNode& node) const;
    Result<ShardNodePtr> Child(std::size_t level, const ShardIndex& index, const Index& chunk,
                               const ShardLocation& place) const;
    Result<ShardNodePtr> LoadChild(std::size_t level, const ShardIndex& index, const Index& chunk,
                                   const ShardLocation& place) const;
    // Implement LoadChild(), for a nested shard that is encoded as a whole, and for a plain one.
    Status LoadWrapped(std::size_t level, const ShardIndex& index, const Index& chunk,
                       const ShardLocation& place, ShardNode& node) const;
    Status LoadPlain(std::size_t level, const ShardIndex& index, const Index& chunk,
                     const ShardLocation& place, ShardNode& node) const;
    std::string NameOfChild(std::size_t level, const Index& chunk) const;

    const KeyedChunks& shards_;
    const ShardGrid& grid_;
    const ShardLayout& layout_;
    ShardCache& cache_;
    const PendingShards& pending_;
    std::vector<std::uint64_t> ids_;  // ids in the cache, one per level
};

}  // namespace zarr
