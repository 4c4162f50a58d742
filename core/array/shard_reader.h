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

// What was read of a shard, or of one that lies in another one: its index, and its bytes where
// they are encoded as a whole, or those around it are. Immutable.
struct ShardNode {
    bool is_absent = false;
    ObjectVersion version;              // of the stored value, from before it was read
    std::uint64_t store_count = 0;      // PendingShards::StoreCount() of that time
    std::uint64_t base = 0;             // where its offsets count from, in the value or in `memory`
    std::optional<std::uint64_t> size;  // of the shard, in bytes, where that is known
    std::shared_ptr<const Buffer> memory;  // nullptr where it lies as it is in the value
    Buffer entries;                        // see ShardIndex

    std::size_t bytes() const {
        return sizeof(ShardNode) + entries.size() + (memory != nullptr ? memory->size() : 0);
    }
};
using ShardNodePtr = std::shared_ptr<const ShardNode>;
using ShardCache = LoadingCache<ShardNode>;

// Where a chunk's bytes are.
struct ShardPlace {
    ShardNodePtr node;  // of the last level that was looked at
    bool is_present = false;
    std::uint64_t offset = 0;  // in the stored value, or in `node->memory`
    std::uint64_t size = 0;
};

// The indexes of an array's shards, of all levels: reads and remembers them, finds chunks by them,
// and tells what of them is out of date. Errors about what is stored start with the shard's key.
// Thread-safe.
//
// An index and the parts of a shard are read one after the other, so that the shard may be replaced
// between: what was read counts where the version is the same before and after, and where the store
// knows no versions it is taken to be. Else the index is read again, and where that happens again
// and again the read fails. Writers of this process, through what shares `pending`, and readers
// wait for each other.
class ShardReader {
  public:
    using Index = ShardGrid::Index;

    // All are borrowed.
    ShardReader(const KeyedChunks& shards, const ShardGrid& grid, const ShardLayout& layout,
                ShardCache& cache, const PendingShards& pending);
    ~ShardReader();
    ShardReader(const ShardReader&) = delete;
    ShardReader& operator=(const ShardReader&) = delete;

    // Looks for one chunk after the other, and remembers the way. Of one thread.
    class Walk {
      public:
        explicit Walk(const ShardReader& of) : of_(of) {}
        Result<ShardPlace> Find(const Index& chunk);

      private:
        struct Step {
            ShardNodePtr node;
            ShardIndexPtr index;
            Index place;  // of a chunk that is in it
        };
        bool IsAt(const Step& step, std::size_t level, const Index& place) const;
        Result<Step> Enter(std::size_t level, const Index& chunk, const ShardPlace& found) const;

        const ShardReader& of_;
        ShardBox box_;  // of the first step
        std::vector<Step> steps_;
    };

    // Calls `read`, which returns a node of the shard that it has read, or nullptr where it has
    // read none, and again where the shard was replaced meanwhile, or may have been. kIo where that
    // does not end; the error names `chunk`, unless it is nullptr.
    using Read = std::function<Result<ShardNodePtr>()>;
    Status WhileFresh(const Index& shard, const Index* chunk, const Read& read) const;
    // Calls `read` so with the place of a chunk that is stored. False where the chunk is absent.
    using ReadAt = std::function<Status(const ShardPlace& place)>;
    Result<bool> AtPlace(const Index& chunk, const ReadAt& read) const;
    // Reads `length` bytes of a chunk from `offset` on.
    Status ReadPart(const Index& chunk, const ShardPlace& place, std::uint64_t offset,
                    std::size_t length, Buffer& value) const;
    // Calls `visit` with each chunk of a shard that is stored or pending, beyond the array, too.
    // What is absent costs nothing: time and memory are in proportion to the indexes. kLimit where
    // these and what they have take more than a chunk may, as where many children share bytes.
    Status ForEachIn(const ShardBox& box, const std::function<void(const Index&)>& visit) const;

    // True where the shard of a node is still the one that it was read from.
    bool IsFresh(const Index& shard, const ShardNode& node) const;
    // What was read of a shard is read again: after it was stored here; and where others may have.
    void Drop(const Index& shard) const;
    void Forget(const Index& shard) const;
    // The same of all that are out of date, as far as that can be seen.
    void DropStale() const;

    // An error about what is stored of a chunk.
    Status Corrupt(const Index& chunk, const Status& status) const;
    // An error of the store, which names the shard, as one about a chunk of it.
    Status Failed(const Index& chunk, const Status& status) const;

  private:
    // Where the child of `node`, a shard of a level, is that has a chunk, which is at `place` in
    // its shard of level 0.
    Result<ShardPlace> PlaceIn(std::size_t level, const ShardNodePtr& node, const ShardIndex& index,
                               const Index& chunk, const Index& place) const;
    // ForEachIn() of a shard of a level, whose first chunk is at `first` in its shard of level 0.
    struct Listing;
    Status List(std::size_t level, const ShardNodePtr& node, const ShardIndex& index,
                const Index& first, Listing& listing) const;

    // The index of the shard of level 0, and of one that lies in another one at `place` of that's
    // bytes, through the cache.
    Result<ShardNodePtr> Root(const ShardBox& box, const ShardIndex& index) const;
    Result<ShardNodePtr> LoadRoot(const ShardBox& box, const ShardIndex& index) const;
    Status ReadRoot(const Index& shard, const ShardIndex& index, ShardNode& node) const;
    Result<ShardNodePtr> Child(std::size_t level, const ShardIndex& index, const Index& chunk,
                               const ShardPlace& place) const;
    Result<ShardNodePtr> LoadChild(std::size_t level, const ShardIndex& index, const Index& chunk,
                                   const ShardPlace& place) const;
    // The same of one whose bytes are encoded as a whole, and of any other.
    Status LoadWrapped(std::size_t level, const ShardIndex& index, const Index& chunk,
                       const ShardPlace& place, ShardNode& node) const;
    Status LoadPlain(std::size_t level, const ShardIndex& index, const Index& chunk,
                     const ShardPlace& place, ShardNode& node) const;
    std::string NameOfChild(std::size_t level, const Index& chunk) const;

    const KeyedChunks& shards_;
    const ShardGrid& grid_;
    const ShardLayout& layout_;
    ShardCache& cache_;
    const PendingShards& pending_;
    std::vector<std::uint64_t> ids_;  // in the cache, of each level
};

}  // namespace zarr
