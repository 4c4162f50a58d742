// SPDX-License-Identifier: MIT
#include "core/array/shard_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/grid/row_major.h"

namespace zarr {

namespace {

std::string LevelName(std::size_t level) {
    return level == 0 ? "shard shape" : "shard shape of level " + std::to_string(level);
}

}  // namespace

Result<ShardLayout::Level> ShardLayout::BindLevel(const ArrayMetadata& metadata, std::size_t number,
                                                  std::size_t max_chunk_bytes) {
    const Sharding& sharding = metadata.shards[number];
    const bool is_last = number + 1 == metadata.shards.size();
    const auto& child = is_last ? metadata.chunks : metadata.shards[number + 1].shape;
    if (sharding.shape.size() != metadata.rank() || child.size() != metadata.rank())
        return Status::Corrupt(
            LevelName(number) + ": has " + std::to_string(sharding.shape.size()) +
            " sizes and its chunks have " + std::to_string(child.size()) + ", but the array has " +
            std::to_string(metadata.rank()) + " dimensions");
    Level level;
    Index counts;
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        const std::uint64_t chunk = metadata.chunks[i];
        const bool fits = child[i] != 0 && sharding.shape[i] != 0 &&
                          sharding.shape[i] % child[i] == 0 && child[i] % chunk == 0;
        if (!fits)
            return Status::Corrupt(LevelName(number) + "[" + std::to_string(i) +
                                   "]: " + std::to_string(sharding.shape[i]) +
                                   " is not a multiple of the inner chunk size " +
                                   std::to_string(child[i]));
        counts.push_back(sharding.shape[i] / child[i]);
        level.chunks_per_shard.push_back(sharding.shape[i] / chunk);
        level.chunks_per_child.push_back(child[i] / chunk);
    }
    ZARR_ASSIGN_OR_RETURN(level.index, ShardIndex::Bind(sharding, counts));
    const auto most = static_cast<std::size_t>(LimitOf(Limit::kChunkSize));
    ZARR_ASSIGN_OR_RETURN(level.codecs, Pipeline::BindBytes(sharding.codecs, most));
    level.max_child_bytes = is_last ? max_chunk_bytes : SIZE_MAX;
    return level;
}

Result<ShardLayout> ShardLayout::Bind(const ArrayMetadata& metadata, std::size_t max_chunk_bytes) {
    ShardLayout layout;
    std::uint64_t chunks = 1;  // number of chunks in a shard; must fit 64 bits
    for (std::size_t k = 0; k < metadata.shards.size(); ++k) {
        ZARR_ASSIGN_OR_RETURN(Level level, BindLevel(metadata, k, max_chunk_bytes));
        for (const Status& writable : {level.index.writable(), level.codecs.writable()})
            if (layout.writable_.ok()) layout.writable_ = writable;
        const auto product = CheckedMul(chunks, level.index.children());
        if (!product) return Status::Corrupt("shard shape: the array has more than 2^64 chunks");
        chunks = *product;
        layout.levels_.push_back(std::move(level));
    }
    for (std::size_t k = 1; k < layout.levels(); ++k)
        if (layout.IsEncodedWhole(k))
            layout.levels_[k - 1].max_child_bytes = layout.MaxEncodedShardBytes(k);
    if (metadata.edges.empty() && layout.levels() == 1) {
        layout.decoded_shard_bytes_ = metadata.dtype.size;
        for (const std::uint64_t size : metadata.shards.front().shape)
            layout.decoded_shard_bytes_ = SaturatingMul(layout.decoded_shard_bytes_, size);
    }
    if (!metadata.edges.empty() && !metadata.shards.empty()) {
        layout.outermost_ = metadata.shards.front();
        layout.more_ = std::make_unique<ShapeCache<ShardIndex>>();
    }
    return layout;
}

// ---------------------------------------------------------------------------------------------
// Positions of chunks

