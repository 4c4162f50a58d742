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

// Cached data of a shard or nested shard. Immutable. Always has the shard's index. Also has the
// shard's bytes in two cases: the shard or an enclosing shard is encoded as a whole, or the shard
// was read in one request.
struct ShardNode {
    bool is_absent = false;
    ObjectVersion version;          // version of the stored value before the read
    std::uint64_t store_count = 0;  // PendingShards::StoreCount() before the read
    // Offset of the shard in the stored value; offset in `memory` if that is set.
    std::uint64_t base = 0;
    std::optional<std::uint64_t> size;  // size of the shard in bytes; nullopt if unknown
    // Bytes of the shard, or of an enclosing shard. nullptr if chunks must be read from the store.
    std::shared_ptr<const Buffer> memory;
    Buffer entries;  // decoded index; see ShardIndex

    std::size_t bytes() const {
        return sizeof(ShardNode) + entries.size() + (memory != nullptr ? memory->size() : 0);
    }
};
using ShardNodePtr = std::shared_ptr<const ShardNode>;
using ShardCache = LoadingCache<ShardNode>;

// Location of the bytes of a chunk or nested shard.
struct ShardLocation {
    ShardNodePtr node;  // innermost shard that was read
    bool is_present = false;
    // Position in the stored value; position in `node->memory` if that is set.
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// Reads and caches the indexes of an array's shards, of all levels, and locates chunks. Error
// messages about stored data start with the shard's key. Thread-safe.
//
// The index and the chunks of a shard are read by separate requests, and the shard may be replaced
// in between. Data is accepted if the shard has the same version before and after the requests, or
// if the store has no versions. Otherwise the index is read again; after several attempts the read
// fails. Readers and writers of this process that share `pending` exclude each other.
class ShardReader {
  public:
    using Index = ShardGrid::Index;

    // All arguments must outlive this object. `pending` has a lock for each shard, so that readers
    // and writers of this process exclude each other.
    ShardReader(const KeyedChunks& shards, const ShardGrid& grid, const ShardLayout& layout,
                ShardCache& cache, const PendingShards& pending);
    ~ShardReader();
    ShardReader(const ShardReader&) = delete;
    ShardReader& operator=(const ShardReader&) = delete;

    // Locates several chunks, one per call of Find(). Keeps the shard indexes that the last call
    // used, so that another chunk of the same shards needs no look-up in the cache. Not
    // thread-safe.
    class Walk {
      public:
        explicit Walk(const ShardReader& of) : of_(of) {}
        Result<ShardLocation> Find(const Index& chunk);

      private:
        struct Step {
            ShardNodePtr node;
            ShardIndexPtr index;
            // Position of the shard: index of one of its chunks in the outermost shard.
            Index index_in_shard;
        };
        bool IsAt(const Step& step, std::size_t level, const Index& index_in_shard) const;
        Result<Step> Enter(std::size_t level, const Index& chunk, const ShardLocation& found) const;

        const ShardReader& of_;
        ShardBox box_;  // chunks of the outermost shard that Find() used last
        std::vector<Step> steps_;
    };

    // Calls `read` until the shard is not replaced during a call. `read` returns the ShardNode that
    // it has used, or nullptr if it has used none. Fails with kIo after several attempts; the
    // message names `chunk` unless `chunk` is nullptr.
    using Read = std::function<Result<ShardNodePtr>()>;
    Status RetryUntilFresh(const Index& shard, const Index* chunk, const Read& read) const;
    // Calls `read` with the location of a stored chunk. Calls `read` again if the shard was
    // replaced during the call. Returns false if the chunk is absent.
    using ReadAt = std::function<Status(const ShardLocation& location)>;
    Result<bool> WithLocation(const Index& chunk, const ReadAt& read) const;
    // Reads `length` bytes of a chunk, starting at `offset` in the chunk.
    Status ReadPart(const Index& chunk, const ShardLocation& location, std::uint64_t offset,
                    std::size_t length, Buffer& value) const;
    // Calls `visit` for each stored or pending chunk of a shard, including chunks beyond the
    // array's edge. Time and memory are proportional to the size of the indexes. Fails with kLimit
    // if indexes and results together exceed Limit::kChunkSize bytes. A malicious shard can cause
    // this failure, because many of its nested shards can refer to one byte range.
    Status ForEachIn(const ShardBox& box, const std::function<void(const Index&)>& visit) const;

    // True if the shard was not replaced since `node` was read.
    bool IsFresh(const Index& shard, const ShardNode& node) const;
    // Drop cached data of a shard. Call Drop() after this process stored the shard. Call Forget()
    // if other processes may have stored the shard. Forget() also drops the cached data of all
    // nested shards of the array.
    void Drop(const Index& shard) const;
    void Forget(const Index& shard) const;
    // Drops all cached data that is outdated. In a store without versions, some outdated data may
    // remain.
    void DropOutdated() const;

    // Returns an error about stored data whose message begins with the shard's key and the chunk's
    // index.
    Status Corrupt(const Index& chunk, const Status& status) const;
    // Adds the chunk's index to the error `status`, whose message starts with the shard's key.
    Status Failed(const Index& chunk, const Status& status) const;

  private:
    // Returns the location of the child of `node` that contains `chunk`. `node` is a shard of level
    // `level`; `index_in_shard` is the chunk's index in the outermost shard.
    Result<ShardLocation> LocateChild(std::size_t level, const ShardNodePtr& node,
                                      const ShardIndex& index, const Index& chunk,
                                      const Index& index_in_shard) const;
    // Adds the chunks of one shard of a level to `listing`. `first` is the index of the shard's
    // first chunk in the outermost shard.
    struct Listing;
    Status List(std::size_t level, const ShardNodePtr& node, const ShardIndex& index,
                const Index& first, Listing& listing) const;

    // Root() returns the index of an outermost shard. Child() returns the index of the nested shard
    // at `location`. Both functions use the cache; LoadRoot() and LoadChild() load the index
    // without it. LoadRoot() calls ReadRoot() again if the shard was replaced during the read.
    Result<ShardNodePtr> Root(const ShardBox& box, const ShardIndex& index) const;
    Result<ShardNodePtr> LoadRoot(const ShardBox& box, const ShardIndex& index) const;
    Status ReadRoot(const Index& shard, const ShardIndex& index, ShardNode& node) const;
    // Returns how many bytes to request for the index of an outermost shard. For a small shard of a
    // remote store, the bytes usually include the whole shard.
    std::size_t BytesWithIndex(const ShardIndex& index) const;
    Result<ShardNodePtr> Child(std::size_t level, const ShardIndex& index, const Index& chunk,
                               const ShardLocation& location) const;
    Result<ShardNodePtr> LoadChild(std::size_t level, const ShardIndex& index, const Index& chunk,
                                   const ShardLocation& location) const;
    // Load the index of a nested shard without the cache. LoadWrapped() is for a shard that codecs
    // encode as a whole, including its index. LoadPlain() is for any other shard.
    Status LoadWrapped(std::size_t level, const ShardIndex& index, const Index& chunk,
                       const ShardLocation& location, ShardNode& node) const;
    Status LoadPlain(std::size_t level, const ShardIndex& index, const Index& chunk,
                     const ShardLocation& location, ShardNode& node) const;
    std::string NameOfChild(std::size_t level, const Index& chunk) const;

    const KeyedChunks& shards_;
    const ShardGrid& grid_;
    const ShardLayout& layout_;
    ShardCache& cache_;
    const PendingShards& pending_;
    std::vector<std::uint64_t> ids_;  // ids in `cache_`, one per level of shards
};

}  // namespace zarr
