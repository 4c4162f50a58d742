// SPDX-License-Identifier: MIT
#include "core/array/shard_index.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"

namespace zarr {

namespace {

// Offset and size that the index has for an absent child.
constexpr std::uint64_t kNoChunk = UINT64_MAX;
constexpr std::size_t kEntryBytes = 2 * sizeof(std::uint64_t);

DataType IndexType() {
    DataType type;
    type.kind = DataKind::kUint;
    type.size = sizeof(std::uint64_t);
    type.order = HostIsLittleEndian() ? ByteOrder::kLittle : ByteOrder::kBig;
    return type;
}

}  // namespace

Result<ShardIndex> ShardIndex::Bind(const Sharding& sharding, const Index& counts) {
    ShardIndex index;
    index.counts_ = counts;
    index.order_ = sharding.order;
    index.is_at_end_ = sharding.index_at_end;
    std::uint64_t children = 1;
    CodecContext context;
    context.dtype = IndexType();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint64_t count = counts[index.order_.At(i, counts.size())];
        context.chunk_shape.push_back(count);
        children = SaturatingMul(children, count);
    }
    context.chunk_shape.push_back(2);
    const std::uint64_t bytes = SaturatingMul(children, kEntryBytes);
    if (bytes > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize, "a shard of " + std::to_string(children) +
                                                " chunks has an index of " + std::to_string(bytes) +
                                                " bytes");
    index.children_ = static_cast<std::size_t>(children);
    ZARR_ASSIGN_OR_RETURN(index.pipeline_, Pipeline::Bind(sharding.index_codecs, context));
    const SizeBound stored = index.pipeline_.encoded_size();
    if (!stored.exact)
        return Status::Corrupt(
            "index_codecs: codecs with output of variable size, such as compressors, cannot encode "
            "a shard index");
    index.bytes_ = stored.max;
    return index;
}

// ---------------------------------------------------------------------------------------------
// Reading

Result<ShardExtent> ShardIndex::IndexExtent(std::uint64_t size) const {
    if (size < bytes_)
        return Status::Corrupt("holds " + std::to_string(size) +
                               " bytes, fewer than the shard index of " + std::to_string(bytes_) +
                               " bytes");
    return ShardExtent{is_at_end_ ? size - bytes_ : 0, bytes_};
}

Status ShardIndex::Decode(ByteSpan stored, Buffer& entries) const {
    PipelineScratch scratch;
    ZARR_RETURN_IF_ERROR(entries.Reset(children_ * kEntryBytes));
    return pipeline_.Decode(stored, entries.span(), scratch).WithContext("index");
}

Status ShardIndex::DecodeFrom(ByteSpan shard, Buffer& entries) const {
    ZARR_ASSIGN_OR_RETURN(const ShardExtent at, IndexExtent(shard.size));
    return Decode({shard.data + at.offset, static_cast<std::size_t>(at.size)}, entries);
}

Result<std::optional<ShardExtent>> ShardIndex::Find(const Buffer& entries, std::size_t position,
                                                    std::optional<std::uint64_t> size,
                                                    std::size_t most) {
    const std::uint8_t* const entry = entries.data() + position * kEntryBytes;
    const ShardExtent extent{LoadNative<std::uint64_t>(entry),
                             LoadNative<std::uint64_t>(entry + sizeof(std::uint64_t))};
    const bool is_absent = extent.offset == kNoChunk && extent.size == kNoChunk;
    if (is_absent) return std::optional<ShardExtent>();
    const auto refuse = [&](const std::string& why) {
        return Status::Corrupt("the shard index states " + std::to_string(extent.size) +
                               " bytes at offset " + std::to_string(extent.offset) + ", " + why);
    };
    if (extent.offset == kNoChunk || extent.size == kNoChunk)
        return refuse("but only one of the two numbers marks the chunk as absent");
    const auto end = CheckedAdd(extent.offset, extent.size);
    if (!end) return refuse("beyond 2^64 bytes");
    if (size && *end > *size)
        return refuse("beyond the end of the shard, which has " + std::to_string(*size) + " bytes");
    if (extent.size > most)
        return refuse("which exceeds the maximum of " + std::to_string(most) + " bytes");
    return std::optional(extent);
}

// ---------------------------------------------------------------------------------------------
// Writing

Status ShardIndex::Clear(Buffer& entries) const {
    ZARR_RETURN_IF_ERROR(entries.Reset(children_ * kEntryBytes));
    std::memset(entries.data(), 0xff, entries.size());
    return {};
}

void ShardIndex::Set(Buffer& entries, std::size_t position, const ShardExtent& extent) {
    std::uint8_t* const entry = entries.data() + position * kEntryBytes;
    StoreNative<std::uint64_t>(entry, extent.offset);
    StoreNative<std::uint64_t>(entry + sizeof(std::uint64_t), extent.size);
}

Result<ByteSpan> ShardIndex::Encode(const Buffer& entries, PipelineScratch& scratch) const {
    ZARR_ASSIGN_OR_RETURN(const ByteSpan index,
                          pipeline_.Encode(entries.span(), scratch).WithContext("index"));
    if (index.size != bytes_)
        return Status::Invalid("the shard index was encoded to " + std::to_string(index.size) +
                               " bytes instead of " + std::to_string(bytes_));
    return index;
}

}  // namespace zarr
