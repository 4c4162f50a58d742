// SPDX-License-Identifier: MIT
// Sharded arrays for tests. Shards are built and split without code of the core.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/support/region.h"
#include "core/array/array_writer.h"
#include "core/codec/factories.h"

namespace zarr::test {

// A level of sharding. Struct Sharding describes the members.
struct ShardSpec {
    std::vector<std::uint64_t> shape;
    bool index_at_end = true;
    bool has_checksum = true;
    std::string codec = "null";  // JSON of a codec that encodes the whole shard
    AxisOrder order = {};
    bool is_big_endian = false;
};

inline CodecSpec V3Codec(std::string name, const std::string& configuration) {
    CodecSpec codec;
    codec.name = std::move(name);
    codec.configuration = Json(configuration);
    codec.place = "codecs[0].index_codecs[0]";
    codec.names = CodecNames::kV3;
    return codec;
}

inline ArrayMetadata ShardedMetadata(const SampleSpec& spec, const std::vector<ShardSpec>& shards) {
    ArrayMetadata metadata = spec.Metadata();
    metadata.format = Format::kV3;
    metadata.has_key_prefix = true;
    metadata.dimension_separator = '/';
    metadata.has_separator = true;
    for (const ShardSpec& shard : shards) {
        Sharding sharding;
        sharding.shape = shard.shape;
        sharding.order = shard.order;
        sharding.index_at_end = shard.index_at_end;
        sharding.index_codecs.push_back(V3Codec(
            "bytes", shard.is_big_endian ? R"({"endian": "big"})" : R"({"endian": "little"})"));
        if (shard.has_checksum) sharding.index_codecs.push_back(V3Codec("crc32c", "{}"));
        if (shard.codec != "null") {
            auto codecs = ParseNumcodecs(Json("null"), Json(shard.codec));
            EXPECT_TRUE(Succeeds(codecs));
            sharding.codecs = codecs.Take();
        }
        metadata.shards.push_back(std::move(sharding));
    }
    return metadata;
}

// Returns `value` as the 8 bytes of a number in a shard index.
inline std::string NumberBytes(std::uint64_t value, bool is_big_endian = false) {
    std::string bytes;
    for (int i = 0; i < 8; ++i)
        bytes += static_cast<char>(value >> static_cast<unsigned>(8 * (is_big_endian ? 7 - i : i)));
    return bytes;
}

inline std::string WithChecksum(const std::string& bytes) {
    const std::uint32_t sum = Crc32cOf(ByteSpan(bytes));
    std::string all = bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) all += static_cast<char>(sum >> shift);
    return all;
}

// Returns a shard with the encoded chunks `children`, in the order of the index. nullopt is an
// absent chunk.
inline std::string MakeShard(const std::vector<std::optional<std::string>>& children,
                             const ShardSpec& spec = {}) {
    const std::size_t index_size = children.size() * 16 + (spec.has_checksum ? 4 : 0);
    std::string data;
    std::string index;
    for (const auto& child : children) {
        const std::uint64_t offset = data.size() + (spec.index_at_end ? 0 : index_size);
        index += NumberBytes(child ? offset : UINT64_MAX, spec.is_big_endian);
        index += NumberBytes(child ? child->size() : UINT64_MAX, spec.is_big_endian);
        data += child.value_or("");
    }
    if (spec.has_checksum) index = WithChecksum(index);
    return spec.index_at_end ? data + index : index + data;
}

// Returns the `count` encoded chunks of a shard. The shard must have its index, with a checksum, at
// the end.
inline std::vector<std::optional<std::string>> SplitShard(const std::string& shard,
                                                          std::size_t count) {
    std::vector<std::optional<std::string>> children;
    const std::string index = shard.substr(shard.size() - count * 16 - 4);
    EXPECT_EQ(index, WithChecksum(index.substr(0, count * 16)));
    const auto number = [&](std::size_t at) {
        std::uint64_t value = 0;
        for (std::size_t i = 8; i-- > 0;)
            value = value << 8U | static_cast<std::uint8_t>(index[at + i]);
        return value;
    };
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t offset = number(16 * i);
        children.push_back(
            offset == UINT64_MAX
                ? std::nullopt
                : std::optional(shard.substr(static_cast<std::size_t>(offset),
                                             static_cast<std::size_t>(number(16 * i + 8)))));
    }
    return children;
}

inline std::string ValueOf(const Store& store, const std::string& key) {
    Buffer value;
    const auto found = store.Get(key, value, kNoLimit);
    EXPECT_TRUE(Succeeds(found));
    return found.ok() && *found ? TextOf(value) : "absent";
}

// A sharded array at the path "a", opened with its own cache.
struct ShardedArray {
    ShardedArray(const ArrayMetadata& metadata, const std::shared_ptr<const Store>& store,
                 std::size_t cache_bytes = std::size_t{1} << 24,
                 std::shared_ptr<ArrayInstances> instances = nullptr)
        : context(std::make_shared<ArrayContext>(cache_bytes)) {
        auto opened = Array::Open(store, "a", metadata, context, std::move(instances));
        EXPECT_TRUE(Succeeds(opened));
        if (opened.ok()) array = opened.Take();
    }

    Result<std::string> Read(const Region& region, std::size_t threads = 2) const {
        return ReadRowMajor(*array, region, threads);
    }
    std::string All() const {
        const auto all = Read(Region::All(array->metadata().shape));
        EXPECT_TRUE(Succeeds(all));
        return all.ok() ? *all : "";
    }

    std::shared_ptr<ArrayContext> context;
    std::shared_ptr<const Array> array;
};

// Writes `bytes`, one per element in row-major order, into `region`.
inline Status WriteBytes(ArrayWriter& writer, const Region& region, const std::string& bytes,
                         std::size_t threads = 2) {
    const Source source{reinterpret_cast<const std::uint8_t*>(bytes.data()),
                        ContiguousStrides(region.count, 1, false), CopyConverter(1)};
    return writer.Write(region, 0, source, threads);
}

}  // namespace zarr::test
