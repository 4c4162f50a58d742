// SPDX-License-Identifier: MIT
// Format of the bytes of shards (Zarr v3, "Sharding codec", "Binary shard format").
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

// Change of one chunk in a shard: new bytes, or removal.
struct ShardChange {
    std::uint64_t chunk = 0;              // chunk number; see ShardBox::NumberOf()
    std::shared_ptr<const Buffer> bytes;  // stored bytes of the chunk; nullptr removes the chunk
};

// Bytes to store for a shard, as consecutive parts. Empty if no chunk remains. The parts point into
// `owned`, into the old shard or into the changes.
struct BuiltShard {
    std::vector<ByteSpan> parts;
    std::vector<Buffer> owned;
};

// Levels of an array's nested shards, with the codecs of each level bound once. A shard of level 0
// is a value of the store and contains shards of level 1, and so on; shards of the last level
// contain chunks. The "children" of a shard are the shards or chunks in it. `index_in_shard` is the
// index of a chunk along each dimension, counted in chunks from the start of the shard of level 0.
//
// If the grid is irregular, shards of level 0 may have several shapes. All shards of a deeper level
// have one shape. Immutable and thread-safe.
class ShardLayout {
  public:
    using Index = DimVector<std::uint64_t>;

    // Returns the layout of the shards in `metadata`, on all levels, and binds the codecs of each
    // level. `max_chunk_bytes` limits the stored size of a chunk. Fails if a codec cannot encode
    // its input; the message names the metadata member.
    static Result<ShardLayout> Bind(const ArrayMetadata& metadata, std::size_t max_chunk_bytes);

    std::size_t levels() const { return levels_.size(); }
    // Returns ok if shards can be written; otherwise an error that says why not.
    const Status& writable() const { return writable_; }

    // Returns the size of a shard of a level, in chunks along each dimension. For level 0, returns
    // the largest size of a shard.
    const Index& ChunksPerShard(std::size_t level) const { return levels_[level].chunks_per_shard; }
    // Returns the size of a child of a level's shard, in chunks along each dimension.
    const Index& ChunksPerChild(std::size_t level) const { return levels_[level].chunks_per_child; }

    // Returns the shard index of a level. `shape` is the size in chunks of the outermost shard.
    // Fails if the index codecs do not accept the size of the index.
    Result<ShardIndexPtr> IndexOf(std::size_t level, const Index& shape) const;
    // Returns the position in a level's shard index of the child that contains a chunk.
    // `index_in_shard` is the chunk's index in the outermost shard.
    std::size_t PositionOf(std::size_t level, const ShardIndex& index,
                           const Index& index_in_shard) const {
        return index.PositionOf(index_in_shard, levels_[level].chunks_per_child);
    }
    // Returns the byte range of the child at `position` of a level's shard index; nullopt if the
    // child is absent. ShardIndex::Find() describes the errors.
    Result<std::optional<ShardExtent>> Find(std::size_t level, const Buffer& entries,
                                            std::size_t position,
                                            std::optional<std::uint64_t> size) const {
        return ShardIndex::Find(entries, position, size, levels_[level].max_child_bytes);
    }

    // True if codecs encode the bytes of a whole shard of this level, including its index. Such a
    // shard is called "wrapped".
    bool IsEncodedWhole(std::size_t level) const { return !levels_[level].codecs.is_identity(); }
    // Returns the decoded size in bytes of all chunks of an outermost shard; UINT64_MAX if shards
    // nest or have different sizes.
    std::uint64_t decoded_shard_bytes() const { return decoded_shard_bytes_; }
    // Returns the maximum stored size in bytes of a wrapped shard of a level. A wrapped shard is
    // encoded as a whole.
    std::size_t MaxEncodedShardBytes(std::size_t level) const;
    // Decodes the bytes of a wrapped shard, which is encoded as a whole, into `shard`.
    Status Unwrap(std::size_t level, ByteSpan stored, Buffer& shard) const;

    // Builds the bytes of an outermost shard with `shape` chunks along each dimension. Applies
    // `changes` to the stored shard `old`, which is null if absent. Unchanged chunks are copied
    // byte for byte. Chunks are stored in the order of their entries in the shard index.
    Result<BuiltShard> Build(const Index& shape, ByteSpan old,
                             const std::vector<ShardChange>& changes) const;

  private:
    struct Level {
        Index chunks_per_shard;  // size of a shard in chunks along each dimension
        Index chunks_per_child;  // size of a child in chunks along each dimension
        std::size_t max_child_bytes = 0;
        ShardIndex index;  // index of the shards with `chunks_per_shard` chunks
        Pipeline codecs;
    };
    using Changes = std::vector<const ShardChange*>;

    ShardLayout() = default;
    std::uint64_t decoded_shard_bytes_ = UINT64_MAX;
    // Values that all steps of building a shard need.
    struct Building {
        const Index& shape;  // shape of the shard of level 0, in chunks
        PipelineScratch scratch;
    };
    struct Old;
    using Changed = std::pair<std::size_t, const ShardChange*>;
    // For each change, finds the position in the level's shard index of the child that contains the
    // changed chunk. Returns the changes with their positions, sorted by position.
    std::vector<Changed> ByPosition(std::size_t level, const ShardIndex& index, const Index& shape,
                                    const Changes& changes) const;

    static Result<Level> BindLevel(const ArrayMetadata& metadata, std::size_t number,
                                   std::size_t max_chunk_bytes);
    // Applies `changes` to the shard `stored` (null if absent) and appends the result to `built`.
    // Returns the new size in bytes. If no chunk remains, appends nothing and returns nullopt.
    Result<std::optional<std::size_t>> AddShard(std::size_t level, ByteSpan stored,
                                                const Changes& changes, Building& building,
                                                BuiltShard& built) const;
    // Applies `changes`, which may be empty, to the child at `position` and appends the result to
    // `built`. Returns the child's new size in bytes; nullopt if no chunk of the child remains.
    Result<std::optional<std::size_t>> AddChild(std::size_t level, std::size_t position,
                                                const Changes& changes, Old& old,
                                                Building& building, BuiltShard& built) const;
    // Encodes the shard `plain` as a whole and appends the result to `built`. Returns the size of
    // the result in bytes.
    Result<std::optional<std::size_t>> AddWrapped(std::size_t level, const BuiltShard& plain,
                                                  std::size_t size, Building& building,
                                                  BuiltShard& built) const;
    // Sets `old` to the shard with the bytes `stored`, and decodes its shard index into
    // `old.entries`. If the shard is encoded as a whole, decodes the shard; `owner` then owns the
    // decoded bytes to which `old` points. Sets no index if `stored` is null.
    Status Open(std::size_t level, const ShardIndex& index, ByteSpan stored, BuiltShard& owner,
                Old& old) const;
    // Returns the bytes of an unchanged child of the old shard; nullopt if the child is absent.
    Result<std::optional<ByteSpan>> FindUnchanged(std::size_t level, std::size_t position,
                                                  Old& old) const;

    std::vector<Level> levels_;
    Status writable_;
    Sharding outermost_;  // configuration of the shards of level 0
    // Shard indexes of level 0 by the shard's shape in chunks; nullptr if all shards of level 0
    // have one shape.
    std::unique_ptr<ShapeCache<ShardIndex>> more_;
};

}  // namespace zarr
