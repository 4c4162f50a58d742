// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/chunk_store.h"
#include "core/array/keyed_chunks.h"
#include "core/array/pending_shards.h"
#include "core/array/shard_grid.h"
#include "core/array/shard_layout.h"
#include "core/array/shard_reader.h"
#include "core/array/shard_writer.h"
#include "core/base/bytes.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Chunks in shards (Zarr v3, "Sharding codec"). Reads only the byte range of a chunk, by the
// shard's cached index, but always writes whole shards.
//
// Error messages about stored data start with the shard's key. ShardReader describes what happens
// if a shard is replaced during a read. Thread-safe.
class ShardedChunks final : public ChunkStore {
  public:
    // No stored chunk may exceed `max_chunk_bytes`. `cache` and `pending` must outlive this object.
    static Result<std::unique_ptr<const ShardedChunks>> Open(
        std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
        std::size_t max_chunk_bytes, ShardCache& cache, PendingShards& pending);
    ~ShardedChunks() override = default;
    ShardedChunks(const ShardedChunks&) = delete;
    ShardedChunks& operator=(const ShardedChunks&) = delete;

    Status Read(const std::vector<ChunkRequest>& requests, const ReadRangesOptions& options,
                const ChunkTaker& take) const override;
    Result<std::optional<ChunkLocation>> Locate(const Index& chunk) const override;
    // Visits the chunks of all shards. Fails with kUnsupported for a remote store with more than
    // tuning::kListedShards shards.
    Status ForEachStored(const ChunkVisitor& visit, const SizeVisitor& visit_size) const override;
    void DropOutdatedState() const override;
    Status Put(Store& store, const Index& chunk, std::optional<ByteSpan> value,
               const WriteLocks& locks) const override {
        return writer_.Put(store, chunk, value, locks);
    }
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                        const std::shared_ptr<Synchronizer>& locks) const override;

    Status StoreLocked(Store& store, const Index& chunk) const override {
        return writer_.StoreLocked(store, chunk);
    }
    void Forget(const Index& chunk) const override { reader_.Forget(grid_.ShardOf(chunk)); }
    std::size_t PendingBytes() const override { return pending_.bytes(); }
    Status Shrink(Store& store, std::size_t max_bytes) const override {
        return writer_.Shrink(store, max_bytes);
    }
    Status Flush(Store& store, std::size_t threads) const override {
        return writer_.Flush(store, threads);
    }
    void Discard(const ChunkVisitor& visit) const override;

  private:
    struct Located;

    ShardedChunks(std::shared_ptr<const Store> store, std::string path,
                  const ArrayMetadata& metadata, ShardGrid grid, ShardLayout layout,
                  ShardCache& cache, PendingShards& pending);

    Index ObjectOf(const Index& chunk) const override { return grid_.ShardOf(chunk); }
    bool IsRemote() const { return store_->Traits().remote; }
    // Two steps of Read(): Locate() finds the byte ranges of the requested chunks, and ReadOne()
    // reads one chunk.
    Status Locate(const std::vector<ChunkRequest>& requests, Located& located) const;
    Status ReadOne(const std::vector<ChunkRequest>& requests, std::size_t position,
                   const ReadRangesOptions& options, const ChunkTaker& take) const;

    // Returns the numbers of the shards that are stored, or that have pending chunks in memory.
    Result<std::vector<std::uint64_t>> PresentShards(const SizeVisitor& visit_size) const;

    const std::shared_ptr<const Store> store_;
    const ShardGrid grid_;
    const ShardLayout layout_;
    PendingShards& pending_;
    const ShardReader reader_;
    const ShardWriter writer_;
    mutable BufferPool buffers_;  // memory for bytes read from shards
};

}  // namespace zarr
