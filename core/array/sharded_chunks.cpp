// SPDX-License-Identifier: MIT
#include "core/array/sharded_chunks.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/grid/chunk_grid.h"

namespace zarr {

namespace {

// Memory that is kept for the next request.
constexpr std::size_t kIdleReadBytes = std::size_t{16} << 20;

// Bytes between two chunks that are read along: they take less time than another request does.
constexpr std::uint64_t kLocalGap = std::uint64_t{64} << 10;
constexpr std::uint64_t kDistantGap = std::uint64_t{1} << 20;

// How often a shard that is replaced while it is read is tried.
constexpr int kReadTries = 4;

ShardCache::Pointer NoNode() { return nullptr; }

// A version that is not certain yet may stand for a later one, too.
bool IsYoung(const ShardNode& node) { return node.version.exists && !node.version.is_certain; }

bool HasStampOf(const ShardNode& child, const ShardNode& parent) {
    return child.store_count == parent.store_count &&
           child.version.exists == parent.version.exists &&
           child.version.size == parent.version.size &&
           child.version.modified == parent.version.modified;
}

DimVector<std::uint64_t> CountShards(const DimVector<std::uint64_t>& chunks,
                                     const DimVector<std::uint64_t>& reach) {
    DimVector<std::uint64_t> counts = chunks;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = CeilDiv(chunks[i], reach[i]);
    return counts;
}

}  // namespace

Result<std::unique_ptr<const ShardedChunks>> ShardedChunks::Open(
    std::shared_ptr<const Store> store, std::string path, const ArrayMetadata& metadata,
    const DimVector<std::uint64_t>& counts, std::size_t max_chunk_bytes, ShardCache& cache,
    PendingShards& pending) {
    ZARR_ASSIGN_OR_RETURN(ShardLayout layout, ShardLayout::Bind(metadata, max_chunk_bytes));
    // The chunks of all shards have numbers, those beyond the array's edge, too.
    std::uint64_t chunks = 1;
    const DimVector<std::uint64_t> shards = CountShards(counts, layout.Reach(0));
    for (std::size_t i = 0; i < shards.size(); ++i)
        chunks = SaturatingMul(SaturatingMul(chunks, shards[i]), layout.Reach(0)[i]);
    if (chunks == UINT64_MAX) return Status::Corrupt("chunks: there are more than 2^64 of them");
    return std::unique_ptr<const ShardedChunks>(new ShardedChunks(
        std::move(store), std::move(path), metadata, counts, std::move(layout), cache, pending));
}

ShardedChunks::ShardedChunks(std::shared_ptr<const Store> store, std::string path,
                             const ArrayMetadata& metadata, const DimVector<std::uint64_t>& counts,
                             ShardLayout layout, ShardCache& cache, PendingShards& pending)
    : store_(std::move(store)),
      chunk_counts_(counts),
      layout_(std::move(layout)),
      shard_counts_(CountShards(counts, layout_.Reach(0))),
      shards_(store_, std::move(path), metadata, shard_counts_),
      cache_(cache),
      pending_(pending),
      buffers_(kIdleReadBytes) {
    for (std::size_t k = 0; k < layout_.levels(); ++k) ids_.push_back(ChunkCache::NextArrayId());
}

ShardedChunks::~ShardedChunks() {
    for (const std::uint64_t id : ids_) cache_.DropArray(id);
}

// ---------------------------------------------------------------------------------------------
// Numbers

std::uint64_t ShardedChunks::NumberOfShard(const Index& shard) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < shard.size(); ++i) number = number * shard_counts_[i] + shard[i];
    return number;
}

ShardedChunks::Index ShardedChunks::ShardAt(std::uint64_t number) const {
    Index shard(shard_counts_.size());
    for (std::size_t i = shard.size(); i-- > 0; number /= shard_counts_[i])
        shard[i] = number % shard_counts_[i];
    return shard;
}

std::uint64_t ShardedChunks::NumberOfChunk(const Index& chunk) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) number = number * chunk_counts_[i] + chunk[i];
    return number;
}