Result<ShardIndexPtr> ShardLayout::IndexOf(std::size_t level, const Index& shape) const {
    const Level& of = levels_[level];
    const bool is_level_shape = level != 0 || more_ == nullptr ||
                                std::equal(shape.begin(), shape.end(), of.chunks_per_shard.begin(),
                                           of.chunks_per_shard.end());
    if (is_level_shape)
        // No reference count is needed, because this ShardLayout owns the index.
        return ShardIndexPtr(ShardIndexPtr(), &of.index);
    return more_->GetOrMake(shape, [&] {
        Index counts = shape;
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] /= of.chunks_per_child[i];
        return ShardIndex::Bind(outermost_, counts);
    });
}

// ---------------------------------------------------------------------------------------------
// Reading

std::size_t ShardLayout::MaxEncodedShardBytes(std::size_t level) const {
    // The limit is twice the maximum size that known encoders write. It accepts larger results of
    // other encoders, but rejects a decompression bomb.
    return SaturatingAdd(SaturatingMul(levels_[level].codecs.max_encoded_bytes(), 2), 65536);
}

Status ShardLayout::Unwrap(std::size_t level, ByteSpan stored, Buffer& shard) const {
    PipelineScratch scratch;
    const auto most = static_cast<std::size_t>(LimitOf(Limit::kChunkSize));
    return levels_[level].codecs.DecodeBytes(stored, most, shard, scratch);
}

// ---------------------------------------------------------------------------------------------
// Writing

Result<BuiltShard> ShardLayout::Build(const Index& shape, ByteSpan old,
                                      const std::vector<ShardChange>& changes) const {
    ZARR_RETURN_IF_ERROR(writable_);
    Changes all;
    all.reserve(changes.size());
    for (const ShardChange& change : changes) all.push_back(&change);
    Building building{shape, {}};
    BuiltShard built;
    ZARR_RETURN_IF_ERROR(AddShard(0, old, all, building, built).status());
    return built;
}

// The old shard, from which unchanged children are copied while its replacement is built.
struct ShardLayout::Old {
    ByteSpan bytes;  // null if there is no old shard
    Buffer entries;
    std::size_t kept = 0;  // total size in bytes of the chunks copied from the old shard
};

Status ShardLayout::Open(std::size_t level, const ShardIndex& index, ByteSpan stored,
                         BuiltShard& owner, Old& old) const {
    old.bytes = stored;
    if (stored.data == nullptr) return {};
    if (IsEncodedWhole(level)) {
        Buffer& unwrapped = owner.owned.emplace_back();
        ZARR_RETURN_IF_ERROR(Unwrap(level, stored, unwrapped));
        old.bytes = std::as_const(unwrapped).span();
    }
    return index.DecodeFrom(old.bytes, old.entries);
}

Result<std::optional<ByteSpan>> ShardLayout::FindUnchanged(std::size_t level, std::size_t position,
                                                           Old& old) const {
    if (old.bytes.data == nullptr) return std::optional<ByteSpan>();
    ZARR_ASSIGN_OR_RETURN(const auto extent, Find(level, old.entries, position, old.bytes.size));
    if (!extent) return std::optional<ByteSpan>();
    const ByteSpan bytes{old.bytes.data + extent->offset, static_cast<std::size_t>(extent->size)};
    old.kept += bytes.size;  // cannot overflow: each size <= old.bytes.size
    if (old.kept > old.bytes.size)
        return Status::Corrupt(
            "the shard index has overlapping chunks, so that the shard cannot be updated");
    return std::optional(bytes);
}

std::vector<ShardLayout::Changed> ShardLayout::ByPosition(std::size_t level,
                                                          const ShardIndex& index,
                                                          const Index& shape,
                                                          const Changes& changes) const {
    std::vector<Changed> changed;
    changed.reserve(changes.size());
    for (const ShardChange* change : changes)
        changed.emplace_back(PositionOf(level, index, RowMajorIndex(change->chunk, shape)), change);
    std::stable_sort(changed.begin(), changed.end(),
                     [](const Changed& a, const Changed& b) { return a.first < b.first; });
    return changed;
}

