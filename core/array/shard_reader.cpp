// SPDX-License-Identifier: MIT
#include "core/array/shard_reader.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/array/chunk_cache.h"
#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/grid/chunk_grid.h"
#include "core/grid/row_major.h"

namespace zarr {

namespace {

// Maximum number of attempts to read a shard that is replaced during each attempt.
constexpr int kReadTries = 4;

// Chunks of images and maps usually take at most half of their decoded bytes.
constexpr std::uint64_t kUsualCompression = 2;
// A small remote shard is read whole with its index, because viewers read several of its chunks. A
// shard is small if its bytes arrive within this number of network latencies.
constexpr std::uint64_t kLatenciesOfSmallShard = 4;

constexpr std::string_view kOfChunk = "chunk ";  // precedes the chunk's index in messages

ShardCache::Pointer NoNode() { return nullptr; }

// True if a change of the shard may be invisible, because the store may give the changed shard an
// equal version (ObjectVersion::is_certain).
bool IsUncertain(const ShardNode& node) { return node.version.exists && !node.version.is_certain; }

bool HasVersionOf(const ShardNode& child, const ShardNode& parent) {
    return child.store_count == parent.store_count &&
           EqualButForCertainty(child.version, parent.version);
}

// True if `before` was taken before the first request for the value, and `after` is the version in
// the first response. In this case, different versions do not mean that the value has changed.
bool LearnedFirstVersion(const ObjectVersion& before, ObjectVersion after) {
    const bool is_first = before.mark == 0 && after.mark == 1;
    after.mark = 0;
    return is_first && EqualButForCertainty(before, after);
}

Status ReplacedAgain(const std::string& name) {
    return Status::Io(name + ": the shard was replaced repeatedly while it was read");
}

}  // namespace

ShardReader::ShardReader(const KeyedChunks& shards, const ShardGrid& grid,
                         const ShardLayout& layout, ShardCache& cache, const PendingShards& pending)
    : shards_(shards), grid_(grid), layout_(layout), cache_(cache), pending_(pending) {
    for (std::size_t k = 0; k < layout_.levels(); ++k) ids_.push_back(ChunkCache::NextArrayId());
}

ShardReader::~ShardReader() {
    for (const std::uint64_t id : ids_) cache_.DropArray(id);
}

Status ShardReader::Corrupt(const Index& chunk, const Status& status) const {
    if (status.ok()) return status;
    return status.WithContext(shards_.NameOf(grid_.ShardOf(chunk)) + ": " + std::string(kOfChunk) +
                              ChunkText(chunk));
}

Status ShardReader::Failed(const Index& chunk, const Status& status) const {
    const std::string key = shards_.NameOf(grid_.ShardOf(chunk)) + ": ";
    const std::string& message = status.message();
    const bool is_of_shard = message.compare(0, key.size(), key) == 0 &&
                             message.compare(key.size(), kOfChunk.size(), kOfChunk) != 0;
    if (status.code() == StatusCode::kCorrupt || !is_of_shard) return status;
    return Corrupt(chunk, {status.code(), message.substr(key.size())});
}

// ---------------------------------------------------------------------------------------------
// Indexes

Result<ShardNodePtr> ShardReader::Root(const ShardBox& box, const ShardIndex& index) const {
    const ChunkId id{ids_[0], box.shard};
    const ShardNodePtr cached = cache_.Find(id);
    if (cached != nullptr) {
        if (!IsUncertain(*cached) && cached->store_count == pending_.StoreCount(box.shard))
            return cached;
        cache_.Replace(id, NoNode());
    }
    return cache_.GetOrLoad(id, [&] { return LoadRoot(box, index); });
}

Result<ShardNodePtr> ShardReader::LoadRoot(const ShardBox& box, const ShardIndex& index) const {
    const Index shard = grid_.ShardAt(box.shard);
    for (int tries = 0; tries < kReadTries; ++tries) {
        auto node = std::make_shared<ShardNode>();
        node->store_count = pending_.StoreCount(box.shard);
        node->version = shards_.VersionOf(shard);
        ZARR_RETURN_IF_ERROR(ReadRoot(shard, index, *node));
        const ObjectVersion after = shards_.VersionOf(shard);
        const bool is_first = LearnedFirstVersion(node->version, after);
        if (is_first) node->version = after;
        if (is_first || EqualButForCertainty(node->version, after))
            return ShardNodePtr(std::move(node));
    }
    return ReplacedAgain(shards_.NameOf(shard));
}

Status ShardReader::ReadRoot(const Index& shard, const ShardIndex& index, ShardNode& node) const {
    const std::string name = shards_.NameOf(shard);
    Buffer stored;
    if (layout_.IsEncodedWhole(0)) {
        ZARR_ASSIGN_OR_RETURN(
            const ReadResult read,
            shards_.Read(shard, ValuePart::Whole(layout_.MaxEncodedShardBytes(0)), stored));
        node.is_absent = !read.found;
        if (!read.found) return {};
        auto memory = std::make_shared<Buffer>();
        ZARR_RETURN_IF_ERROR(
            layout_.Unwrap(0, std::as_const(stored).span(), *memory).WithContext(name));
        node.size = memory->size();
        ZARR_RETURN_IF_ERROR(
            index.DecodeFrom(std::as_const(*memory).span(), node.entries).WithContext(name));
        node.memory = std::move(memory);
        return {};
    }
    const std::size_t length = BytesWithIndex(index);
    const ValuePart part =
        index.is_at_end() ? ValuePart::Tail(length) : ValuePart::Range(0, length);
    ZARR_ASSIGN_OR_RETURN(const ReadResult read, shards_.Read(shard, part, stored));
    node.is_absent = !read.found;
    if (node.is_absent) return {};
    // The size is unknown if the shard is a whole file to which a reference points.
    if (index.is_at_end() && read.size != 0) node.size = read.size;
    if (stored.size() < index.bytes())
        return index.IndexExtent(stored.size()).status().WithContext(name);
    const std::size_t start = index.is_at_end() ? stored.size() - index.bytes() : 0;
    const ByteSpan own{std::as_const(stored).data() + start, index.bytes()};
    ZARR_RETURN_IF_ERROR(index.Decode(own, node.entries).WithContext(name));
    // If the response contains the whole shard, its chunks need no further requests.
    if (length > index.bytes() && stored.size() < length) {
        node.size = stored.size();
        node.memory = std::make_shared<Buffer>(std::move(stored));
    }
    return {};
}

std::size_t ShardReader::BytesWithIndex(const ShardIndex& index) const {
    const StoreTraits traits = shards_.Traits();
    const std::uint64_t usual = layout_.decoded_shard_bytes() / kUsualCompression;
    const std::uint64_t most = SaturatingMul(traits.request_cost.gap, kLatenciesOfSmallShard);
    if (!traits.remote || usual > most) return index.bytes();
    return index.bytes() + static_cast<std::size_t>(layout_.decoded_shard_bytes());
}

Result<ShardNodePtr> ShardReader::Child(std::size_t level, const ShardIndex& index,
                                        const Index& chunk, const ShardLocation& location) const {
    const Index& chunks_per_shard = layout_.ChunksPerShard(level);
    Index child = chunk;
    // Number of shards of this nesting level in the array, along each dimension.
    Index counts = grid_.span();
    for (std::size_t i = 0; i < chunks_per_shard.size(); ++i) {
        child[i] /= chunks_per_shard[i];
        counts[i] /= chunks_per_shard[i];
    }
    const ChunkId id{ids_[level], RowMajorNumber(child, counts)};
    const ShardNodePtr cached = cache_.Find(id);
    if (cached != nullptr) {
        if (!IsUncertain(*cached) && HasVersionOf(*cached, *location.node)) return cached;
        cache_.Replace(id, NoNode());
    }
    const auto load = [&] { return LoadChild(level, index, chunk, location); };
    ZARR_ASSIGN_OR_RETURN(ShardNodePtr node, cache_.GetOrLoad(id, load));
    // The index is used only if it has the version of the enclosing shard. If another thread loaded
    // the index before that shard was replaced, the index is loaded again.
    if (HasVersionOf(*node, *location.node)) return node;
    return load();
}

Result<ShardNodePtr> ShardReader::LoadChild(std::size_t level, const ShardIndex& index,
                                            const Index& chunk,
                                            const ShardLocation& location) const {
    auto node = std::make_shared<ShardNode>();
    node->version = location.node->version;
    node->store_count = location.node->store_count;
    ZARR_RETURN_IF_ERROR(layout_.IsEncodedWhole(level)
                             ? LoadWrapped(level, index, chunk, location, *node)
                             : LoadPlain(level, index, chunk, location, *node));
    return ShardNodePtr(std::move(node));
}

Status ShardReader::LoadPlain(std::size_t level, const ShardIndex& index, const Index& chunk,
                              const ShardLocation& location, ShardNode& node) const {
    const std::string name = NameOfChild(level, chunk);
    node.size = location.size;
    node.base = location.offset;
    node.memory = location.node->memory;
    if (node.memory != nullptr) {
        const ByteSpan shard{node.memory->data() + location.offset,
                             static_cast<std::size_t>(location.size)};
        return index.DecodeFrom(shard, node.entries).WithContext(name);
    }
    auto at = index.IndexExtent(location.size).WithContext(name);
    ZARR_RETURN_IF_ERROR(at.status());
    Buffer stored;
    ZARR_RETURN_IF_ERROR(
        ReadPart(chunk, location, at->offset, static_cast<std::size_t>(at->size), stored));
    return index.Decode(std::as_const(stored).span(), node.entries).WithContext(name);
}

Status ShardReader::LoadWrapped(std::size_t level, const ShardIndex& index, const Index& chunk,
                                const ShardLocation& location, ShardNode& node) const {
    const std::string name = NameOfChild(level, chunk);
    Buffer stored;
    ZARR_RETURN_IF_ERROR(
        ReadPart(chunk, location, 0, static_cast<std::size_t>(location.size), stored));
    auto memory = std::make_shared<Buffer>();
    ZARR_RETURN_IF_ERROR(
        layout_.Unwrap(level, std::as_const(stored).span(), *memory).WithContext(name));
    node.base = 0;
    node.size = memory->size();
    ZARR_RETURN_IF_ERROR(
        index.DecodeFrom(std::as_const(*memory).span(), node.entries).WithContext(name));
    node.memory = std::move(memory);
    return {};
}

std::string ShardReader::NameOfChild(std::size_t level, const Index& chunk) const {
    return shards_.NameOf(grid_.ShardOf(chunk)) + ": shard of level " + std::to_string(level) +
           " of chunk " + ChunkText(chunk);
}

// ---------------------------------------------------------------------------------------------
// Locating chunks

bool ShardReader::Walk::IsAt(const Step& step, std::size_t level,
                             const Index& index_in_shard) const {
    const Index& chunks_per_shard = of_.layout_.ChunksPerShard(level);
    for (std::size_t i = 0; i < chunks_per_shard.size(); ++i)
        if (index_in_shard[i] / chunks_per_shard[i] != step.index_in_shard[i] / chunks_per_shard[i])
            return false;
    return true;
}

// Reads the shard of level `level` that contains `chunk`. `found` is the location of that shard in
// the enclosing shard. For level 0, `box_` must be set before the call.
Result<ShardReader::Walk::Step> ShardReader::Walk::Enter(std::size_t level, const Index& chunk,
                                                         const ShardLocation& found) const {
    Step step;
    step.index_in_shard = box_.IndexInShard(chunk);
    auto index = of_.layout_.IndexOf(level, box_.count);
    if (!index.ok()) return of_.Corrupt(chunk, index.status());
    step.index = index.Take();
    auto node =
        level == 0 ? of_.Root(box_, *step.index) : of_.Child(level, *step.index, chunk, found);
    ZARR_RETURN_IF_ERROR(node.status());
    step.node = node.Take();
    return step;
}

Result<ShardLocation> ShardReader::Walk::Find(const Index& chunk) {
    const ShardLayout& layout = of_.layout_;
    if (steps_.empty() || !box_.Has(chunk)) {
        box_ = of_.grid_.BoxAround(chunk);
        steps_.clear();
    }
    const Index index_in_shard = box_.IndexInShard(chunk);
    ShardLocation found;
    for (std::size_t level = 0;; ++level) {
        const bool is_there =
            level < steps_.size() && (level == 0 || IsAt(steps_[level], level, index_in_shard));
        if (!is_there) {
            auto step = Enter(level, chunk, found);
            if (!step.ok()) return of_.Failed(chunk, step.status());
            steps_.resize(level);
            steps_.push_back(step.Take());
        }
        const Step& step = steps_[level];
        ZARR_ASSIGN_OR_RETURN(
            found, of_.LocateChild(level, step.node, *step.index, chunk, index_in_shard));
        if (!found.is_present || level + 1 == layout.levels()) return found;
    }
}

Result<ShardLocation> ShardReader::LocateChild(std::size_t level, const ShardNodePtr& node,
                                               const ShardIndex& index, const Index& chunk,
                                               const Index& index_in_shard) const {
    ShardLocation found;
    found.node = node;
    if (node->is_absent) return found;
    auto extent = layout_.Find(level, node->entries,
                               layout_.PositionOf(level, index, index_in_shard), node->size);
    if (!extent.ok()) return Corrupt(chunk, extent.status());
    if (!*extent) return found;
    const auto offset = CheckedAdd(node->base, (*extent)->offset);
    if (!offset)
        return Corrupt(chunk, Status::Corrupt("its offset in the shard exceeds 2^64 bytes"));
    found.is_present = true;
    found.offset = *offset;
    found.size = (*extent)->size;
    return found;
}

// ---------------------------------------------------------------------------------------------
// Reading with the indexes

Status ShardReader::RetryUntilFresh(const Index& shard, const Index* chunk,
                                    const Read& read) const {
    const std::uint64_t number = grid_.NumberOfShard(shard);
    const ShardNodePtr cached = cache_.Find({ids_[0], number});
    for (int tries = 0; tries < kReadTries; ++tries) {
        const auto reading = pending_.Reading(number);
        ShardNodePtr used;
        Status status = read(used);
        const bool is_fresh = used == nullptr || IsFresh(shard, *used);
        // The read is repeated once if a cached index contradicts the shard's bytes. If the store
        // has no versions, this contradiction is the only sign of an outdated index.
        const bool may_be_old = tries == 0 && status.code() == StatusCode::kCorrupt &&
                                used != nullptr && used == cached;
        if (is_fresh && !may_be_old) return status;
        Forget(shard);
    }
    return ReplacedAgain(shards_.NameOf(shard) +
                         (chunk != nullptr ? ": chunk " + ChunkText(*chunk) : ""));
}

Result<bool> ShardReader::WithLocation(const Index& chunk, const ReadAt& read) const {
    bool is_present = false;
    const auto read_there = [&](ShardNodePtr& used) -> Status {
        Walk walk(*this);
        const Result<ShardLocation> location = walk.Find(chunk);
        used = walk.root();
        ZARR_RETURN_IF_ERROR(location.status());
        is_present = location->is_present;
        return is_present ? read(*location) : Status();
    };
    ZARR_RETURN_IF_ERROR(RetryUntilFresh(grid_.ShardOf(chunk), &chunk, read_there));
    return is_present;
}

Status ShardReader::ReadPart(const Index& chunk, const ShardLocation& location,
                             std::uint64_t offset, std::size_t length, Buffer& value) const {
    if (location.node->memory != nullptr)
        return value.Assign({location.node->memory->data() + location.offset + offset, length});
    if (length == 0) return value.Reset(0);
    const auto from = CheckedAdd(location.offset, offset);
    bool found = false;
    if (from) {
        const auto read =
            shards_.Read(grid_.ShardOf(chunk), ValuePart::Range(*from, length), value);
        if (!read.ok()) return Failed(chunk, read.status());
        found = read->found;
    }
    if (found && value.size() == length) return {};
    return Corrupt(chunk,
                   Status::Corrupt("the shard index states " + std::to_string(location.size) +
                                   " bytes at offset " + std::to_string(location.offset) +
                                   ", beyond the end of the shard"));
}

// ---------------------------------------------------------------------------------------------
// All chunks of a shard

struct ShardReader::Listing {
    const ShardBox& box;
    // Pending chunks by number: true for a chunk that will be stored, false for a chunk that will
    // be removed.
    std::unordered_map<std::uint64_t, bool> pending;
    std::vector<std::uint64_t> present;  // numbers of the chunks found
    // Memory in bytes for the indexes read and for the chunk numbers found. List() limits this
    // memory.
    std::uint64_t bytes = 0;
};

Status ShardReader::ForEachIn(const ShardBox& box,
                              const std::function<void(const Index&)>& visit) const {
    Listing listing{box, {}, {}, 0};
    for (const ShardChange& change : pending_.Of(box.shard).chunks)
        listing.pending[change.chunk] = change.bytes != nullptr;
    const auto look = [&](ShardNodePtr& used) -> Status {
        listing.present.clear();
        listing.bytes = 0;
        ZARR_ASSIGN_OR_RETURN(const ShardIndexPtr index, layout_.IndexOf(0, box.count));
        ZARR_ASSIGN_OR_RETURN(used, Root(box, *index));
        return List(0, used, *index, Index(box.count.size(), 0), listing);
    };
    ZARR_RETURN_IF_ERROR(RetryUntilFresh(grid_.ShardAt(box.shard), nullptr, look));
    for (const auto& [chunk, is_present] : listing.pending)
        if (is_present) listing.present.push_back(chunk);
    std::sort(listing.present.begin(), listing.present.end());
    for (const std::uint64_t chunk : listing.present) visit(box.ChunkOf(chunk));
    return {};
}

Status ShardReader::List(std::size_t level, const ShardNodePtr& node, const ShardIndex& index,
                         const Index& first, Listing& listing) const {
    if (node->is_absent) return {};
    // The total size of the indexes is limited. In a malicious store, many shards can share few
    // stored bytes, or few bytes can decode to a large index.
    listing.bytes = SaturatingAdd(listing.bytes, node->entries.size());
    if (layout_.IsEncodedWhole(level)) listing.bytes = SaturatingAdd(listing.bytes, *node->size);
    if (listing.bytes > LimitOf(Limit::kChunkSize))
        return OverLimit(
            Limit::kChunkSize,
            shards_.NameOf(grid_.ShardAt(listing.box.shard)) +
                ": its chunks cannot be listed: the indexes in it have too many bytes");
    const Index& chunks_per_child = layout_.ChunksPerChild(level);
    const bool is_last = level + 1 == layout_.levels();
    Index child(chunks_per_child.size(), 0);
    do {
        Index index_in_shard = first;
        Index chunk = listing.box.first;
        for (std::size_t i = 0; i < chunks_per_child.size(); ++i) {
            index_in_shard[i] += child[i] * chunks_per_child[i];
            chunk[i] += index_in_shard[i];
        }
        ZARR_ASSIGN_OR_RETURN(const ShardLocation found,
                              LocateChild(level, node, index, chunk, index_in_shard));
        if (!found.is_present) continue;
        if (is_last) {
            const std::uint64_t number = listing.box.NumberOf(chunk);
            if (listing.pending.count(number) != 0) continue;
            listing.present.push_back(number);
            listing.bytes += 2 * sizeof(number);  // 2: the caller copies each number
            continue;
        }
        ZARR_ASSIGN_OR_RETURN(const ShardIndexPtr inner,
                              layout_.IndexOf(level + 1, listing.box.count));
        ZARR_ASSIGN_OR_RETURN(const ShardNodePtr shard, Child(level + 1, *inner, chunk, found));
        ZARR_RETURN_IF_ERROR(List(level + 1, shard, *inner, index_in_shard, listing));
    } while (NextRowMajor(child, index.counts()));
    return {};
}

// ---------------------------------------------------------------------------------------------
// Outdated data

bool ShardReader::IsFresh(const Index& shard, const ShardNode& node) const {
    return EqualButForCertainty(shards_.VersionOf(shard), node.version);
}

// Drops only the cached index of the outermost shard. Cached nested shards need not be dropped:
// they count as outdated, because their version or store count differs from that of the enclosing
// shard.
void ShardReader::Drop(const Index& shard) const {
    cache_.Replace({ids_[0], grid_.NumberOfShard(shard)}, NoNode());
}

void ShardReader::Forget(const Index& shard) const {
    Drop(shard);
    // Drops the cached nested shards of the whole array. In a store without versions, nothing shows
    // which cached shards are outdated.
    for (std::size_t k = 1; k < ids_.size(); ++k) cache_.DropArray(ids_[k]);
}

void ShardReader::DropOutdated() const {
    cache_.DropOutdated(ids_[0], true, [&](std::uint64_t number, const ShardNode& node) {
        return node.is_absent ||
               !SameVersion(node.version, shards_.VersionOf(grid_.ShardAt(number)));
    });
    for (std::size_t k = 1; k < ids_.size(); ++k) cache_.DropArray(ids_[k]);
}

}  // namespace zarr
