// SPDX-License-Identifier: MIT
#include "core/array/sharded_chunks.h"

#include <algorithm>
#include <utility>

#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/store/read_ranges.h"

namespace zarr {

namespace {

// Memory that is kept for the next request.
constexpr std::size_t kIdleReadBytes = std::size_t{16} << 20;

// Each index is a request.
constexpr std::size_t kMostDistantShards = 64;

}  // namespace

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
    : store_(std::move(store)),
      grid_(std::move(grid)),
      layout_(std::move(layout)),
      shards_(store_, std::move(path), metadata, grid_.shard_counts()),
      pending_(pending),
      reader_(shards_, grid_, layout_, cache, pending),
      writer_(shards_, grid_, layout_, reader_, pending),
      buffers_(kIdleReadBytes) {}

void ShardedChunks::DropAssumptions() const {
    shards_.DropAssumptions();
    reader_.DropStale();
}

// ---------------------------------------------------------------------------------------------
// Chunks

ShardedChunks::Pending ShardedChunks::PendingOf(const Index& chunk) const {
    if (pending_.empty()) return std::nullopt;
    const ShardBox box = grid_.BoxAround(chunk);
    return pending_.Find(box.shard, box.NumberOf(chunk));
}

Result<ReadResult> ShardedChunks::Read(const Index& chunk, const ValuePart& part,
                                       const ReadSink& sink) const {
    ReadResult result;
    if (part.is_whole()) result.version = VersionOf(chunk);
    if (const auto pending = PendingOf(chunk)) {
        if (*pending == nullptr) return result;
        ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                              ReadFrom((*pending)->span(), NameOf(chunk), part, sink));
        result.found = true;
        result.size = read.size;
        return result;
    }
    const auto read = [&](const ShardPlace& place) -> Status {
        result.size = place.size;
        if (part.is_whole() && place.size > part.length())
            return reader_.Corrupt(
                chunk,
                Status::Limit("has " + std::to_string(place.size) + " bytes, more than the " +
                              std::to_string(part.length()) + " that can be expected there"));
        ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of({}, place.size));
        if (Buffer* const buffer = sink.buffer())
            return reader_.ReadPart(chunk, place, extent.offset, extent.size, *buffer);
        Buffer value;
        ZARR_ASSIGN_OR_RETURN(const auto memory, sink.Reserve(extent.size));
        if (!memory) return {};
        ZARR_RETURN_IF_ERROR(reader_.ReadPart(chunk, place, extent.offset, extent.size, value));
        return sink.Assign(std::as_const(value).span());
    };
    ZARR_ASSIGN_OR_RETURN(result.found, reader_.AtPlace(chunk, read));
    return result;
}

Result<std::optional<ChunkPlace>> ShardedChunks::PlaceOf(const Index& chunk) const {
    std::optional<ChunkPlace> found;
    const auto note = [&](const ShardPlace& place) -> Status {
        if (place.node->memory != nullptr)
            return reader_.Corrupt(
                chunk, Status::Unsupported("lies in a shard that is encoded as a whole"));
        found = ChunkPlace{NameOf(chunk), place.offset, place.size};
        return {};
    };
    ZARR_RETURN_IF_ERROR(reader_.AtPlace(chunk, note).status());
    return found;
}

// ---------------------------------------------------------------------------------------------
// Chunks that are read together

// What is known of chunks before they are read.
struct ShardedChunks::Gathered {
    struct Held {  // in memory
        std::size_t which = 0;
        std::shared_ptr<const Buffer> memory;  // nullptr where it is absent
        ByteSpan bytes;
    };
    Index shard;
    ShardBox box;
    ShardNodePtr root;                // nullptr where all chunks are pending
    std::vector<WantedRange> stored;  // `which` is the position in `chunks` of GetMany()
    std::vector<Held> held;
};