ShardedChunks::Index ShardedChunks::ChunkAt(std::uint64_t number) const {
    Index chunk(chunk_counts_.size());
    for (std::size_t i = chunk.size(); i-- > 0; number /= chunk_counts_[i])
        chunk[i] = number % chunk_counts_[i];
    return chunk;
}

bool ShardedChunks::IsInGrid(const Index& chunk) const {
    for (std::size_t i = 0; i < chunk.size(); ++i)
        if (chunk[i] >= chunk_counts_[i]) return false;
    return true;
}

std::uint64_t ShardedChunks::ChunksInGrid(const Index& shard) const {
    const Index& reach = layout_.Reach(0);
    std::uint64_t chunks = 1;
    for (std::size_t i = 0; i < shard.size(); ++i)
        chunks *= std::min(reach[i], chunk_counts_[i] - shard[i] * reach[i]);
    return chunks;
}

std::string ShardedChunks::NameOf(const Index& chunk) const {
    return shards_.NameOf(layout_.ShardOf(chunk));
}

Result<std::string> ShardedChunks::LockOf(const Index& chunk) const {
    return shards_.LockOf(layout_.ShardOf(chunk));
}

ObjectVersion ShardedChunks::VersionOf(const Index& chunk) const {
    return shards_.VersionOf(layout_.ShardOf(chunk));
}

Status ShardedChunks::Corrupt(const Index& chunk, const Status& status) const {
    return status.ok() ? status : status.WithContext(NameOf(chunk) + ": chunk " + ChunkText(chunk));
}

// ---------------------------------------------------------------------------------------------
// Indexes

Status ShardedChunks::ReadIndex(std::size_t level, ByteSpan bytes, ShardNode& node) const {
    ZARR_ASSIGN_OR_RETURN(const ShardExtent at, layout_.FindIndex(level, bytes.size));
    const ByteSpan index{bytes.data + at.offset, static_cast<std::size_t>(at.size)};
    return layout_.DecodeIndex(level, index, node.entries);
}

Result<ShardNodePtr> ShardedChunks::Root(const Index& shard) const {
    const std::uint64_t number = NumberOfShard(shard);
    const ChunkId id{ids_[0], number};
    const ShardNodePtr held = cache_.Find(id);
    if (held != nullptr) {
        if (!IsYoung(*held) && held->store_count == pending_.StoreCount(number)) return held;
        cache_.Replace(id, NoNode());
    }
    return cache_.GetOrLoad(id, [&] { return LoadRoot(shard); });
}

Result<ShardNodePtr> ShardedChunks::LoadRoot(const Index& shard) const {
    const std::string name = shards_.NameOf(shard);
    auto node = std::make_shared<ShardNode>();
    node->store_count = pending_.StoreCount(NumberOfShard(shard));
    node->version = shards_.VersionOf(shard);
    if (layout_.IsWrapped(0)) {
        Buffer stored;
        ZARR_ASSIGN_OR_RETURN(const bool found,
                              shards_.Get(shard, stored, layout_.MaxWrappedBytes(0)));
        node->is_absent = !found;
        if (!found) return ShardNodePtr(std::move(node));
        auto memory = std::make_shared<Buffer>();
        ZARR_RETURN_IF_ERROR(
            layout_.Unwrap(0, std::as_const(stored).span(), *memory).WithContext(name));
        node->size = memory->size();
        ZARR_RETURN_IF_ERROR(ReadIndex(0, std::as_const(*memory).span(), *node).WithContext(name));
        node->memory = std::move(memory);
        return ShardNodePtr(std::move(node));
    }
    const std::size_t bytes = layout_.IndexBytes(0);
    Buffer index;
    if (layout_.IsIndexAtEnd(0)) {
        ZARR_ASSIGN_OR_RETURN(node->size, shards_.GetTail(shard, bytes, index));
        node->is_absent = !node->size;
    } else {
        ZARR_ASSIGN_OR_RETURN(const bool found, shards_.GetRange(shard, 0, bytes, index));
        node->is_absent = !found;
    }
    if (node->is_absent) return ShardNodePtr(std::move(node));
    if (index.size() < bytes) return layout_.FindIndex(0, index.size()).status().WithContext(name);
    ZARR_RETURN_IF_ERROR(
        layout_.DecodeIndex(0, std::as_const(index).span(), node->entries).WithContext(name));
    return ShardNodePtr(std::move(node));
}

