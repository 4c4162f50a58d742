// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/array/chunk_store.h"
#include "core/array/keyed_chunks.h"
#include "core/array/pending_shards.h"
#include "core/array/shard_grid.h"
#include "core/array/shard_layout.h"
#include "core/array/shard_reader.h"

namespace zarr {

// Stores the shards of an array. A shard is stored whole, on request or when all its chunks are
// pending. Stored chunks that are not pending are copied from the old shard. Thread-safe.
class ShardWriter {
  public:
    using Index = ShardGrid::Index;

    // All arguments must outlive this object. When a shard is stored, the writer drops the data of
    // that shard that `reader` has cached.
    ShardWriter(const KeyedChunks& shards, const ShardGrid& grid, const ShardLayout& layout,
                const ShardReader& reader, PendingShards& pending)
        : shards_(shards), grid_(grid), layout_(layout), reader_(reader), pending_(pending) {}

    // Implement the methods of ChunkStore that have these names.
    Status Put(Store& store, const Index& chunk, std::optional<ByteSpan> value,
               const WriteLocks& locks) const;
    Status StoreLocked(Store& store, const Index& chunk) const;
    Status Shrink(Store& store, std::size_t max_bytes) const;
    Status Flush(Store& store, std::size_t threads) const;

    // Removes the chunks of one shard that are outside a grid of `counts` chunks along each
    // dimension. Takes the lock of the shard from `locks`, which may be nullptr.
    Status EraseOutside(Store& store, std::uint64_t shard, const std::vector<std::uint64_t>& counts,
                        const std::shared_ptr<Synchronizer>& locks) const;

  private:
    // Stores the pending chunks of a shard together with the changes `more`. Takes the shard's
    // lock, unless `is_locked` says that the caller holds the lock.
    Status StoreShard(Store& store, std::uint64_t shard, bool is_locked,
                      const std::vector<ShardChange>& more,
                      const std::shared_ptr<Synchronizer>& locks) const;
    Status Replace(Store& store, const ShardBox& box, const std::vector<ShardChange>& changes,
                   bool is_complete) const;

    const KeyedChunks& shards_;
    const ShardGrid& grid_;
    const ShardLayout& layout_;
    const ShardReader& reader_;
    PendingShards& pending_;
};

}  // namespace zarr
