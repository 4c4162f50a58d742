// SPDX-License-Identifier: MIT
// An input is a line with the `zarr.json` of a sharded array, then the bytes of a shard. The shard
// becomes the first and the last shard of the array.
#include <memory>
#include <string>

#include "autotest/fuzz/exercise_hierarchy.h"
#include "autotest/fuzz/exercise_update.h"
#include "autotest/fuzz/targets.h"
#include "core/array/shard_index.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/memory_store.h"

namespace zarr::fuzz {

namespace {

constexpr std::uint64_t kMostChildren = 4096;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Every index entry that Find() accepts must lie within the shard.
void CheckIndex(const ArrayMetadata& metadata, ByteSpan shard) {
    const Sharding& sharding = metadata.shards.front();
    ShardIndex::Index counts;
    std::uint64_t children = 1;
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        const auto& inner = metadata.shards.size() > 1 ? metadata.shards[1].shape : metadata.chunks;
        counts.push_back(sharding.shape[i] / inner[i]);
        if (counts[i] == 0 || counts[i] > kMostChildren) return;
        children *= counts[i];
        if (children > kMostChildren) return;
    }
    const auto index = ShardIndex::Bind(sharding, counts);
    Buffer entries;
    if (!index.ok() || !index->DecodeFrom(shard, entries).ok()) return;
    for (std::size_t i = 0; i < index->children(); ++i) {
        const auto found = ShardIndex::Find(entries, i, shard.size, kMostBytes);
        if (!found.ok() || !*found) continue;
        const ShardExtent& extent = **found;
        Check(extent.size <= kMostBytes && extent.offset <= shard.size &&
                  extent.size <= shard.size - extent.offset,
              "a chunk lies in its shard");
    }
}

}  // namespace

void FuzzShard(ByteSpan input) {
    const std::string_view text = input.text();
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    const auto metadata = ParseV3Array(text.substr(0, end));
    if (!metadata.ok() || metadata->shards.empty()) return;
    const ByteSpan shard = input.From(end + 1);
    CheckIndex(*metadata, shard);
    auto store = std::make_shared<MemoryStore>();
    Check(store->Set("zarr.json", ByteSpan(text.substr(0, end))).ok(), "memory takes a document");
    DimVector<std::uint64_t> first, last;
    for (std::size_t i = 0; i < metadata->rank(); ++i) {
        const std::uint64_t count = metadata->StoredAxis(i).count();
        if (count == 0) return;
        first.push_back(0);
        last.push_back(count - 1);
    }
    for (const auto& place : {first, last})
        Check(store->Set(ChunkKey("", place, metadata->key_encoding()), shard).ok(),
              "memory takes a shard");
    ExerciseHierarchy(store);
    ExerciseUpdate(store);
}

}  // namespace zarr::fuzz