Result<ShardNodePtr> ShardedChunks::Child(std::size_t level, const Index& chunk,
                                          const Place& place) const {
    const Index& reach = layout_.Reach(level);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i)
        number = number * shard_counts_[i] * (layout_.Reach(0)[i] / reach[i]) + chunk[i] / reach[i];
    const ChunkId id{ids_[level], number};
    const ShardNodePtr held = cache_.Find(id);
    if (held != nullptr) {
        if (!IsYoung(*held) && HasStampOf(*held, *place.node)) return held;
        cache_.Replace(id, NoNode());
    }
    ZARR_ASSIGN_OR_RETURN(ShardNodePtr node,
                          cache_.GetOrLoad(id, [&] { return LoadChild(level, chunk, place); }));
    // Another thread may have loaded it for a shard that was replaced since.
    if (HasStampOf(*node, *place.node)) return node;
    return LoadChild(level, chunk, place);
}

Result<ShardNodePtr> ShardedChunks::LoadChild(std::size_t level, const Index& chunk,
                                              const Place& place) const {
    auto node = std::make_shared<ShardNode>();
    node->version = place.node->version;
    node->store_count = place.node->store_count;
    ZARR_RETURN_IF_ERROR(layout_.IsWrapped(level) ? LoadWrapped(level, chunk, place, *node)
                                                  : LoadPlain(level, chunk, place, *node));
    return ShardNodePtr(std::move(node));
}

Status ShardedChunks::LoadPlain(std::size_t level, const Index& chunk, const Place& place,
                                ShardNode& node) const {
    const std::string name = NameOfChild(level, chunk);
    node.size = place.size;
    node.base = place.offset;
    node.memory = place.node->memory;
    if (node.memory != nullptr) {
        const ByteSpan shard{node.memory->data() + place.offset,
                             static_cast<std::size_t>(place.size)};
        return ReadIndex(level, shard, node).WithContext(name);
    }
    auto at = layout_.FindIndex(level, place.size).WithContext(name);
    ZARR_RETURN_IF_ERROR(at.status());
    Buffer index;
    ZARR_RETURN_IF_ERROR(
        ReadPart(chunk, place, at->offset, static_cast<std::size_t>(at->size), index));
    return layout_.DecodeIndex(level, std::as_const(index).span(), node.entries).WithContext(name);
}

Status ShardedChunks::LoadWrapped(std::size_t level, const Index& chunk, const Place& place,
                                  ShardNode& node) const {
    const std::string name = NameOfChild(level, chunk);
    Buffer stored;
    ZARR_RETURN_IF_ERROR(ReadPart(chunk, place, 0, static_cast<std::size_t>(place.size), stored));
    auto memory = std::make_shared<Buffer>();
    ZARR_RETURN_IF_ERROR(
        layout_.Unwrap(level, std::as_const(stored).span(), *memory).WithContext(name));
    node.base = 0;
    node.size = memory->size();
    ZARR_RETURN_IF_ERROR(ReadIndex(level, std::as_const(*memory).span(), node).WithContext(name));
    node.memory = std::move(memory);
    return {};
}

std::string ShardedChunks::NameOfChild(std::size_t level, const Index& chunk) const {
    return NameOf(chunk) + ": shard of level " + std::to_string(level) + " of chunk " +
           ChunkText(chunk);
}

// Looks for one chunk after the other, and remembers the way.
class ShardedChunks::Walk {
  public:
    explicit Walk(const ShardedChunks& of) : of_(of) {}

