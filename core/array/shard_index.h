// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/axis_order.h"
#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/codec/pipeline.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Byte range of a child or of the index in a shard.
struct ShardExtent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// Index of a shard, for all shards of one shape. Locates the children of a shard, which are inner
// chunks or nested shards (Zarr v3, "Sharding codec", "Binary shard format"). A decoded index
// ("entries") has two uint64 per child, offset and size, in the host's byte order. Immutable and
// thread-safe.
class ShardIndex {
  public:
    using Index = DimVector<std::uint64_t>;

    ShardIndex() = default;
    // Binds the index codecs for `counts` children along each dimension. Error messages name the
    // metadata member. Fails with kLimit if the index exceeds Limit::kChunkSize.
    static Result<ShardIndex> Bind(const Sharding& sharding, const Index& counts);

    // children() returns the number of children of a shard; counts() returns the number along each
    // dimension.
    std::size_t children() const { return children_; }
    const Index& counts() const { return counts_; }
    // Returns the stored size of the index in bytes.
    std::size_t bytes() const { return bytes_; }
    bool is_at_end() const { return is_at_end_; }
    // Returns ok if the index can be written; otherwise an error that says why not.
    const Status& writable() const { return pipeline_.writable(); }

    // Returns the position in this index of the child that contains a chunk. A child has
    // `chunks_per_child` chunks along each dimension. `index_in_shard` is the chunk's index within
    // this shard or within an enclosing shard. Both indexes give the same position, because an
    // enclosing shard contains whole shards.
    std::size_t PositionOf(const Index& index_in_shard, const Index& chunks_per_child) const {
        std::size_t position = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            const std::size_t axis = order_.At(i, counts_.size());
            const std::uint64_t child =
                index_in_shard[axis] / chunks_per_child[axis] % counts_[axis];
            position = position * static_cast<std::size_t>(counts_[axis]) +
                       static_cast<std::size_t>(child);
        }
        return position;
    }

    // Returns the byte range of the index in a shard of `size` bytes. Fails with kCorrupt if the
    // shard is too small.
    Result<ShardExtent> IndexExtent(std::uint64_t size) const;
    Status Decode(ByteSpan stored, Buffer& entries) const;
    // Decodes the index of `shard`, the bytes of a whole shard, into `entries`.
    Status DecodeFrom(ByteSpan shard, Buffer& entries) const;
    // Sets `entries` to the index of a shard in which all children are absent.
    Status Clear(Buffer& entries) const;
    static void Set(Buffer& entries, std::size_t position, const ShardExtent& extent);
    Result<ByteSpan> Encode(const Buffer& entries, PipelineScratch& scratch) const;

    // Returns the byte range of the child at `position`; nullopt if the child is absent. Fails with
    // kCorrupt if only one of the entry's two numbers marks an absent child. Also fails if the
    // range has more than `most` bytes, or ends beyond `size`, the size of the shard if known.
    // Ranges of several children may overlap.
    static Result<std::optional<ShardExtent>> Find(const Buffer& entries, std::size_t position,
                                                   std::optional<std::uint64_t> size,
                                                   std::size_t most);

  private:
    Index counts_;
    AxisOrder order_;
    bool is_at_end_ = true;
    std::size_t children_ = 0;
    std::size_t bytes_ = 0;
    Pipeline pipeline_;
};

using ShardIndexPtr = std::shared_ptr<const ShardIndex>;

}  // namespace zarr
