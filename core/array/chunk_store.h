// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/grid/grid_axis.h"
#include "core/store/store.h"
#include "core/store/synchronizer.h"

namespace zarr {

class ChunkGroups;
class GatheringGroups;

// Where the bytes of a chunk are.
struct ChunkPlace {
    std::string key;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> size;  // in bytes; none where they are the whole value
};

// The stored chunks of one array, by their place in the chunk grid: where they lie in a store, and
// under which keys, is not known above. Reading is thread-safe, and so is writing different chunks.
class ChunkStore {
  public:
    // The index of a chunk along each dimension.
    using Index = DimVector<std::uint64_t>;

    ChunkStore() = default;
    virtual ~ChunkStore() = default;
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;

    // Reads a part of a stored chunk as Store::Read() does: one request, two if the chunk's key is
    // not known yet.
    virtual Result<ReadResult> Read(const Index& chunk, const ValuePart& part,
                                    const ReadSink& sink) const = 0;
    virtual ObjectVersion VersionOf(const Index& chunk) const = 0;

    // See Store::WaitsForDisk(). The default is false.
    virtual bool WaitsForDisk(const Index& /*chunk*/) const { return false; }

    // Where a stored chunk lies; nothing where it is known to be absent. kUnsupported where no run
    // of a value's bytes is the chunk.
    virtual Result<std::optional<ChunkPlace>> PlaceOf(const Index& chunk) const = 0;

    // What separates the indices in a key: '.' or '/', as far as is known.
    virtual char separator() const = 0;
    // The same for certain: looks at the store where nothing has told yet.
    virtual Result<char> Separator() const = 0;

    // Where several chunks are stored together: how they are read together, and how they are
    // written so. nullptr where each is by itself, or is written by itself.
    virtual const ChunkGroups* groups() const { return nullptr; }
    virtual const GatheringGroups* gathering() const { return nullptr; }

    // How messages name a chunk.
    virtual std::string NameOf(const Index& chunk) const = 0;

    // Visits the chunks that are stored, by their index in row-major order of the grid, and the
    // size of each object, where the store tells it. kUnsupported where the store cannot list.
    using ChunkVisitor = std::function<void(std::uint64_t index)>;
    using SizeVisitor = std::function<void(std::optional<std::uint64_t> size)>;
    virtual Status ForEachPresent(const ChunkVisitor& visit,
                                  const SizeVisitor& visit_size) const = 0;

    // What was concluded from a chunk that is absent is looked for again.
    virtual void DropAssumptions() const = 0;

    // The name of the lock that writers of a chunk agree on: of all that is stored with it.
    virtual Result<std::string> LockOf(const Index& chunk) const = 0;
    // Store or remove a chunk in `store`, which is the array's own, for writing.
    virtual Status Set(Store& store, const Index& chunk, ByteSpan value) const = 0;
    virtual Status Erase(Store& store, const Index& chunk) const = 0;
    // Removes the chunks outside of a grid of so many chunks along each dimension; under `locks`,
    // which may be nullptr, where others are stored with them.
    virtual Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                                const std::shared_ptr<Synchronizer>& locks) const = 0;
};

// A stored chunk that was read with others. What it refers to lives as long as the call that it is
// handed over in.
struct FetchedChunk {
    bool found = false;
    ByteSpan bytes;
    ObjectVersion version;  // from before it was read
};

// How chunks are read together, `limit` being that of each.
using FetchOptions = ReadManyOptions;

// Chunks that are stored together, as in the shards of Zarr v3 or a zip file. Thread-safe.
class ChunkGroups {
  public:
    using Index = ChunkStore::Index;

    ChunkGroups() = default;
    virtual ~ChunkGroups() = default;
    ChunkGroups(const ChunkGroups&) = delete;
    ChunkGroups& operator=(const ChunkGroups&) = delete;

    // The grid of the groups along each dimension, measured in chunks.
    virtual const std::vector<GridAxis>& axes() const = 0;

    // Reads chunks of one group, by their index in row-major order of the array's grid, and calls
    // `take` with the place of each in `chunks`, in any order, from several threads at once. What
    // lies close together is read by one request.
    using ChunkTaker = std::function<Status(std::size_t place, const FetchedChunk& chunk)>;
    virtual Status GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                           const ChunkTaker& take) const = 0;
};

// Groups that are written as a whole. What is set gathers until all of a group is there, or it is
// told to store what there is; reading sees it. Thread-safe.
class GatheringGroups : public ChunkGroups {
  public:
    // Gathers a chunk, or with nothing that it is to be absent. Stores its group in `store` where
    // that is complete then, under the group's lock in `locks`, which may be nullptr; not where the
    // caller has that lock, who calls StoreLocked() then.
    struct WriteLocks {
        std::shared_ptr<Synchronizer> locks;
        bool is_held = false;
    };
    virtual Status Gather(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                          const WriteLocks& locks) const = 0;
    // Stores the group of a chunk, whose lock the caller has.
    virtual Status StoreLocked(Store& store, const Index& chunk) const = 0;
    // What was read of the group of a chunk is read again.
    virtual void Forget(const Index& chunk) const = 0;

    // In memory, of what is gathered.
    virtual std::size_t PendingBytes() const = 0;
    // Stores groups, the largest first, until no more than `max_bytes` are gathered.
    virtual Status Shrink(Store& store, std::size_t max_bytes) const = 0;
    // Stores all of them. Tries all whatever happens, keeps those that fail, and returns the first
    // failure.
    virtual Status Flush(Store& store, std::size_t threads) const = 0;
    // Forgets all of them, unstored, and calls `visit` with the index of each of their chunks.
    virtual void Discard(const ChunkStore::ChunkVisitor& visit) const = 0;
};

}  // namespace zarr
