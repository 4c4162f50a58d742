// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/chunk_id.h"
#include "core/array/keyed_chunks.h"
#include "core/array/pending_shards.h"
#include "core/array/shard_grid.h"
#include "core/array/shard_layout.h"
#include "core/base/bytes.h"

namespace zarr {

// Cached index of a shard or nested shard; immutable. Also has the shard's bytes if one request
// read them, or if codecs encode the shard or an enclosing shard.
struct ShardNode {
    bool is_absent = false;
    ObjectVersion version;          // version of the outermost shard's value, before it was read
    std::uint64_t store_count = 0;  // PendingShards::StoreCount() before the shard was read
    // Offset of the shard in the outermost shard's value; offset in `memory` if `memory` is set.
    std::uint64_t base = 0;
    std::optional<std::uint64_t> size;  // size of the shard in bytes; nullopt if unknown
    // Bytes of the shard, or of an enclosing shard. nullptr if chunks must be read from the store.
    std::shared_ptr<const Buffer> memory;
    Buffer entries;  // decoded shard index; see ShardIndex

    std::size_t bytes() const {
        return sizeof(ShardNode) + entries.size() + (memory != nullptr ? memory->size() : 0);
    }
};
using ShardNodePtr = std::shared_ptr<const ShardNode>;
using ShardCache = PerChunkCache<ShardNode>;

// Location of the bytes of a chunk or nested shard.
struct ShardLocation {
    ShardNodePtr node;  // innermost shard that was read
    bool is_present = false;
    // Position of the bytes in the outermost shard's value; position in `node->memory` if that is
    // set.
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// Reads and caches the shard indexes of an array, at all levels of nesting, and locates chunks.
// Error messages about stored data start with the shard's key. Thread-safe.
//
// Another process may replace a shard between the request for its index and the requests for its
// chunks. If the shard's version has changed, the index is read again; after several attempts the
// read fails. In a store without versions, such a change is not noticed. Readers and writers of
// this process that share `pending` exclude each other.
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

    // Locates chunks, one per call of Find(). Keeps the shard indexes of the last call, so that
    // another chunk of these shards needs no look-up in the cache. Not thread-safe.
    class Walk {
      public:
        explicit Walk(const ShardReader& of) : of_(of) {}
        Result<ShardLocation> Find(const Index& chunk);
        // Returns the outermost shard that Find() used last, even if it failed. nullptr if that
        // shard could not be read.
        ShardNodePtr root() const { return steps_.empty() ? nullptr : steps_.front().node; }

      private:
        struct Step {
            ShardNodePtr node;
            ShardIndexPtr index;
            // Identifies the shard by the index of one of its chunks in the outermost shard.
            Index index_in_shard;
        };
        bool IsAt(const Step& step, std::size_t level, const Index& index_in_shard) const;
        Result<Step> Enter(std::size_t level, const Index& chunk, const ShardLocation& found) const;

        const ShardReader& of_;
        ShardBox box_;  // chunks of the outermost shard that Find() used last
        std::vector<Step> steps_;
    };

    // Calls `read` until the shard is not replaced during a call. `read` sets `used` to the
    // outermost shard that it has used, even if it fails, because an outdated index may have caused
    // the failure. Fails with kIo after several attempts; the message names `chunk`, if not
    // nullptr.
    using Read = std::function<Status(ShardNodePtr& used)>;
    Status RetryUntilFresh(const Index& shard, const Index* chunk, const Read& read) const;
    // Calls `read` with the location of a stored chunk. Calls `read` again if the shard was
    // replaced during the call. Returns false if the chunk is absent.
    using ReadAt = std::function<Status(const ShardLocation& location)>;
    Result<bool> WithLocation(const Index& chunk, const ReadAt& read) const;
    // Reads `length` bytes of a chunk, starting at `offset` in the chunk.
    Status ReadPart(const Index& chunk, const ShardLocation& location, std::uint64_t offset,
                    std::size_t length, Buffer& value) const;
    // Calls `visit` for each stored or pending chunk of a shard, even beyond the array's edge.
    // Fails with kLimit if indexes and results exceed Limit::kChunkSize bytes, for example in a
    // malicious shard.
    Status ForEachIn(const ShardBox& box, const std::function<void(const Index&)>& visit) const;

    // True if the shard was not replaced since `node` was read.
    bool IsFresh(const Index& shard, const ShardNode& node) const;
    // Drop cached data of a shard: Drop() after this process stored the shard, Forget() if other
    // processes may have stored it. Forget() also drops all nested shards of the array.
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

    // Return the index of an outermost shard (Root) or of the nested shard at `location` (Child).
    // Both use the cache; LoadRoot() and LoadChild() do not. LoadRoot() retries if the shard was
    // replaced meanwhile.
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
    std::vector<std::uint64_t> ids_;  // one id in `cache_` for the shards of each level
};

}  // namespace zarr
