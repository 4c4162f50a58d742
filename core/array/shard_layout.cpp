// SPDX-License-Identifier: MIT
#include "core/array/shard_layout.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"

namespace zarr {

namespace {

constexpr std::uint64_t kNoChunk = UINT64_MAX;  // both numbers of a chunk that is absent
constexpr std::size_t kEntryBytes = 2 * sizeof(std::uint64_t);

DataType IndexType() {
    DataType type;
    type.kind = DataKind::kUint;
    type.size = sizeof(std::uint64_t);
    type.order = HostIsLittleEndian() ? ByteOrder::kLittle : ByteOrder::kBig;
    return type;
}

std::string LevelName(std::size_t level) {
    return level == 0 ? "shard shape" : "shard shape of level " + std::to_string(level);
}

}  // namespace

Status ShardLayout::BindIndex(const Sharding& sharding, Level& level) {
    std::uint64_t children = 1;
    CodecContext context;
    context.dtype = IndexType();
    for (std::size_t i = 0; i < level.counts.size(); ++i) {
        const std::uint64_t count = level.counts[level.order.At(i, level.counts.size())];
        context.chunk_shape.push_back(count);
        children = SaturatingMul(children, count);
    }
    context.chunk_shape.push_back(2);
    const std::uint64_t bytes = SaturatingMul(children, kEntryBytes);
    if (bytes > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize, "a shard of " + std::to_string(children) +
                                                " chunks has an index of " + std::to_string(bytes) +
                                                " bytes");
    level.children = static_cast<std::size_t>(children);
    ZARR_ASSIGN_OR_RETURN(level.index, Pipeline::Bind(sharding.index_codecs, context));
    const SizeBound stored = level.index.encoded_size();
    if (!stored.exact) return Status::Corrupt("index_codecs: do not make an index of a fixed size");
    level.index_bytes = stored.max;
    return {};
}

Result<ShardLayout::Level> ShardLayout::BindLevel(const ArrayMetadata& metadata, std::size_t number,
                                                  std::size_t max_chunk_bytes) {
    const Sharding& sharding = metadata.shards[number];
    const bool is_last = number + 1 == metadata.shards.size();
    const auto& child = is_last ? metadata.chunks : metadata.shards[number + 1].shape;
    if (sharding.shape.size() != metadata.rank() || child.size() != metadata.rank())
        return Status::Corrupt(LevelName(number) + ": has not the array's number of dimensions");
    Level level;
    level.order = sharding.order;
    level.is_index_at_end = sharding.index_at_end;
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        const std::uint64_t chunk = metadata.chunks[i];
        const bool fits = child[i] != 0 && sharding.shape[i] != 0 &&
                          sharding.shape[i] % child[i] == 0 && child[i] % chunk == 0;
        if (!fits)
            return Status::Corrupt(LevelName(number) + "[" + std::to_string(i) + "]: " +
                                   std::to_string(sharding.shape[i]) + " is no multiple of the " +
                                   std::to_string(child[i]) + " of what the shard holds");
        level.counts.push_back(sharding.shape[i] / child[i]);
        level.reach.push_back(sharding.shape[i] / chunk);
        level.child_reach.push_back(child[i] / chunk);
    }
    ZARR_RETURN_IF_ERROR(BindIndex(sharding, level));
    const auto most = static_cast<std::size_t>(LimitOf(Limit::kChunkSize));
    ZARR_ASSIGN_OR_RETURN(level.codecs, Pipeline::BindBytes(sharding.codecs, most));
    level.max_child_bytes = is_last ? max_chunk_bytes : SIZE_MAX;
    return level;
}

Result<ShardLayout> ShardLayout::Bind(const ArrayMetadata& metadata, std::size_t max_chunk_bytes) {
    ShardLayout layout;
    std::uint64_t chunks = 1;  // of a shard, which have numbers
    for (std::size_t k = 0; k < metadata.shards.size(); ++k) {
        ZARR_ASSIGN_OR_RETURN(Level level, BindLevel(metadata, k, max_chunk_bytes));
        for (const Pipeline* pipeline : {&level.index, &level.codecs})
            if (layout.writable_.ok()) layout.writable_ = pipeline->writable();
        const auto product = CheckedMul(chunks, level.children);
        if (!product) return Status::Corrupt("shard shape: holds more than 2^64 chunks");
        chunks = *product;
        layout.levels_.push_back(std::move(level));
    }
    for (std::size_t k = 1; k < layout.levels(); ++k)
        if (layout.IsWrapped(k)) layout.levels_[k - 1].max_child_bytes = layout.MaxWrappedBytes(k);
    return layout;
}

// ---------------------------------------------------------------------------------------------
// Where chunks are described

ShardLayout::Index ShardLayout::ShardOf(const Index& chunk) const {
    Index shard = chunk;
    for (std::size_t i = 0; i < chunk.size(); ++i) shard[i] /= Reach(0)[i];
    return shard;
}

std::uint64_t ShardLayout::NumberOf(const Index& chunk) const {
    const Index& reach = Reach(0);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) number = number * reach[i] + chunk[i] % reach[i];
    return number;
}

