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

// Chunks that lie in shards (Zarr v3, "Sharding codec"): a chunk is read by a request for its part
// of the shard, and one before it for the shard's index, which is remembered. A shard is written
// whole. Errors about what is stored start with the shard's key. See ShardReader about shards that
// are replaced while they are read. Thread-safe.
class ShardedChunks final : public ChunkStore, public GatheringGroups {
  public:
    // `max_chunk_bytes` bounds what is stored of one. `cache` and `pending` are borrowed.
    static Result<std::unique_ptr<const ShardedChunks>> Open(
        std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
        std::size_t max_chunk_bytes, ShardCache& cache, PendingShards& pending);
    ~ShardedChunks() override = default;
    ShardedChunks(const ShardedChunks&) = delete;
    ShardedChunks& operator=(const ShardedChunks&) = delete;

    using Index = ChunkStore::Index;

    Result<ReadResult> Read(const Index& chunk, const ValuePart& part,
                            const ReadSink& sink) const override;
    ObjectVersion VersionOf(const Index& chunk) const override {
        return shards_.VersionOf(grid_.ShardOf(chunk));
    }
    Result<std::optional<ChunkPlace>> PlaceOf(const Index& chunk) const override;
    char separator() const override { return shards_.separator(); }
    Result<char> Separator() const override { return shards_.Separator(); }
    const ChunkGroups* groups() const override { return this; }
    const GatheringGroups* gathering() const override { return this; }
    bool WaitsForDisk(const Index& chunk) const override {
        return shards_.WaitsForDisk(grid_.ShardOf(chunk));
    }
    std::string NameOf(const Index& chunk) const override {
        return shards_.NameOf(grid_.ShardOf(chunk));
    }
    // Where a request takes a while, not of more than a few shards.
    Status ForEachPresent(const ChunkVisitor& visit, const SizeVisitor& visit_size) const override;
    void DropAssumptions() const override;
    Result<std::string> LockOf(const Index& chunk) const override {
        return shards_.LockOf(grid_.ShardOf(chunk));
    }
    Status Set(Store& store, const Index& chunk, ByteSpan value) const override {
        return writer_.Gather(store, chunk, value, {nullptr});
    }
    Status Erase(Store& store, const Index& chunk) const override {
        return writer_.Gather(store, chunk, std::nullopt, {nullptr});
    }
    Status EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                        const std::shared_ptr<Synchronizer>& locks) const override;

    const std::vector<GridAxis>& axes() const override { return grid_.axes(); }
    Status GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                   const ChunkTaker& take) const override;
    Status Gather(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                  const WriteLocks& locks) const override {
        return writer_.Gather(store, chunk, value, locks);
    }
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
    struct Gathered;

    ShardedChunks(std::shared_ptr<const Store> store, std::string path,
                  const ArrayMetadata& metadata, ShardGrid grid, ShardLayout layout,
                  ShardCache& cache, PendingShards& pending);

    bool IsDistant() const { return store_->Traits().remote; }
    // As of PendingShards::Find().
    using Pending = std::optional<std::shared_ptr<const Buffer>>;
    Pending PendingOf(const Index& chunk) const;

    // The parts of GetMany().
    Status Locate(const std::vector<std::uint64_t>& chunks, Gathered& gathered) const;
    Status GetAlone(std::uint64_t chunk, std::size_t place, const FetchOptions& options,
                    const ChunkTaker& take) const;

    // The shards that are in the store or pending, by number.
    Result<std::vector<std::uint64_t>> PresentShards(const SizeVisitor& visit_size) const;

    const std::shared_ptr<const Store> store_;
    const ShardGrid grid_;
    const ShardLayout layout_;
    const KeyedChunks shards_;
    PendingShards& pending_;
    const ShardReader reader_;
    const ShardWriter writer_;
    mutable BufferPool buffers_;  // for what is read by one request
};

}  // namespace zarr
