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

// A run of bytes in a shard.
struct ShardExtent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// The index of the shards of one shape: where each of the children lies, which are what a shard
// holds (Zarr v3, "Sharding codec", "Binary shard format"). Its contents, the "entries", are two
// uint64 for each child, in the host's order. Immutable and shared between threads.
class ShardIndex {
  public:
    using Index = DimVector<std::uint64_t>;

    ShardIndex() = default;
    // `counts` are the children along each dimension of the array. Errors name the member of the
    // metadata; kLimit where the index is larger than a chunk may be.
    static Result<ShardIndex> Bind(const Sharding& sharding, const Index& counts);

    // Children, and along each dimension.
    std::size_t children() const { return children_; }
    const Index& counts() const { return counts_; }
    // Its stored size.
    std::size_t bytes() const { return bytes_; }
    bool is_at_end() const { return is_at_end_; }
    // Why it cannot be written; ok where it can.
    const Status& writable() const { return pipeline_.writable(); }

    // Where the child has its entry that holds what is at `place`, where each child reaches `reach`
    // along each dimension. Places count from any shard of this shape on, as these repeat in those
    // around them.
    std::size_t PositionOf(const Index& place, const Index& reach) const {
        std::size_t position = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            const std::size_t axis = order_.At(i, counts_.size());
            const std::uint64_t child = place[axis] / reach[axis] % counts_[axis];
            position = position * static_cast<std::size_t>(counts_[axis]) +
                       static_cast<std::size_t>(child);
        }
        return position;
    }

    // Where it lies in a shard of `size` bytes; kCorrupt where there is no room for it.
    Result<ShardExtent> PlaceIn(std::uint64_t size) const;
    Status Decode(ByteSpan stored, Buffer& entries) const;
    // The same of the whole shard.
    Status DecodeFrom(ByteSpan shard, Buffer& entries) const;
    // Makes `entries` those of a shard without children.
    Status Clear(Buffer& entries) const;
    static void Set(Buffer& entries, std::size_t position, const ShardExtent& extent);
    Result<ByteSpan> Encode(const Buffer& entries, PipelineScratch& scratch) const;

    // What `entries` say of the child at `position`: nothing where it is absent. kCorrupt where it
    // cannot be: half absent, more than `most` bytes, or beyond the end of the shard, which has
    // `size` bytes where that is known. Children may overlap.
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
