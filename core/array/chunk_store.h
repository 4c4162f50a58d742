// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/array/keyed_chunks.h"
#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/grid/grid_axis.h"
#include "core/store/store.h"
#include "core/store/synchronizer.h"

namespace zarr {

// Location of a chunk's bytes in the store.
struct ChunkLocation {
    std::string key;
    std::uint64_t offset = 0;
    // Size of the chunk in bytes; nullopt if the chunk is the whole object of the store.
    std::optional<std::uint64_t> size;
};

// Request to read a whole chunk, or only a part of its stored bytes.
struct ChunkRequest {
    std::uint64_t chunk = 0;  // row-major number of the chunk in the array's chunk grid
    ValuePart part = ValuePart::Whole(0);
    // Memory for the whole stored chunk; may be null. If the store can read directly into this
    // memory, the bytes need not be copied.
    MutableByteSpan memory;
    // Maximum number of threads that read this chunk. Ignored if one request to the store reads
    // several chunks.
    std::size_t threads = 1;
};

// Stored bytes of a chunk. Valid only during the call of ChunkStore::ChunkTaker that receives this
// object.
struct FetchedChunk {
    bool found = false;
    // Stored bytes of the chunk. If the store has filled ChunkRequest::memory, `bytes` refers to
    // that memory.
    //
    // If ChunkRequest::memory does not have the chunk's stored size, the memory is not filled, and
    // the data pointer of `bytes` is nullptr.
    ByteSpan bytes;
    // The chunk's VersionOf() before the read; set only if the whole chunk was read.
    ObjectVersion version;
};

// Locks for writing a chunk; `locks` is nullptr if no locks are needed. `is_locked_by_caller` is
// true if the caller already holds the lock of the chunk.
struct WriteLocks {
    std::shared_ptr<Synchronizer> locks;
    bool is_locked_by_caller = false;
};

// Stored chunks of one array, by index in the chunk grid. Each chunk, or each shard of an array
// with shards, is an object of the store.
//
// Thread-safe, except that two threads must not write one chunk at the same time.
class ChunkStore {
  public:
    using Index = KeyedChunks::Index;

    virtual ~ChunkStore() = default;
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;

    // ---- Store objects that contain chunks

    // Returns the key of the object that contains the chunk. Messages name the chunk by this key.
    std::string NameOf(const Index& chunk) const { return objects_.NameOf(ObjectOf(chunk)); }
    // Returns the key under which a Synchronizer locks the chunk.
    Result<std::string> LockKeyOf(const Index& chunk) const {
        return objects_.KeyOf(ObjectOf(chunk));
    }
    ObjectVersion VersionOf(const Index& chunk) const {
        return objects_.VersionOf(ObjectOf(chunk));
    }
    // True if reading the object that contains the chunk waits for a disk; see
    // Store::WaitsForDisk().
    bool WaitsForDisk(const Index& chunk) const { return objects_.WaitsForDisk(ObjectOf(chunk)); }
    // Return the character between the indices in chunk keys; see KeyedChunks::separator() and
    // DetermineSeparator().
    char separator() const { return objects_.separator(); }
    Result<char> DetermineSeparator() const { return objects_.DetermineSeparator(); }

    // ---- Reading

    // Returns the grid of chunk groups, measured in chunks, with one axis per dimension. Read() can
    // read the chunks of a group together. Empty if each chunk is read alone.
    const std::vector<GridAxis>& groups() const { return groups_; }

    // Reads chunks of one group. Chunks with neighbouring bytes are read with one request. For each
    // chunk, calls `take` with the chunk's position in `requests`, and with its bytes or the
    // failure to read it. Calls come in any order, from several threads at once.
    //
    // Returns the first failure of `take` or of the whole group. After such a failure, some chunks
    // may not be passed to `take`.
    using ChunkTaker =
        std::function<Status(std::size_t position, const Result<FetchedChunk>& chunk)>;
    virtual Status Read(const std::vector<ChunkRequest>& requests, const ReadRangesOptions& options,
                        const ChunkTaker& take) const = 0;

    // Returns the location of a chunk's bytes; nullopt if the chunk is known to be absent. Fails
    // with kUnsupported if the chunk's bytes are not contiguous in an object, as in a compressed
    // shard.
    virtual Result<std::optional<ChunkLocation>> Locate(const Index& chunk) const = 0;

    // Calls `visit` for each chunk that is stored or pending in memory, and `visit_size` for each
    // object below the array; see KeyedChunks::ForEachStored().
    using ChunkVisitor = KeyedChunks::ChunkVisitor;
    using SizeVisitor = KeyedChunks::SizeVisitor;
    virtual Status ForEachStored(const ChunkVisitor& visit,
                                 const SizeVisitor& visit_size) const = 0;

    // Drops cached information about the store, because other processes may have changed the store.
    virtual void DropOutdatedState() const = 0;

    // ---- Writing chunks. `store` must be the array's own store, opened for writing.

    // Stores a chunk, or removes the chunk if `value` is nullopt. A chunk of a shard is only kept
    // in memory ("pending") until the shard is stored.
    //
    // If all chunks of the shard are pending, Put() stores the shard under the shard's lock. If the
    // caller already holds that lock (WriteLocks::is_locked_by_caller), Put() does not store the
    // shard, and the caller must call StoreLocked().
    virtual Status Put(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                       const WriteLocks& locks) const = 0;
    // Removes the chunks beyond the first `counts` chunks along each dimension. Locks each changed
    // shard with `locks`, which may be nullptr.
    virtual Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                                const std::shared_ptr<Synchronizer>& locks) const = 0;

    // ---- Pending chunks of shards, kept in memory. The default implementations are for arrays
    // without shards.

    // Stores the shard that contains `chunk`. The caller holds the shard's lock.
    virtual Status StoreLocked(Store& /*store*/, const Index& /*chunk*/) const { return {}; }
    // Drops cached data of the shard that contains `chunk`, because other processes may have
    // changed the shard.
    virtual void Forget(const Index& /*chunk*/) const {}
    // Returns the memory in bytes that the pending chunks of shards use.
    virtual std::size_t PendingBytes() const { return 0; }
    // Stores shards until at most `max_bytes` of chunks are pending. Shards with the most pending
    // bytes are stored first.
    virtual Status Shrink(Store& /*store*/, std::size_t /*max_bytes*/) const { return {}; }
    // Stores all shards with pending chunks, and returns the first failure. The chunks of a shard
    // that cannot be stored stay pending.
    virtual Status Flush(Store& /*store*/, std::size_t /*threads*/) const { return {}; }
    // Discards all pending chunks, and calls `visit` with the row-major number of each discarded
    // chunk.
    virtual void Discard(const ChunkVisitor& /*visit*/) const {}

  protected:
    // `counts` is the number of objects (chunks or shards) along each dimension.
    ChunkStore(std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
               const Index& counts, std::vector<GridAxis> groups)
        : objects_(std::move(store), std::move(path), metadata, counts),
          groups_(std::move(groups)) {}

    const KeyedChunks& objects() const { return objects_; }

  private:
    // Returns the index of the object that contains a chunk. The default implementation returns the
    // chunk's own index.
    virtual Index ObjectOf(const Index& chunk) const { return chunk; }

    const KeyedChunks objects_;
    const std::vector<GridAxis> groups_;
};

}  // namespace zarr
