// SPDX-License-Identifier: MIT
// How the chunks of a shard lie in its bytes (Zarr v3, "Sharding codec", "Binary shard format").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/array/shape_cache.h"
#include "core/array/shard_index.h"
#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/codec/pipeline.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// What becomes of a chunk of a shard.
struct ShardChange {
    std::uint64_t chunk = 0;              // its number, see ShardBox::NumberOf()
    std::shared_ptr<const Buffer> bytes;  // as stored; nullptr for a chunk that is to be absent
};

// What is to be stored of a shard, as parts that follow each other; none where no chunk is left.
// They refer to the stored shard and the changes that it was built of, and to `owned`.
struct BuiltShard {
    std::vector<ByteSpan> parts;
    std::vector<Buffer> owned;
};

// The levels of an array's shards, bound once: a shard of the outermost level, 0, is one value of
// the store; it holds shards of level 1, and those of the last level hold chunks. "Children" are
// what a shard of a level holds. Chunks are named by their place along each dimension in their
// shard of level 0, counted in chunks. The shards of level 0 have one shape, or several where the
// array's grid has; those in them have one. Immutable and shared between threads.
class ShardLayout {
  public:
    using Index = DimVector<std::uint64_t>;

    // `max_chunk_bytes` bounds what is stored of a chunk. Errors name the member of the metadata.
    static Result<ShardLayout> Bind(const ArrayMetadata& metadata, std::size_t max_chunk_bytes);

    std::size_t levels() const { return levels_.size(); }
    // Why shards cannot be written; ok where they can.
    const Status& writable() const { return writable_; }

    // Chunks along each dimension of a shard of a level; of level 0 of the largest.
    const Index& Reach(std::size_t level) const { return levels_[level].reach; }
    // And of what it holds.
    const Index& ChildReach(std::size_t level) const { return levels_[level].child_reach; }

    // The index of the shards of a level; of level 0 of the one that has `shape` chunks along each
    // dimension. Fails where the codecs cannot be bound to it.
    Result<ShardIndexPtr> IndexOf(std::size_t level, const Index& shape) const;
    // Where in the index of its shard of a level the child that has a chunk is described.
    std::size_t PositionOf(std::size_t level, const ShardIndex& index, const Index& place) const {
        return index.PositionOf(place, levels_[level].child_reach);
    }
    // What the entries of that index say of it, see ShardIndex::Find().
    Result<std::optional<ShardExtent>> Find(std::size_t level, const Buffer& entries,
                                            std::size_t position,
                                            std::optional<std::uint64_t> size) const {
        return ShardIndex::Find(entries, position, size, levels_[level].max_child_bytes);
    }

    // True where the bytes of a shard of a level are encoded as a whole.
    bool IsWrapped(std::size_t level) const { return !levels_[level].codecs.is_identity(); }
    // A bound of the stored size of a shard of a level that is wrapped.
    std::size_t MaxWrappedBytes(std::size_t level) const;
    // Decodes a wrapped shard.
    Status Unwrap(std::size_t level, ByteSpan stored, Buffer& shard) const;

    // What is to be stored of a shard of level 0 that has `shape` chunks along each dimension:
    // `changes`, and of `old`, the stored shard, or nothing of a null one, whatever is not changed,
    // byte for byte. The chunks lie in the order of the index.
    Result<BuiltShard> Build(const Index& shape, ByteSpan old,
                             const std::vector<ShardChange>& changes) const;

  private:
    struct Level {
        Index reach;        // chunks along each dimension of a shard
        Index child_reach;  // and of a child
        std::size_t max_child_bytes = 0;
        ShardIndex index;  // of a shard of `reach`
        Pipeline codecs;
    };
    using Changes = std::vector<const ShardChange*>;

    ShardLayout() = default;
    // What is built.
    struct Building {
        const Index& shape;  // of the shard of level 0
        PipelineScratch scratch;
    };
    struct Old;
    using Changed = std::pair<std::size_t, const ShardChange*>;
    // The changes of what a shard of a level holds, in the order of its index.
    std::vector<Changed> ByPosition(std::size_t level, const ShardIndex& index, const Index& shape,
                                    const Changes& changes) const;

    static Result<Level> BindLevel(const ArrayMetadata& metadata, std::size_t number,
                                   std::size_t max_chunk_bytes);
    // Adds a shard of a level, after `changes` of it, to what is built; `stored` is null where
    // there is none. Its size in bytes; nothing, and nothing is added, where no chunk is left.
    Result<std::optional<std::size_t>> AddShard(std::size_t level, ByteSpan stored,
                                                const Changes& changes, Building& building,
                                                BuiltShard& built) const;
    // The same of a child of a shard of a level; `changes` may be none.
    Result<std::optional<std::size_t>> AddChild(std::size_t level, std::size_t position,
                                                const Changes& changes, Old& old,
                                                Building& building, BuiltShard& built) const;
    // Adds a shard of a level that is encoded as a whole. Its size.
    Result<std::optional<std::size_t>> AddWrapped(std::size_t level, const BuiltShard& plain,
                                                  std::size_t size, Building& building,
                                                  BuiltShard& built) const;
    // Looks into a stored shard; what it is decoded to belongs to `owner`.
    Status Open(std::size_t level, const ShardIndex& index, ByteSpan stored, BuiltShard& owner,
                Old& old) const;
    // The bytes of a child, which is to be kept; nothing where it is absent.
    Result<std::optional<ByteSpan>> Take(std::size_t level, std::size_t position, Old& old) const;

    std::vector<Level> levels_;
    Status writable_;
    Sharding outermost_;                            // that of level 0
    std::unique_ptr<ShapeCache<ShardIndex>> more_;  // indexes of level 0, where shapes differ
};

}  // namespace zarr
