// SPDX-License-Identifier: MIT
#include "core/array/sharded_chunks.h"

#include <algorithm>
#include <utility>

#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"
#include "core/store/read_ranges.h"

namespace zarr {

Result<std::unique_ptr<const ShardedChunks>> ShardedChunks::Open(
    std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
    std::size_t max_chunk_bytes, ShardCache& cache, PendingShards& pending) {
    ZARR_ASSIGN_OR_RETURN(ShardLayout layout, ShardLayout::Bind(metadata, max_chunk_bytes));
    ZARR_ASSIGN_OR_RETURN(ShardGrid grid, ShardGrid::Bind(metadata));
    return std::unique_ptr<const ShardedChunks>(
        new ShardedChunks(std::move(store), std::move(path), metadata, std::move(grid),
                          std::move(layout), cache, pending));
}

ShardedChunks::ShardedChunks(std::shared_ptr<const Store> store, std::string path,
                             const ArrayMetadata& metadata, ShardGrid grid, ShardLayout layout,
                             ShardCache& cache, PendingShards& pending)
    : ChunkStore(store, std::move(path), metadata, grid.shard_counts(), grid.axes()),
      store_(std::move(store)),
      grid_(std::move(grid)),
      layout_(std::move(layout)),
      pending_(pending),
      reader_(objects(), grid_, layout_, cache, pending),
      writer_(objects(), grid_, layout_, reader_, pending),
      buffers_(tuning::kIdleReadBytes) {}

void ShardedChunks::DropOutdatedState() const {
    objects().DropOutdatedState();
    reader_.DropOutdated();
}

// ---------------------------------------------------------------------------------------------
// Chunks

// Locations of the requested chunks of one shard: in the shard's stored bytes, or in memory.
struct ShardedChunks::Located {
    struct InMemory {
        std::size_t position = 0;  // index of the chunk's request in the list of requests
        std::shared_ptr<const Buffer> memory;  // nullptr if the chunk is absent from the shard
        ByteSpan bytes;
    };
    Index shard;
    ShardBox box;
    // Cached data of the outermost shard; nullptr if all requested chunks are pending.
    ShardNodePtr root;
    std::vector<WantedRange> stored;  // WantedRange::which is the index of the chunk's request
    std::vector<InMemory> in_memory;
};

Status ShardedChunks::Locate(const std::vector<ChunkRequest>& requests, Located& located) const {
    located.stored.clear();
    located.in_memory.clear();
    located.root = nullptr;
    ShardReader::Walk walk(reader_);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const Index chunk = grid_.ChunkAt(requests[i].chunk);
        std::shared_ptr<const Buffer> memory;
        ShardLocation location;
        if (const auto pending = pending_.Find(located.box.shard, located.box.NumberOf(chunk))) {
            memory = *pending;
            location.is_present = memory != nullptr;
            location.size = location.is_present ? memory->size() : 0;
        } else {
            Result<ShardLocation> found = walk.Find(chunk);
            located.root = walk.root();
            ZARR_RETURN_IF_ERROR(found.status());
            location = found.Take();
            memory = location.node->memory;
        }
        if (!location.is_present) {
            located.in_memory.push_back({i, nullptr, {}});
            continue;
        }
        auto extent = requests[i].part.Of({}, location.size);
        if (!extent.ok()) return reader_.Corrupt(chunk, extent.status());
        const std::uint64_t offset = SaturatingAdd(location.offset, extent->offset);
        if (memory != nullptr)
            located.in_memory.push_back({i, memory, {memory->data() + offset, extent->size}});
        else
            located.stored.push_back({offset, extent->size, i});
    }
    return {};
}

Status ShardedChunks::Read(const std::vector<ChunkRequest>& requests,
                           const ReadRangesOptions& options, const ChunkTaker& take) const {
    if (requests.empty()) return {};
    if (requests.size() == 1 && pending_.empty()) return ReadOne(requests, 0, options, take);
    Located located;
    const Index first = grid_.ChunkAt(requests[0].chunk);
    located.shard = grid_.ShardOf(first);
    located.box = grid_.BoxOf(located.shard);
    const auto locate = [&] {
        return reader_.RetryUntilFresh(located.shard, &first, [&](ShardNodePtr& used) {
            Status status = Locate(requests, located);
            used = located.root;
            return status;
        });
    };
    ZARR_RETURN_IF_ERROR(options.on_request ? Timed(locate, options.on_request) : locate());
    const ObjectVersion version =
        located.root != nullptr ? located.root->version : objects().VersionOf(located.shard);
    ZARR_RETURN_IF_ERROR(ParallelFor(located.in_memory.size(), options.threads, [&](std::size_t i) {
        const Located::InMemory& chunk = located.in_memory[i];
        return take(chunk.position, FetchedChunk{chunk.memory != nullptr, chunk.bytes, version});
    }));
    const auto read = [&](std::size_t, std::uint64_t offset, std::size_t size,
                          Buffer& bytes) -> Result<bool> {
        const auto reading = pending_.Reading(located.box.shard);
        if (located.root->store_count != pending_.StoreCount(located.box.shard)) return false;
        if (size == 0) return true;
        ZARR_ASSIGN_OR_RETURN(const ReadResult found,
                              objects().Read(located.shard, ValuePart::Range(offset, size), bytes));
        return found.found && reader_.IsFresh(located.shard, *located.root);
    };
    // Without `bytes`, the shard was replaced, or the request for several chunks failed. ReadOne()
    // then reads this chunk alone, or returns the error.
    const auto sink = [&](std::size_t position, const std::optional<ByteSpan>& bytes) {
        return bytes ? take(position, FetchedChunk{true, *bytes, version})
                     : ReadOne(requests, position, options, take);
    };
    return ReadRanges({store_->Traits().request_cost, buffers_, read}, std::move(located.stored),
                      options, sink);
}