Status ShardedChunks::Locate(const std::vector<std::uint64_t>& chunks, Gathered& gathered) const {
    gathered.stored.clear();
    gathered.held.clear();
    gathered.root = nullptr;
    ShardReader::Walk walk(reader_);
    for (std::size_t which = 0; which < chunks.size(); ++which) {
        const Index chunk = grid_.ChunkAt(chunks[which]);
        const auto pending = pending_.Find(gathered.box.shard, gathered.box.NumberOf(chunk));
        if (pending) {
            gathered.held.push_back(
                {which, *pending, *pending != nullptr ? (*pending)->span() : ByteSpan()});
            continue;
        }
        ZARR_ASSIGN_OR_RETURN(const ShardPlace place, walk.Find(chunk));
        gathered.root = place.node;
        const auto size = static_cast<std::size_t>(place.size);
        if (!place.is_present)
            gathered.held.push_back({which, nullptr, {}});
        else if (place.node->memory != nullptr)
            gathered.held.push_back(
                {which, place.node->memory, {place.node->memory->data() + place.offset, size}});
        else
            gathered.stored.push_back({place.offset, place.size, which});
    }
    return {};
}

Status ShardedChunks::GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                              const ChunkTaker& take) const {
    if (chunks.empty()) return {};
    Gathered gathered;
    const Index first = grid_.ChunkAt(chunks[0]);
    gathered.shard = grid_.ShardOf(first);
    gathered.box = grid_.BoxOf(gathered.shard);
    const auto locate = [&] {
        return reader_.WhileFresh(gathered.shard, &first, [&]() -> Result<ShardNodePtr> {
            ZARR_RETURN_IF_ERROR(Locate(chunks, gathered));
            return gathered.root;
        });
    };
    ZARR_RETURN_IF_ERROR(options.on_request ? Timed(locate, options.on_request) : locate());
    const ObjectVersion version =
        gathered.root != nullptr ? gathered.root->version : shards_.VersionOf(gathered.shard);
    ZARR_RETURN_IF_ERROR(ParallelFor(gathered.held.size(), options.threads, [&](std::size_t i) {
        const Gathered::Held& held = gathered.held[i];
        return take(held.which, {held.memory != nullptr, held.bytes, version});
    }));
    const auto read = [&](std::size_t, std::uint64_t offset, std::size_t size,
                          Buffer& bytes) -> Result<bool> {
        const auto reading = pending_.Reading(gathered.box.shard);
        if (gathered.root->store_count != pending_.StoreCount(gathered.box.shard)) return false;
        if (size == 0) return true;
        ZARR_ASSIGN_OR_RETURN(const ReadResult found,
                              shards_.Read(gathered.shard, ValuePart::Range(offset, size), bytes));
        return found.found && reader_.IsFresh(gathered.shard, *gathered.root);
    };
    // Without `bytes` the shard was replaced, or cannot be read: reading one chunk finds out.
    const auto sink = [&](std::size_t which, const std::optional<ByteSpan>& bytes) {
        return bytes ? take(which, {true, *bytes, version})
                     : GetAlone(chunks[which], which, options, take);
    };
    return ReadRanges({store_->Traits().request_cost, buffers_, read}, std::move(gathered.stored),
                      options, sink);
}

Status ShardedChunks::GetAlone(std::uint64_t chunk, std::size_t place, const FetchOptions& options,
                               const ChunkTaker& take) const {
    const Index index = grid_.ChunkAt(chunk);
    Buffer value;
    ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                          Read(index, ValuePart::Whole(options.limit), value));
    return take(place, {read.found, std::as_const(value).span(), read.version});
}

// ---------------------------------------------------------------------------------------------
// All chunks

Result<std::vector<std::uint64_t>> ShardedChunks::PresentShards(
    const SizeVisitor& visit_size) const {
    std::vector<std::uint64_t> shards = pending_.Shards();
    const auto visit = [&](std::uint64_t shard) { shards.push_back(shard); };
    ZARR_RETURN_IF_ERROR(shards_.ForEachPresent(visit, visit_size));
    std::sort(shards.begin(), shards.end());
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
    return shards;
}

Status ShardedChunks::ForEachPresent(const ChunkVisitor& visit,
                                     const SizeVisitor& visit_size) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> shards, PresentShards(visit_size));
    if (IsDistant() && shards.size() > kMostDistantShards)
        return Status::Unsupported("to list the chunks of " + std::to_string(shards.size()) +
                                   " shards takes as many requests");
    std::vector<std::vector<std::uint64_t>> found(kMostDistantShards);
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
    ZARR_RETURN_IF_ERROR(shards_.EraseOutside(store, shard_counts, locks));
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> shards,
                          PresentShards([](std::optional<std::uint64_t>) {}));
    for (const std::uint64_t shard : shards)
        ZARR_RETURN_IF_ERROR(writer_.EraseOutside(store, shard, counts, locks));
    return {};
}

}  // namespace zarr