ShardLayout::Index ShardLayout::ChunkOf(const Index& shard, std::uint64_t number) const {
    const Index& reach = Reach(0);
    Index chunk(reach.size());
    for (std::size_t i = reach.size(); i-- > 0; number /= reach[i])
        chunk[i] = shard[i] * reach[i] + number % reach[i];
    return chunk;
}

std::size_t ShardLayout::PositionOf(std::size_t level, const Index& chunk) const {
    const Level& of = levels_[level];
    std::size_t position = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
        const std::size_t axis = of.order.At(i, chunk.size());
        const std::uint64_t child = chunk[axis] / of.child_reach[axis] % of.counts[axis];
        position =
            position * static_cast<std::size_t>(of.counts[axis]) + static_cast<std::size_t>(child);
    }
    return position;
}

// ---------------------------------------------------------------------------------------------
// Reading

std::size_t ShardLayout::MaxWrappedBytes(std::size_t level) const {
    // As of chunks: an odd encoder costs nothing, a bomb is still refused.
    return SaturatingAdd(SaturatingMul(levels_[level].codecs.max_encoded_bytes(), 2), 65536);
}

Status ShardLayout::Unwrap(std::size_t level, ByteSpan stored, Buffer& shard) const {
    PipelineScratch scratch;
    const auto most = static_cast<std::size_t>(LimitOf(Limit::kChunkSize));
    return levels_[level].codecs.DecodeBytes(stored, most, shard, scratch);
}

Status ShardLayout::DecodeIndex(std::size_t level, ByteSpan stored, Buffer& entries) const {
    const Level& of = levels_[level];
    PipelineScratch scratch;
    ZARR_RETURN_IF_ERROR(entries.Reset(of.children * kEntryBytes));
    return of.index.Decode(stored, entries.span(), scratch).WithContext("index");
}

Result<ShardExtent> ShardLayout::FindIndex(std::size_t level, std::uint64_t size) const {
    const std::size_t bytes = IndexBytes(level);
    if (size < bytes)
        return Status::Corrupt("holds " + std::to_string(size) +
                               " bytes, too few for an index of " + std::to_string(bytes));
    return ShardExtent{IsIndexAtEnd(level) ? size - bytes : 0, bytes};
}

Result<std::optional<ShardExtent>> ShardLayout::Find(std::size_t level, const Buffer& entries,
                                                     std::size_t position,
                                                     std::optional<std::uint64_t> size) const {
    const std::uint8_t* const entry = entries.data() + position * kEntryBytes;
    const ShardExtent extent{LoadNative<std::uint64_t>(entry),
                             LoadNative<std::uint64_t>(entry + sizeof(std::uint64_t))};
    const bool is_absent = extent.offset == kNoChunk && extent.size == kNoChunk;
    if (is_absent) return std::optional<ShardExtent>();
    const auto refuse = [&](const std::string& why) {
        return Status::Corrupt("the index says that it has " + std::to_string(extent.size) +
                               " bytes from " + std::to_string(extent.offset) + " on, " + why);
    };
    if (extent.offset == kNoChunk || extent.size == kNoChunk)
        return refuse("of which one alone means that it is absent");
    const auto end = CheckedAdd(extent.offset, extent.size);
    if (!end) return refuse("which is more than any shard has");
    if (size && *end > *size)
        return refuse("beyond the end of the shard, which has " + std::to_string(*size));
    const std::size_t most = levels_[level].max_child_bytes;
    if (extent.size > most)
        return refuse("more than the " + std::to_string(most) + " that can be expected there");
    return std::optional(extent);
}

// ---------------------------------------------------------------------------------------------
// Writing

// The same of a chunk's number in the shard of level 0.
std::size_t ShardLayout::PositionOf(const Level& level, std::uint64_t number) const {
    return PositionOf(static_cast<std::size_t>(&level - levels_.data()),
                      ChunkOf(Index(Reach(0).size(), 0), number));
}

Result<bool> ShardLayout::Build(ByteSpan old, const std::vector<ShardChange>& changes,
                                Buffer& built) const {
    ZARR_RETURN_IF_ERROR(writable_);
    Changes all;
    all.reserve(changes.size());
    for (const ShardChange& change : changes) all.push_back(&change);
    PipelineScratch scratch;
    return BuildLevel(0, old, all, scratch, built);
}

// A stored shard, as far as building another of it needs it.
struct ShardLayout::Old {
    ByteSpan bytes;  // null where there is none
    Buffer unwrapped;
    Buffer entries;
    std::size_t kept = 0;  // bytes of the chunks that were taken from it
};

Status ShardLayout::Open(std::size_t level, ByteSpan stored, Old& old) const {
    old.bytes = stored;
    if (stored.data == nullptr) return {};
    if (IsWrapped(level)) {
        ZARR_RETURN_IF_ERROR(Unwrap(level, stored, old.unwrapped));
        old.bytes = std::as_const(old.unwrapped).span();
    }
    ZARR_ASSIGN_OR_RETURN(const ShardExtent at, FindIndex(level, old.bytes.size));
    const ByteSpan index{old.bytes.data + at.offset, static_cast<std::size_t>(at.size)};
    return DecodeIndex(level, index, old.entries);
}

