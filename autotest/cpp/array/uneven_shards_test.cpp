// SPDX-License-Identifier: MIT
// Tests of sharded arrays whose shards form a rectilinear grid. All inner chunks have one size.
#include <algorithm>

#include "autotest/cpp/array/sharded.h"
#include "autotest/cpp/array/uneven_array.h"
#include "core/array/shard_grid.h"

namespace zarr::test {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 24;

// Returns metadata with a rectilinear grid of shards. `shards` are the levels of sharding. `sizes`
// lists the sizes of the outermost shards along each dimension. A dimension with an empty list is
// regular.
ArrayMetadata UnevenShards(const SampleSpec& spec, const std::vector<ShardSpec>& shards,
                           const std::vector<Sizes>& sizes) {
    return WithSizes(ShardedMetadata(spec, shards), sizes);
}

SampleSpec Letters(std::vector<std::uint64_t> shape, std::vector<std::uint64_t> chunks) {
    return {std::move(shape), std::move(chunks), "\"|u1\"", "46"};  // '.'
}

// Returns random multiples of `unit` whose sum is at least `length`.
Sizes RandomMultiples(Random& random, std::uint64_t length, std::uint64_t unit) {
    Sizes sizes;
    for (std::uint64_t sum = 0; sum < length; sum += sizes.back())
        sizes.push_back(unit * (1 + random.Below(3)));
    if (random.Below(4) == 0) sizes.push_back(2 * unit);  // a shard beyond the end of the array
    return sizes;
}

TEST(UnevenShards, EachHasAnIndexOfItsOwnSize) {
    for (const bool at_end : {true, false}) {
        const ShardSpec shard{{4, 4}, at_end};
        const ArrayMetadata metadata =
            UnevenShards(Letters({6, 5}, {2, 2}), {shard}, {{2, 4}, {4, 2}});
        const auto store = std::make_shared<MemoryStore>();
        const auto put = [&](const char* key, const std::vector<std::optional<std::string>>& all) {
            ASSERT_TRUE(Succeeds(store->Set(key, ByteSpan(MakeShard(all, shard)))));
        };
        put("a/c/0/0", {"abfg", "cdhi"});
        put("a/c/0/1", {"e?j?"});
        put("a/c/1/0", {"klpq", std::nullopt, std::nullopt, "wxBC"});
        put("a/c/1/1", {std::nullopt, "y?D?"});
        const ShardedArray array(metadata, store);
        EXPECT_EQ(array.All(),
                  "abcde"
                  "fghij"
                  "kl..."
                  "pq..."
                  "..wxy"
                  "..BCD");
        EXPECT_EQ(*array.Read(Box({4, 3}, {2, 2})), "xyCD");
        EXPECT_EQ(*array.Read(Box({1, 4}, {1, 1})), "j");
    }
}

TEST(UnevenShards, AShardOfAnotherSizeIsDamaged) {
    const ShardSpec shard{{4}};
    const ArrayMetadata metadata = UnevenShards(Letters({6}, {2}), {shard}, {{2, 4}});
    const auto store = std::make_shared<MemoryStore>();
    ASSERT_TRUE(Succeeds(store->Set("a/c/1", ByteSpan(MakeShard({"ab"}, shard)))));
    const ShardedArray array(metadata, store);
    EXPECT_TRUE(Fails(array.Read(Box({2}, {1})), StatusCode::kCorrupt, "a/c/1"));
    EXPECT_EQ(*array.Read(Box({0}, {2})), "..");
}

TEST(UnevenShards, AreStoredInTheirSizes) {
    const ArrayMetadata metadata = UnevenShards(Letters({7}, {2}), {ShardSpec{{4}}}, {{2, 4, 2}});
    Uneven uneven(metadata, kEnough, kEnough);
    ASSERT_TRUE(Succeeds(uneven.Write(Region::All({7}), "abcdefg", 1)));
    EXPECT_EQ(SplitShard(ValueOf(*uneven.store, "dem/c/0"), 1),
              (std::vector<std::optional<std::string>>{"ab"}));
    EXPECT_EQ(SplitShard(ValueOf(*uneven.store, "dem/c/1"), 2),
              (std::vector<std::optional<std::string>>{"cd", "ef"}));
    ASSERT_TRUE(Succeeds(uneven.writer->Flush(1)));
    EXPECT_EQ(SplitShard(ValueOf(*uneven.store, "dem/c/2"), 1),
              (std::vector<std::optional<std::string>>{"g."}));
    ASSERT_TRUE(Succeeds(uneven.Write({{4}, {1}, {1}}, "E", 1)));
    ASSERT_TRUE(Succeeds(uneven.writer->Flush(1)));
    EXPECT_EQ(SplitShard(ValueOf(*uneven.store, "dem/c/1"), 2),
              (std::vector<std::optional<std::string>>{"cd", "Ef"}));
}

// Writes random regions of arrays with one or two levels of shards, and compares reads with a
// model. Some dimensions are regular, others irregular.
TEST(UnevenShards, WrittenElementsAreReadBack) {
    Random random(31);
    const std::string zlib = R"({"id": "zlib", "level": 1})";
    for (int round = 0; round < 24; ++round) {
        SampleSpec spec{{29, 17, 5}, {2, 3, 1}, "\"<i2\"", "7"};
        if (round % 2 == 0) spec.compressor = zlib;
        ShardSpec outer{{4, 6, 2}, round % 3 != 0};
        if (round % 4 == 1) outer.codec = zlib;
        outer.order = round % 5 == 2;
        std::vector<ShardSpec> levels = {outer};
        if (round % 2 == 1) levels.push_back({{4, 3, 2}, round % 3 != 1});
        const Sizes& unit = levels.size() == 2 ? levels[1].shape : spec.chunks;
        std::vector<Sizes> sizes(3);
        for (std::size_t i = 0; i < 3; ++i)
            if (random.Below(3) != 0) sizes[i] = RandomMultiples(random, spec.shape[i], unit[i]);
        if (sizes[0].empty() && sizes[1].empty() && sizes[2].empty()) sizes[0] = {4, 8, 20};
        const std::size_t room = round % 3 == 0 ? 600 : kEnough;
        Uneven uneven(UnevenShards(spec, levels, sizes), room, room);
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, RandomRegion(random, spec.shape), 2)));
            ASSERT_NO_FATAL_FAILURE(
                uneven.CheckRead(*uneven.array, RandomRegion(random, spec.shape), 1 + i % 3));
        }
        ASSERT_TRUE(Succeeds(uneven.writer->Flush(2)));
        const auto other = uneven.Open(room);
        for (int i = 0; i < 20; ++i)
            ASSERT_NO_FATAL_FAILURE(
                uneven.CheckRead(*other, RandomRegion(random, spec.shape), 1 + i % 3));
        ASSERT_NO_FATAL_FAILURE(uneven.CheckRead(*other, Region::All(spec.shape), 2));
    }
}