Result<std::optional<std::size_t>> ShardLayout::AddChild(std::size_t level, std::size_t position,
                                                         const Changes& changes, Old& old,
                                                         Building& building,
                                                         BuiltShard& built) const {
    const bool is_chunk = level + 1 == levels();
    std::optional<ByteSpan> bytes;
    if (!changes.empty() && is_chunk) {
        const auto& changed = changes.back()->bytes;
        if (changed != nullptr) bytes = changed->span();
    } else {
        ZARR_ASSIGN_OR_RETURN(bytes, FindUnchanged(level, position, old));
        if (!changes.empty())
            return AddShard(level + 1, bytes.value_or(ByteSpan()), changes, building, built);
    }
    if (!bytes) return std::optional<std::size_t>();
    if (bytes->size != 0) built.parts.push_back(*bytes);
    return std::optional(bytes->size);
}

Result<std::optional<std::size_t>> ShardLayout::AddShard(std::size_t level, ByteSpan stored,
                                                         const Changes& changes, Building& building,
                                                         BuiltShard& built) const {
    ZARR_ASSIGN_OR_RETURN(const ShardIndexPtr index, IndexOf(level, building.shape));
    BuiltShard plain;
    BuiltShard& shard = IsEncodedWhole(level) ? plain : built;
    Old old;
    ZARR_RETURN_IF_ERROR(Open(level, *index, stored, shard, old));
    const std::vector<Changed> changed = ByPosition(level, *index, building.shape, changes);
    const std::size_t first = shard.parts.size();
    // Room for the shard index, which is encoded last.
    if (!index->is_at_end()) shard.parts.emplace_back();
    Buffer entries;
    ZARR_RETURN_IF_ERROR(index->Clear(entries));
    std::size_t at = index->is_at_end() ? 0 : index->bytes();
    bool is_any = false;
    Changes own;
    auto next = changed.begin();
    for (std::size_t position = 0; position < index->children(); ++position) {
        own.clear();
        for (; next != changed.end() && next->first == position; ++next)
            own.push_back(next->second);
        ZARR_ASSIGN_OR_RETURN(const auto size,
                              AddChild(level, position, own, old, building, shard));
        if (!size) continue;
        ShardIndex::Set(entries, position, {at, *size});
        at += *size;  // cannot overflow: all parts are in memory
        is_any = true;
    }
    if (!is_any) {
        shard.parts.resize(first);
        return std::optional<std::size_t>();
    }
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded, index->Encode(entries, building.scratch));
    Buffer& stored_index = shard.owned.emplace_back();
    ZARR_RETURN_IF_ERROR(stored_index.Assign(encoded));
    if (index->is_at_end()) {
        shard.parts.push_back(std::as_const(stored_index).span());
        at += index->bytes();
    } else {
        shard.parts[first] = std::as_const(stored_index).span();
    }
    return IsEncodedWhole(level) ? AddWrapped(level, plain, at, building, built)
                                 : std::optional(at);
}

Result<std::optional<std::size_t>> ShardLayout::AddWrapped(std::size_t level,
                                                           const BuiltShard& plain,
                                                           std::size_t size, Building& building,
                                                           BuiltShard& built) const {
    if (size > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize, "a shard of " + std::to_string(size) + " bytes");
    Buffer joined;
    ZARR_RETURN_IF_ERROR(joined.AssignJoined(plain.parts));
    ZARR_ASSIGN_OR_RETURN(
        const ByteSpan encoded,
        levels_[level].codecs.EncodeBytes(std::as_const(joined).span(), building.scratch));
    Buffer& wrapped = built.owned.emplace_back();
    ZARR_RETURN_IF_ERROR(wrapped.Assign(encoded));
    built.parts.push_back(std::as_const(wrapped).span());
    return std::optional(encoded.size);
}

}  // namespace zarr