Status ShardedChunks::ReadOne(const std::vector<ChunkRequest>& requests, std::size_t position,
                              const ReadRangesOptions& options, const ChunkTaker& take) const {
    const ChunkRequest& request = requests[position];
    const Index chunk = grid_.ChunkAt(request.chunk);
    FetchedChunk fetched;
    Buffer buffer;
    const auto read_at = [&](const ShardLocation& location) -> Status {
        auto extent = request.part.Of({}, location.size);
        if (!extent.ok()) return reader_.Corrupt(chunk, extent.status());
        ZARR_RETURN_IF_ERROR(buffers_.Acquire(extent->size, buffer));
        return reader_.ReadPart(chunk, location, extent->offset, extent->size, buffer);
    };
    const auto read = [&] {
        const ThreadBudget budget(request.threads);
        if (request.part.is_whole()) fetched.version = VersionOf(chunk);
        return reader_.WithLocation(chunk, read_at);
    };
    const Result<bool> found = options.on_request ? Timed(read, options.on_request) : read();
    if (!found.ok()) return take(position, found.status());
    fetched.found = *found;
    fetched.bytes = std::as_const(buffer).span();
    Status status = take(position, fetched);
    buffers_.Release(std::move(buffer));
    return status;
}

Result<std::optional<ChunkLocation>> ShardedChunks::Locate(const Index& chunk) const {
    std::optional<ChunkLocation> found;
    const auto note = [&](const ShardLocation& location) -> Status {
        if (location.node->memory != nullptr)
            return reader_.Corrupt(
                chunk, Status::Unsupported("the chunk has no byte range of its own, because codecs "
                                           "encode its shard as a whole"));
        found = ChunkLocation{NameOf(chunk), location.offset, location.size};
        return {};
    };
    ZARR_RETURN_IF_ERROR(reader_.WithLocation(chunk, note).status());
    return found;
}

// ---------------------------------------------------------------------------------------------
// Operations on all chunks and shards

Result<std::vector<std::uint64_t>> ShardedChunks::PresentShards(
    const SizeVisitor& visit_size) const {
    std::vector<std::uint64_t> shards = pending_.Shards();
    const auto visit = [&](std::uint64_t shard) { shards.push_back(shard); };
    ZARR_RETURN_IF_ERROR(objects().ForEachStored(visit, visit_size));
    std::sort(shards.begin(), shards.end());
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
    return shards;
}

Status ShardedChunks::ForEachStored(const ChunkVisitor& visit,
                                    const SizeVisitor& visit_size) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> shards, PresentShards(visit_size));
    if (IsRemote() && shards.size() > tuning::kListedShards)
        return Status::Unsupported("listing the chunks of " + std::to_string(shards.size()) +
                                   " shards would take as many requests");
    std::vector<std::vector<std::uint64_t>> found(tuning::kListedShards);
    for (std::size_t first = 0; first < shards.size(); first += found.size()) {
        const std::size_t count = std::min(found.size(), shards.size() - first);
        ZARR_RETURN_IF_ERROR(
            ParallelFor(count, store_->Traits().concurrent_reads, [&](std::size_t i) {
                found[i].clear();
                return reader_.ForEachIn(grid_.BoxAt(shards[first + i]), [&](const Index& chunk) {
                    if (grid_.IsInside(chunk)) found[i].push_back(grid_.NumberOfChunk(chunk));
                });
            }));
        for (std::size_t i = 0; i < count; ++i)
            for (const std::uint64_t chunk : found[i]) visit(chunk);
    }
    return {};
}

void ShardedChunks::Discard(const ChunkVisitor& visit) const {
    std::vector<std::uint64_t> chunks;
    for (const std::uint64_t shard : pending_.Shards()) {
        const ShardBox box = grid_.BoxAt(shard);
        for (const ShardChange& change : pending_.Of(shard).chunks) {
            const Index chunk = box.ChunkOf(change.chunk);
            if (grid_.IsInside(chunk)) chunks.push_back(grid_.NumberOfChunk(chunk));
        }
    }
    pending_.Clear();
    for (const std::uint64_t chunk : chunks) visit(chunk);
}

Status ShardedChunks::EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                                   const std::shared_ptr<Synchronizer>& locks) const {
    std::vector<std::uint64_t> shard_counts;
    for (std::size_t i = 0; i < counts.size(); ++i)
        shard_counts.push_back(grid_.axes()[i].CountOf(counts[i]));
    ZARR_RETURN_IF_ERROR(objects().EraseOutside(store, shard_counts));
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> shards,
                          PresentShards([](std::optional<std::uint64_t>) {}));
    for (const std::uint64_t shard : shards)
        ZARR_RETURN_IF_ERROR(writer_.EraseOutside(store, shard, counts, locks));
    return {};
}

}  // namespace zarr