    Result<Place> Find(const Index& chunk) {
        const ShardLayout& layout = of_.layout_;
        Place place;
        for (std::size_t level = 0;; ++level) {
            if (level == steps_.size()) steps_.emplace_back();
            Step& step = steps_[level];
            if (step.node == nullptr || !IsAt(step, level, chunk)) {
                auto node =
                    level == 0 ? of_.Root(layout.ShardOf(chunk)) : of_.Child(level, chunk, place);
                ZARR_RETURN_IF_ERROR(node.status());
                steps_.resize(level + 1);
                steps_[level] = {*node, chunk};
            }
            const ShardNodePtr& node = steps_[level].node;
            place.node = node;
            place.is_present = false;
            if (node->is_absent) return place;
            auto extent =
                layout.Find(level, node->entries, layout.PositionOf(level, chunk), node->size);
            if (!extent.ok()) return of_.Corrupt(chunk, extent.status());
            if (!*extent) return place;
            place.is_present = true;
            place.size = (*extent)->size;
            const auto offset = CheckedAdd(node->base, (*extent)->offset);
            if (!offset)
                return of_.Corrupt(chunk, Status::Corrupt("lies beyond the end of any shard"));
            place.offset = *offset;
            if (level + 1 == layout.levels()) return place;
        }
    }

  private:
    struct Step {
        ShardNodePtr node;
        Index chunk;  // one that is in it
    };
    bool IsAt(const Step& step, std::size_t level, const Index& chunk) const {
        const Index& reach = of_.layout_.Reach(level);
        for (std::size_t i = 0; i < chunk.size(); ++i)
            if (chunk[i] / reach[i] != step.chunk[i] / reach[i]) return false;
        return true;
    }

    const ShardedChunks& of_;
    std::vector<Step> steps_;
};

template <class Read>
Status ShardedChunks::WhileFresh(const Index& shard, const Read& read) const {
    const std::uint64_t number = NumberOfShard(shard);
    for (int tries = 0; tries < kReadTries; ++tries) {
        const auto reading = pending_.Reading(number);
        const Result<ShardNodePtr> node = read();
        // What fails may do so because the index was that of an older shard.
        const ShardNodePtr used = node.ok() ? *node : cache_.Find({ids_[0], number});
        if (used == nullptr || IsFresh(shard, *used)) return node.status();
        Forget(layout_.ChunkOf(shard, 0));
    }
    return Status::Io(shards_.NameOf(shard) + ": was replaced again and again while it was read");
}

bool ShardedChunks::IsFresh(const Index& shard, const ShardNode& node) const {
    const ObjectVersion now = shards_.VersionOf(shard);
    return now.exists == node.version.exists && now.size == node.version.size &&
           now.modified == node.version.modified;
}

// What lies in it is of another stamp then.
void ShardedChunks::Drop(const Index& shard) const {
    cache_.Replace({ids_[0], NumberOfShard(shard)}, NoNode());
}

void ShardedChunks::Forget(const Index& chunk) const {
    Drop(layout_.ShardOf(chunk));
    // Where the store knows no versions its indexes look alike.
    for (std::size_t k = 1; k < ids_.size(); ++k) cache_.DropArray(ids_[k]);
}

void ShardedChunks::DropAssumptions() const {
    shards_.DropAssumptions();
    cache_.DropStale(ids_[0], true, [&](std::uint64_t number, const ShardNode& node) {
        return node.is_absent || !SameVersion(node.version, shards_.VersionOf(ShardAt(number)));
    });
    for (std::size_t k = 1; k < ids_.size(); ++k) cache_.DropArray(ids_[k]);
}

