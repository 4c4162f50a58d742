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

// Where the bytes of a chunk are.
struct ChunkPlace {
    std::string key;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> size;  // in bytes; none where they are the whole value
};

// A chunk to read.
struct ChunkRequest {
    std::uint64_t chunk = 0;  // number in row-major order of the array's grid
    ValuePart part = ValuePart::Whole(0);
    // Memory for the whole chunk, which a store fills without a copy if it can; may be nullptr.
    MutableByteSpan memory;
    std::size_t threads = 1;  // that may read the chunk, if it is read by itself
};

// The bytes of a chunk, valid during the call that hands them over.
struct FetchedChunk {
    bool found = false;
    // Lies in ChunkRequest::memory if the store filled that; has no data if that has another size.
    ByteSpan bytes;
    ObjectVersion version;  // of a whole chunk: VersionOf() from before it was read
};

// The locks that writers of a chunk agree on, which may be nullptr, and whether the caller holds
// the chunk's.
struct WriteLocks {
    std::shared_ptr<Synchronizer> locks;
    bool is_held = false;
};

// The stored chunks of one array, by their index in the chunk grid. A chunk lies in an object of
// the store: alone, or with the other chunks of its shard. Callers see no key and no shard. Reading
// is thread-safe, and so is writing different chunks.
class ChunkStore {
  public:
    using Index = KeyedChunks::Index;

    virtual ~ChunkStore() = default;
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;

    // ---- The object that a chunk lies in

    // Its key, which names the chunk in messages.
    std::string NameOf(const Index& chunk) const { return objects_.NameOf(ObjectOf(chunk)); }
    // The name of a chunk's lock in a Synchronizer.
    Result<std::string> LockOf(const Index& chunk) const { return objects_.KeyOf(ObjectOf(chunk)); }
    ObjectVersion VersionOf(const Index& chunk) const {
        return objects_.VersionOf(ObjectOf(chunk));
    }
    // See Store::WaitsForDisk().
    bool WaitsForDisk(const Index& chunk) const { return objects_.WaitsForDisk(ObjectOf(chunk)); }
    // See KeyedChunks::separator() and Separator().
    char separator() const { return objects_.separator(); }
    Result<char> Separator() const { return objects_.Separator(); }

    // ---- Reading

    // The grid of the groups along each dimension, measured in chunks. Empty if each chunk is a
    // group.
    const std::vector<GridAxis>& groups() const { return groups_; }

    // Reads chunks of one group, with one request for chunks that lie near each other. Calls `take`
    // with the position of each chunk in `requests` and its bytes, or the failure to read it, in
    // any order, from several threads at once. Returns the first failure of `take`, or a failure
    // of the whole group; chunks after a failure may not be read.
    using ChunkTaker =
        std::function<Status(std::size_t position, const Result<FetchedChunk>& chunk)>;
    virtual Status Read(const std::vector<ChunkRequest>& requests, const ReadRangesOptions& options,
                        const ChunkTaker& take) const = 0;

    // Returns where a chunk is stored; nothing if it is known to be absent. kUnsupported if no run
    // of an object's bytes is the chunk.
    virtual Result<std::optional<ChunkPlace>> PlaceOf(const Index& chunk) const = 0;

    // See KeyedChunks::ForEachPresent(). Pending chunks count as stored.
    using ChunkVisitor = KeyedChunks::ChunkVisitor;
    using SizeVisitor = KeyedChunks::SizeVisitor;
    virtual Status ForEachPresent(const ChunkVisitor& visit,
                                  const SizeVisitor& visit_size) const = 0;

    // Forgets what other processes may have changed since it was read.
    virtual void DropAssumptions() const = 0;

    // ---- Writing, to `store`, which is the array's own, for writing

    // Stores a chunk, or removes it if there is no `value`. A chunk of a shard becomes pending. The
    // shard is stored under its lock when all of its chunks are pending. A caller that holds the
    // lock calls StoreLocked() afterwards instead.
    virtual Status Put(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                       const WriteLocks& locks) const = 0;
    // Removes the chunks outside of a grid of `counts` chunks along each dimension. Shards are
    // changed under `locks`, which may be nullptr.
    virtual Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                                const std::shared_ptr<Synchronizer>& locks) const = 0;

    // ---- Pending chunks of shards. The defaults are those of a store without shards.

    // Stores the shard of a chunk, whose lock the caller holds.
    virtual Status StoreLocked(Store& /*store*/, const Index& /*chunk*/) const { return {}; }
    // Forgets what was read of the shard of a chunk.
    virtual void Forget(const Index& /*chunk*/) const {}
    // Bytes in memory that pending chunks take.
    virtual std::size_t PendingBytes() const { return 0; }
    // Stores shards, the largest first, until at most `max_bytes` are pending.
    virtual Status Shrink(Store& /*store*/, std::size_t /*max_bytes*/) const { return {}; }
    // Stores all shards with pending chunks. Keeps those that fail, and returns the first failure.
    virtual Status Flush(Store& /*store*/, std::size_t /*threads*/) const { return {}; }
    // Drops all pending chunks, unstored, and calls `visit` with the number of each.
    virtual void Discard(const ChunkVisitor& /*visit*/) const {}

  protected:
    // `counts` is the number of objects along each dimension.
    ChunkStore(std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
               const Index& counts, std::vector<GridAxis> groups)
        : objects_(std::move(store), std::move(path), metadata, counts),
          groups_(std::move(groups)) {}

    const KeyedChunks& objects() const { return objects_; }

  private:
    // The index of the object that a chunk lies in.
    virtual Index ObjectOf(const Index& chunk) const { return chunk; }

    const KeyedChunks objects_;
    const std::vector<GridAxis> groups_;
};

}  // namespace zarr
