// SPDX-License-Identifier: MIT
// How the chunks of a shard lie in its bytes (Zarr v3, "Sharding codec", "Binary shard format").
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/axis_order.h"
#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/codec/pipeline.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// What becomes of a chunk of a shard.
struct ShardChange {
    std::uint64_t chunk = 0;              // its number, see ShardLayout::NumberOf()
    std::shared_ptr<const Buffer> bytes;  // as stored; nullptr for a chunk that is to be absent
};

// A run of bytes in a shard.
struct ShardExtent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// The levels of an array's shards, bound once: a shard of the outermost level, 0, is one value of
// the store; it holds shards of level 1, and those of the last level hold chunks. "Children" are
// what a shard of a level holds. Chunks are named by their index along each dimension, in the
// grid that the array's chunks make; that grid goes on beyond the array's edge to the end of the
// shards there. Immutable and shared between threads.
class ShardLayout {
  public:
    using Index = DimVector<std::uint64_t>;

    // `max_chunk_bytes` bounds what is stored of a chunk. Errors name the member of the metadata.
    static Result<ShardLayout> Bind(const ArrayMetadata& metadata, std::size_t max_chunk_bytes);

    std::size_t levels() const { return levels_.size(); }
    // Why shards cannot be written; ok where they can.
    const Status& writable() const { return writable_; }

    // Chunks along each dimension of a shard of a level.
    const Index& Reach(std::size_t level) const { return levels_[level].reach; }
    // Children of one shard of a level.
    std::size_t Children(std::size_t level) const { return levels_[level].children; }

    // The shard of level 0 that has a chunk, by its index in the grid of shards.
    Index ShardOf(const Index& chunk) const;
    // A chunk's number in its shard of level 0, row-major, and the chunk of a number.
    std::uint64_t NumberOf(const Index& chunk) const;
    Index ChunkOf(const Index& shard, std::uint64_t number) const;
    // Where in the index of its shard of a level the child that has a chunk is described.
    std::size_t PositionOf(std::size_t level, const Index& chunk) const;

    // True where the bytes of a shard of a level are encoded as a whole.
    bool IsWrapped(std::size_t level) const { return !levels_[level].codecs.is_identity(); }
    // A bound of the stored size of a shard of a level that is wrapped.
    std::size_t MaxWrappedBytes(std::size_t level) const;
    // Decodes a wrapped shard.
    Status Unwrap(std::size_t level, ByteSpan stored, Buffer& shard) const;

    // The index of a shard of a level: its stored size in bytes, whether it lies at the end of the
    // shard, and its contents: two uint64 for each child, in the host's order.
    std::size_t IndexBytes(std::size_t level) const { return levels_[level].index_bytes; }
    bool IsIndexAtEnd(std::size_t level) const { return levels_[level].is_index_at_end; }
    Status DecodeIndex(std::size_t level, ByteSpan stored, Buffer& entries) const;
    // Where the index lies in a shard of `size` bytes; kCorrupt where there is no room for it.
    Result<ShardExtent> FindIndex(std::size_t level, std::uint64_t size) const;

    // What `entries` say of the child at `position`: nothing where it is absent. kCorrupt where it
    // cannot be: half absent, larger than a chunk can be, or beyond the end of the shard, which has
    // `size` bytes where that is known. Children may overlap.
    Result<std::optional<ShardExtent>> Find(std::size_t level, const Buffer& entries,
                                            std::size_t position,
                                            std::optional<std::uint64_t> size) const;

    // Makes `built` what is to be stored of a shard of level 0: `changes`, and of `old`, the stored
    // shard, or nothing of a null one, whatever is not changed, byte for byte. The chunks lie in
    // the order of the index. False where no chunk is left.
    Result<bool> Build(ByteSpan old, const std::vector<ShardChange>& changes, Buffer& built) const;

  private:
    struct Level {
        Index counts;       // children along each dimension
        Index reach;        // chunks along each dimension of a shard
        Index child_reach;  // and of a child
        std::size_t children = 0;
        AxisOrder order;
        bool is_index_at_end = true;
        std::size_t index_bytes = 0;
        std::size_t max_child_bytes = 0;
        Pipeline index;
        Pipeline codecs;
    };
    using Changes = std::vector<const ShardChange*>;

    ShardLayout() = default;
    // A child that is to be in a shard.
    struct Part {
        std::size_t position = 0;
        ByteSpan bytes;
    };
    struct Old;
    using Changed = std::pair<std::size_t, const ShardChange*>;
    // The changes of what a shard of a level holds, in the order of its index.
    std::vector<Changed> ByPosition(const Level& level, const Changes& changes) const;

    static Result<Level> BindLevel(const ArrayMetadata& metadata, std::size_t number,
                                   std::size_t max_chunk_bytes);
    static Status BindIndex(const Sharding& sharding, Level& level);
    // Build() of a shard of a level; `stored` is null where there is none.
    Result<bool> BuildLevel(std::size_t level, ByteSpan stored, const Changes& changes,
                            PipelineScratch& scratch, Buffer& built) const;
    // The bytes of a child after `changes` of it, which may be none; nothing where it is to be
    // absent. They belong to `old`, to a change, or to a buffer that is added to `built`.
    Result<std::optional<ByteSpan>> BuildChild(std::size_t level, std::size_t position,
                                               const Changes& changes, Old& old,
                                               PipelineScratch& scratch,
                                               std::deque<Buffer>& built) const;
    Status Open(std::size_t level, ByteSpan stored, Old& old) const;
    // The bytes of a child, which is to be kept; nothing where it is absent.
    Result<std::optional<ByteSpan>> Take(std::size_t level, std::size_t position, Old& old) const;
    // Lays children out as a shard.
    Status Assemble(std::size_t level, const std::vector<Part>& parts, PipelineScratch& scratch,
                    Buffer& built) const;
    std::size_t PositionOf(const Level& level, std::uint64_t number) const;

    std::vector<Level> levels_;
    Status writable_;
};

}  // namespace zarr