Status ShardedChunks::ForEachIn(const Index& shard,
                                const std::function<void(const Index&)>& visit) const {
    const std::uint64_t number = NumberOfShard(shard);
    std::unordered_map<std::uint64_t, bool> pending;
    for (const ShardChange& change : pending_.Of(number).chunks)
        pending[change.chunk] = change.bytes != nullptr;
    std::uint64_t chunks = 1;
    for (const std::uint64_t count : layout_.Reach(0)) chunks *= count;
    std::vector<std::uint64_t> present;
    const auto look = [&]() -> Result<ShardNodePtr> {
        present.clear();
        for (const auto& [chunk, is_present] : pending)
            if (is_present) present.push_back(chunk);
        ZARR_ASSIGN_OR_RETURN(ShardNodePtr root, Root(shard));
        Walk walk(*this);
        for (std::uint64_t i = 0; i < chunks && !root->is_absent; ++i) {
            if (!pending.empty() && pending.count(i) != 0) continue;
            ZARR_ASSIGN_OR_RETURN(const Place place, walk.Find(layout_.ChunkOf(shard, i)));
            if (place.is_present) present.push_back(i);
        }
        return root;
    };
    ZARR_RETURN_IF_ERROR(WhileFresh(shard, look));
    std::sort(present.begin(), present.end());
    for (const std::uint64_t chunk : present) visit(layout_.ChunkOf(shard, chunk));
    return {};
}

// ---------------------------------------------------------------------------------------------
// Chunks

Status ShardedChunks::ReadPart(const Index& chunk, const Place& place, std::uint64_t offset,
                               std::size_t length, Buffer& value) const {
    if (place.node->memory != nullptr)
        return value.Assign({place.node->memory->data() + place.offset + offset, length});
    if (length == 0) return value.Reset(0);
    const auto from = CheckedAdd(place.offset, offset);
    bool found = false;
    if (from) {
        ZARR_ASSIGN_OR_RETURN(found,
                              shards_.GetRange(layout_.ShardOf(chunk), *from, length, value));
    }
    if (found && value.size() == length) return {};
    return Corrupt(chunk,
                   Status::Corrupt("the index says that it has " + std::to_string(place.size) +
                                   " bytes from " + std::to_string(place.offset) +
                                   " on, beyond the end of the shard"));
}

template <class Read>
Result<bool> ShardedChunks::AtPlace(const Index& chunk, const Read& read) const {
    bool is_present = false;
    ZARR_RETURN_IF_ERROR(WhileFresh(layout_.ShardOf(chunk), [&]() -> Result<ShardNodePtr> {
        ZARR_ASSIGN_OR_RETURN(const Place place, Walk(*this).Find(chunk));
        is_present = place.is_present;
        if (is_present) ZARR_RETURN_IF_ERROR(read(place));
        return place.node;
    }));
    return is_present;
}

Result<bool> ShardedChunks::Get(const Index& chunk, Buffer& value, std::size_t limit) const {
    const auto pending =
        pending_.Find(NumberOfShard(layout_.ShardOf(chunk)), layout_.NumberOf(chunk));
    if (pending) {
        if (*pending == nullptr) return false;
        ZARR_RETURN_IF_ERROR(value.Assign((*pending)->span()));
        return true;
    }
    return AtPlace(chunk, [&](const Place& place) -> Status {
        if (place.size > limit)
            return Corrupt(chunk, Status::Limit("has " + std::to_string(place.size) +
                                                " bytes, more than the " + std::to_string(limit) +
                                                " that can be expected there"));
        return ReadPart(chunk, place, 0, static_cast<std::size_t>(place.size), value);
    });
}

Result<std::optional<std::size_t>> ShardedChunks::GetInto(const Index& chunk,
                                                          MutableByteSpan memory) const {
    const auto copy = [&](ByteSpan bytes) {
        if (bytes.size == memory.size && bytes.size != 0)
            std::memcpy(memory.data, bytes.data, bytes.size);
        return std::optional(bytes.size);
    };
    const auto pending =
        pending_.Find(NumberOfShard(layout_.ShardOf(chunk)), layout_.NumberOf(chunk));
    if (pending) return *pending != nullptr ? copy((*pending)->span()) : std::nullopt;
    std::size_t size = 0;
    ZARR_ASSIGN_OR_RETURN(const bool found, AtPlace(chunk, [&](const Place& place) -> Status {
                              size = static_cast<std::size_t>(place.size);
                              if (size != memory.size) return {};
                              Buffer value;
                              ZARR_RETURN_IF_ERROR(ReadPart(chunk, place, 0, size, value));
                              copy(std::as_const(value).span());
                              return {};
                          }));
    return found ? std::optional(size) : std::nullopt;
}