Result<std::optional<ByteSpan>> ShardLayout::Take(std::size_t level, std::size_t position,
                                                  Old& old) const {
    if (old.bytes.data == nullptr) return std::optional<ByteSpan>();
    ZARR_ASSIGN_OR_RETURN(const auto extent, Find(level, old.entries, position, old.bytes.size));
    if (!extent) return std::optional<ByteSpan>();
    const ByteSpan bytes{old.bytes.data + extent->offset, static_cast<std::size_t>(extent->size)};
    old.kept += bytes.size;  // each of them <= old.bytes.size
    if (old.kept > old.bytes.size)
        return Status::Corrupt("the index has chunks that overlap, which cannot be kept");
    return std::optional(bytes);
}

std::vector<ShardLayout::Changed> ShardLayout::ByPosition(const Level& level,
                                                          const Changes& changes) const {
    std::vector<Changed> changed;
    changed.reserve(changes.size());
    for (const ShardChange* change : changes)
        changed.emplace_back(PositionOf(level, change->chunk), change);
    std::stable_sort(changed.begin(), changed.end(),
                     [](const Changed& a, const Changed& b) { return a.first < b.first; });
    return changed;
}

Result<std::optional<ByteSpan>> ShardLayout::BuildChild(std::size_t level, std::size_t position,
                                                        const Changes& changes, Old& old,
                                                        PipelineScratch& scratch,
                                                        std::deque<Buffer>& built) const {
    if (changes.empty()) return Take(level, position, old);
    if (level + 1 == levels()) {
        const auto& bytes = changes.back()->bytes;
        return bytes != nullptr ? std::optional(bytes->span()) : std::nullopt;
    }
    ZARR_ASSIGN_OR_RETURN(const auto stored, Take(level, position, old));
    Buffer& child = built.emplace_back();
    ZARR_ASSIGN_OR_RETURN(const bool is_any, BuildLevel(level + 1, stored.value_or(ByteSpan()),
                                                        changes, scratch, child));
    return is_any ? std::optional(std::as_const(child).span()) : std::nullopt;
}

Result<bool> ShardLayout::BuildLevel(std::size_t level, ByteSpan stored, const Changes& changes,
                                     PipelineScratch& scratch, Buffer& built) const {
    const Level& of = levels_[level];
    Old old;
    ZARR_RETURN_IF_ERROR(Open(level, stored, old));
    const std::vector<Changed> changed = ByPosition(of, changes);
    std::vector<Part> parts;
    std::deque<Buffer> children;  // that were built
    Changes own;
    auto next = changed.begin();
    for (std::size_t position = 0; position < of.children; ++position) {
        own.clear();
        for (; next != changed.end() && next->first == position; ++next)
            own.push_back(next->second);
        ZARR_ASSIGN_OR_RETURN(const auto bytes,
                              BuildChild(level, position, own, old, scratch, children));
        if (bytes) parts.push_back({position, *bytes});
    }
    if (parts.empty()) return false;
    ZARR_RETURN_IF_ERROR(Assemble(level, parts, scratch, built));
    return true;
}

Status ShardLayout::Assemble(std::size_t level, const std::vector<Part>& parts,
                             PipelineScratch& scratch, Buffer& built) const {
    const Level& of = levels_[level];
    std::size_t total = of.index_bytes;
    for (const Part& part : parts) total = SaturatingAdd(total, part.bytes.size);
    Buffer entries;
    ZARR_RETURN_IF_ERROR(entries.Reset(of.children * kEntryBytes));
    std::memset(entries.data(), 0xff, entries.size());
    Buffer plain;
    Buffer& shard = IsWrapped(level) ? plain : built;
    ZARR_RETURN_IF_ERROR(shard.Reset(total));
    std::size_t at = of.is_index_at_end ? 0 : of.index_bytes;
    for (const Part& part : parts) {
        std::uint8_t* const entry = entries.data() + part.position * kEntryBytes;
        StoreNative<std::uint64_t>(entry, at);
        StoreNative<std::uint64_t>(entry + sizeof(std::uint64_t), part.bytes.size);
        if (part.bytes.size != 0) std::memcpy(shard.data() + at, part.bytes.data, part.bytes.size);
        at += part.bytes.size;
    }
    ZARR_ASSIGN_OR_RETURN(
        const ByteSpan index,
        of.index.Encode(std::as_const(entries).span(), scratch).WithContext("index"));
    if (index.size != of.index_bytes)
        return Status::Invalid("index: is encoded in " + std::to_string(index.size) +
                               " bytes instead of " + std::to_string(of.index_bytes));
    std::memcpy(shard.data() + (of.is_index_at_end ? at : 0), index.data, index.size);
    if (!IsWrapped(level)) return {};
    if (plain.size() > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize,
                         "a shard of " + std::to_string(plain.size()) + " bytes");
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded,
                          of.codecs.EncodeBytes(std::as_const(plain).span(), scratch));
    return built.Assign(encoded);
}

}  // namespace zarr