TEST(UnevenShards, ChunksAreListed) {
    const ArrayMetadata metadata =
        UnevenShards(Letters({6, 4}, {2, 2}), {ShardSpec{{4, 2}}}, {{2, 4}, {}});
    Uneven uneven(metadata, 0, kEnough);
    ASSERT_TRUE(Succeeds(uneven.Write({{2, 0}, {4, 1}, {1, 1}}, "abcd", 1)));
    ASSERT_TRUE(Succeeds(uneven.writer->Flush(1)));
    ASSERT_TRUE(Succeeds(uneven.Write({{0, 2}, {1, 1}, {1, 1}}, "e", 1)));
    std::vector<std::uint64_t> chunks;
    ASSERT_TRUE(Succeeds(
        uneven.array->chunks().ForEachStored([&](std::uint64_t chunk) { chunks.push_back(chunk); },
                                             [](std::optional<std::uint64_t>) {})));
    ASSERT_TRUE(Succeeds(uneven.writer->Flush(1)));
    const auto listing = uneven.Open(0)->ListChunks();
    ASSERT_TRUE(Succeeds(listing));
    EXPECT_EQ(listing->chunks, 3U);
    std::sort(chunks.begin(), chunks.end());
    EXPECT_EQ(chunks, (Sizes{2, 4})) << "of 3 x 2, without what is not encoded yet";
    EXPECT_EQ(uneven.array->chunk_count(), 6U);
}

TEST(UnevenShards, ChunksOutsideAreErased) {
    const ArrayMetadata metadata = UnevenShards(Letters({9}, {1}), {ShardSpec{{4}}}, {{2, 4, 3}});
    for (const std::uint64_t kept : {0U, 1U, 2U, 4U, 6U, 7U, 9U}) {
        Uneven uneven(metadata, 0, kEnough);
        const std::string all = "abcdefghi";
        ASSERT_TRUE(Succeeds(uneven.Write(Region::All({9}), all, 1)));
        ASSERT_TRUE(Succeeds(uneven.writer->Flush(1)));
        ASSERT_TRUE(Succeeds(uneven.array->chunks().EraseOutside(*uneven.store, {kept}, nullptr)));
        const auto other = uneven.Open(0);
        const auto elements = ReadRowMajor(*other, Region::All({9}), 1);
        ASSERT_TRUE(Succeeds(elements));
        EXPECT_EQ(*elements, all.substr(0, kept) + std::string(9 - kept, '.'));
        const std::size_t shards = kept == 0 ? 0 : kept <= 2 ? 1 : kept <= 6 ? 2 : 3;
        const std::size_t listed = shards == 0 ? 0 : uneven.store->List("dem/c")->size();
        EXPECT_EQ(listed, shards) << kept;
    }
}

TEST(UnevenShards, ShardsOfPartialChunksAreRefused) {
    ArrayMetadata metadata = UnevenShards(Letters({9}, {2}), {ShardSpec{{4}}}, {{2, 4, 3}});
    EXPECT_TRUE(Fails(Array::Open(std::make_shared<MemoryStore>(), "a", metadata,
                                  std::make_shared<ArrayContext>(0)),
                      StatusCode::kCorrupt, "shard 2 has 3 elements along dimension 0"));
}

TEST(ShardGrid, ChunksOfAnIrregularAxis) {
    const ArrayMetadata metadata =
        UnevenShards(Letters({11, 4}, {2, 2}), {ShardSpec{{6, 4}}}, {{2, 6, 4, 8}, {}});
    const auto grid = ShardGrid::Bind(metadata);
    ASSERT_TRUE(Succeeds(grid));
    EXPECT_EQ(grid->shard_counts()[0], 3U);
    EXPECT_EQ(grid->chunk_counts()[0], 6U);
    const Sizes shards = {0, 1, 1, 1, 2, 2};
    for (std::uint64_t chunk = 0; chunk < 6; ++chunk) {
        const ShardBox box = grid->BoxAround({chunk, 1});
        EXPECT_EQ(box.shard, shards[chunk]);
        EXPECT_TRUE(box.Has({chunk, 0}));
        const auto same = box.ChunkOf(box.NumberOf({chunk, 1}));
        EXPECT_EQ(same[0], chunk);
        EXPECT_EQ(same[1], 1U);
    }
    const ShardBox last = grid->BoxAt(2);
    EXPECT_EQ(last.chunks(), 4U);
    EXPECT_FALSE(last.Has({3, 0}));
    EXPECT_EQ(grid->ChunksInside(last), 4U);
}

}  // namespace
}  // namespace zarr::test