Result<bool> ShardedChunks::GetRange(const Index& chunk, std::uint64_t offset, std::size_t length,
                                     Buffer& value) const {
    const auto read = [&](std::uint64_t size, const auto& part) {
        const std::uint64_t from = std::min(offset, size);
        return part(from, static_cast<std::size_t>(std::min<std::uint64_t>(length, size - from)));
    };
    const auto pending =
        pending_.Find(NumberOfShard(layout_.ShardOf(chunk)), layout_.NumberOf(chunk));
    if (pending) {
        if (*pending == nullptr) return false;
        ZARR_RETURN_IF_ERROR(read((*pending)->size(), [&](std::uint64_t from, std::size_t count) {
            return value.Assign({(*pending)->data() + from, count});
        }));
        return true;
    }
    return AtPlace(chunk, [&](const Place& place) {
        return read(place.size, [&](std::uint64_t from, std::size_t count) {
            return ReadPart(chunk, place, from, count, value);
        });
    });
}

Result<std::optional<ChunkPlace>> ShardedChunks::PlaceOf(const Index& chunk) const {
    std::optional<ChunkPlace> found;
    const auto note = [&](const Place& place) -> Status {
        if (place.node->memory != nullptr)
            return Corrupt(chunk,
                           Status::Unsupported("lies in a shard that is encoded as a whole"));
        found = ChunkPlace{NameOf(chunk), place.offset, place.size};
        return {};
    };
    ZARR_RETURN_IF_ERROR(AtPlace(chunk, note).status());
    return found;
}

// ---------------------------------------------------------------------------------------------
// Chunks that are read together

// What is known of chunks before they are read.
struct ShardedChunks::Gathered {
    struct Stored {
        std::uint64_t offset = 0;
        std::size_t size = 0;
        std::size_t which = 0;  // place in what was asked for
    };
    struct Held {  // in memory
        std::size_t which = 0;
        std::shared_ptr<const Buffer> memory;  // nullptr where it is absent
        ByteSpan bytes;
    };
    Index shard;
    std::uint64_t number = 0;  // of the shard
    ShardNodePtr root;         // nullptr where all chunks are pending
    std::vector<Stored> stored;
    std::vector<Held> held;
};

// Some of Gathered::stored, which one request reads.
struct ShardedChunks::Run {
    std::size_t first = 0;  // of them
    std::size_t count = 0;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
};

Status ShardedChunks::Locate(const std::vector<std::uint64_t>& chunks, Gathered& gathered) const {
    gathered.stored.clear();
    gathered.held.clear();
    gathered.root = nullptr;
    Walk walk(*this);
    for (std::size_t which = 0; which < chunks.size(); ++which) {
        const Index chunk = ChunkAt(chunks[which]);
        const auto pending = pending_.Find(gathered.number, layout_.NumberOf(chunk));
        if (pending) {
            gathered.held.push_back(
                {which, *pending, *pending != nullptr ? (*pending)->span() : ByteSpan()});
            continue;
        }
        ZARR_ASSIGN_OR_RETURN(const Place place, walk.Find(chunk));
        gathered.root = place.node;
        const auto size = static_cast<std::size_t>(place.size);
        if (!place.is_present)
            gathered.held.push_back({which, nullptr, {}});
        else if (place.node->memory != nullptr)
            gathered.held.push_back(
                {which, place.node->memory, {place.node->memory->data() + place.offset, size}});
        else
            gathered.stored.push_back({place.offset, size, which});
    }
    return {};
}

std::vector<ShardedChunks::Run> ShardedChunks::PlanRuns(Gathered& gathered,
                                                        const FetchOptions& options) const {
    auto& stored = gathered.stored;
    std::sort(stored.begin(), stored.end(),
              [](const auto& a, const auto& b) { return a.offset < b.offset; });
    const std::uint64_t gap = IsDistant() ? kDistantGap : kLocalGap;
    std::vector<Run> runs;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::uint64_t begin = stored[i].offset;
        const std::uint64_t end = SaturatingAdd(begin, stored[i].size);
        if (!runs.empty()) {
            Run& run = runs.back();
            const std::uint64_t joined = std::max(run.end, end);
            if (begin <= SaturatingAdd(run.end, gap) &&
                joined - run.offset <= options.request_bytes) {
                run.end = joined;
                ++run.count;
                continue;
            }
        }
        runs.push_back({i, 1, begin, end});
    }
    return runs;
}

Status ShardedChunks::GetMany(const std::vector<std::uint64_t>& chunks, const FetchOptions& options,
                              const ChunkTaker& take) const {
    if (chunks.empty()) return {};
    Gathered gathered;
    gathered.shard = layout_.ShardOf(ChunkAt(chunks[0]));
    gathered.number = NumberOfShard(gathered.shard);
    const auto locate = [&] {
        return WhileFresh(gathered.shard, [&]() -> Result<ShardNodePtr> {
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
    const std::vector<Run> runs = PlanRuns(gathered, options);
    // Where there are few requests the threads share what each brings.
    const std::size_t threads = runs.size() < options.threads ? options.threads : 1;
    return ParallelFor(runs.size(), options.requests, [&](std::size_t i) {
        return FetchRun(chunks, gathered, runs[i], options, threads, take);
    });
}

Status ShardedChunks::FetchRun(const std::vector<std::uint64_t>& chunks, const Gathered& gathered,
                               const Run& run, const FetchOptions& options, std::size_t threads,
                               const ChunkTaker& take) const {
    const auto size = static_cast<std::size_t>(run.end - run.offset);
    const auto stored = [&](std::size_t i) { return gathered.stored[run.first + i]; };
    Buffer bytes;
    const auto read = [&]() -> Result<bool> {
        const auto reading = pending_.Reading(gathered.number);
        if (gathered.root->store_count != pending_.StoreCount(gathered.number)) return false;
        if (size == 0) return true;
        ZARR_RETURN_IF_ERROR(buffers_.Take(size, bytes));
        ZARR_ASSIGN_OR_RETURN(const bool found,
                              shards_.GetRange(gathered.shard, run.offset, size, bytes));
        return found && bytes.size() == size && IsFresh(gathered.shard, *gathered.root);
    };
    const auto is_read = options.on_request ? Timed(read, options.on_request) : read();
    Status status;
    if (is_read.ok() && *is_read) {
        const std::uint8_t* const begin = std::as_const(bytes).data();
        status = ParallelFor(run.count, threads, [&](std::size_t i) {
            const Gathered::Stored& chunk = stored(i);
            const ByteSpan part{begin + (chunk.offset - run.offset), chunk.size};
            return take(chunk.which, {true, part, gathered.root->version});
        });
    } else {
        // The shard was replaced, or cannot be read here: one by one they are read anew, or say
        // which of them fails.
        for (std::size_t i = 0; i < run.count && status.ok(); ++i)
            status = GetAlone(chunks[stored(i).which], stored(i).which, options, take);
    }
    buffers_.Give(std::move(bytes));
    return status;
}

Status ShardedChunks::GetAlone(std::uint64_t chunk, std::size_t place, const FetchOptions& options,
                               const ChunkTaker& take) const {
    const Index index = ChunkAt(chunk);
    FetchedChunk fetched;
    fetched.version = VersionOf(index);
    Buffer value;
    ZARR_ASSIGN_OR_RETURN(fetched.found, Get(index, value, options.limit));
    fetched.bytes = std::as_const(value).span();
    return take(place, fetched);
}

}  // namespace zarr
