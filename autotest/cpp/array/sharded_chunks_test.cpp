// SPDX-License-Identifier: MIT
// Tests of reading shards, which the tests build from the specification without code of the core.
#include "core/array/sharded_chunks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "autotest/cpp/array/sharded.h"
#include "autotest/cpp/support/scoped_limit.h"
#include "autotest/cpp/support/threads.h"
#include "core/base/limits.h"

namespace zarr::test {
namespace {

using Children = std::vector<std::optional<std::string>>;

constexpr std::uint64_t kNone = UINT64_MAX;

SampleSpec Bytes(std::vector<std::uint64_t> shape, std::vector<std::uint64_t> chunks) {
    return {std::move(shape), std::move(chunks), "\"|u1\"", "46"};  // '.'
}

// A store that records read requests, and whose versions count the changes of a value. The store is
// remote if it reads `at_once` > 1 values concurrently.
class ShardStore final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;

    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.remote = at_once > 1;
        traits.concurrent_reads = at_once;
        traits.request_cost = cost;
        return traits;
    }
    ObjectVersion VersionOf(const std::string& key) const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (reads_report_versions) return {true, false, 0, 0, seen_[key].count};
        if (!has_versions) return {};
        return {true, true, 1, versions_[key]};
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        const bool is_range = !part.is_whole() && !part.is_tail();
        if (part.is_whole())
            Note((sink.buffer() != nullptr ? "all of " : "into ") + key);
        else if (part.is_tail())
            Note(key + " -" + std::to_string(part.length()));
        else
            Note(key + " " + std::to_string(part.offset()) + "+" + std::to_string(part.length()));
        if (is_range && before_range) before_range();
        auto read = base().Read(key, part, sink);
        if (!part.is_whole()) See(key);
        return read;
    }

    std::vector<std::string> Take() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(requests_, {});
    }
    void Change(const std::string& key) {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++versions_[key];
    }

    std::size_t at_once = 1;
    ReadCost cost = StoreTraits::kLocalCost;
    bool has_versions = false;
    // If true, only reads give a version, as an HTTP response gives an ETag.
    bool reads_report_versions = false;
    std::function<void()> before_range;

  private:
    void Note(std::string request) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        requests_.push_back(std::move(request));
    }
    void See(const std::string& key) const {
        Buffer value;
        const auto found = base().Get(key, value, kNoLimit);
        const std::lock_guard<std::mutex> lock(mutex_);
        Seen& seen = seen_[key];
        const std::string text = found.ok() && *found ? TextOf(value) : "absent";
        if (seen.text != text) ++seen.count;
        seen.text = text;
    }

    struct Seen {
        std::string text = "absent";
        std::uint64_t count = 0;
    };
    mutable std::mutex mutex_;
    mutable std::vector<std::string> requests_;
    mutable std::map<std::string, std::int64_t> versions_;
    mutable std::map<std::string, Seen> seen_;
};

using Requests = std::vector<std::string>;

class ShardedChunksTest : public testing::Test {
  protected:
    void Put(const std::string& key, const std::string& value) {
        ASSERT_TRUE(Succeeds(memory_->Set(key, ByteSpan(value))));
        store_->Change(key);
    }

    std::shared_ptr<MemoryStore> memory_ = std::make_shared<MemoryStore>();
    std::shared_ptr<ShardStore> store_ = std::make_shared<ShardStore>(memory_);
};

TEST_F(ShardedChunksTest, ReadsChunksByTheIndex) {
    for (const bool at_end : {true, false}) {
        for (const bool has_checksum : {true, false}) {
            for (const bool is_big_endian : {true, false}) {
                const ShardSpec spec{{2, 4}, at_end, has_checksum, "null", {}, is_big_endian};
                Put("a/c/0/0", MakeShard({"abef", std::nullopt}, spec));
                Put("a/c/0/1", MakeShard({"cd??", std::nullopt}, spec));
                Put("a/c/1/0", MakeShard({"ij##", "kl##"}, spec));
                const ShardedArray array(ShardedMetadata(Bytes({3, 6}, {2, 2}), {spec}), store_);
                EXPECT_EQ(array.All(),
                          "ab..cd"
                          "ef..??"
                          "ijkl..");
                EXPECT_EQ(*array.Read(Box({1, 0}, {1, 1})), "e");
                EXPECT_EQ(*array.Read(Box({2, 2}, {1, 4})), "kl..");
            }
        }
    }
}

TEST_F(ShardedChunksTest, UsesTheIndexOrderOfTheMetadata) {
    ShardSpec spec{{2, 3}};
    spec.order = true;  // shard index in column-major order
    Put("a/c/0/0", MakeShard({"a", "d", "b", "e", "c", "f"}, spec));
    const ShardedArray array(ShardedMetadata(Bytes({2, 3}, {1, 1}), {spec}), store_);
    EXPECT_EQ(array.All(), "abcdef");
}

TEST_F(ShardedChunksTest, ReadsAnArrayWithoutDimensions) {
    Put("a/c", MakeShard({"x"}));
    const ShardedArray array(ShardedMetadata(Bytes({}, {}), {ShardSpec{}}), store_);
    EXPECT_EQ(array.All(), "x");
}

TEST_F(ShardedChunksTest, ReadsNestedAndEncodedShards) {
    const std::string zlib = R"({"id": "zlib", "level": 1})";
    for (const std::string& outer : {std::string("null"), zlib}) {
        for (const std::string& inner : {std::string("null"), zlib}) {
            for (const bool at_end : {true, false}) {
                const ShardSpec outer_spec{{8}, at_end, true, outer};
                const ShardSpec inner_spec{{4}, !at_end, true, inner};
                const auto encoded = [&](const std::string& codec, const std::string& bytes) {
                    return codec == "null" ? bytes : Deflated(bytes);
                };
                const auto shard = [&](const Children& children) {
                    return encoded(inner, MakeShard(children, inner_spec));
                };
                Put("a/c/0",
                    encoded(outer, MakeShard({shard({"ab", "cd"}), shard({std::nullopt, "gh"})},
                                             outer_spec)));
                Put("a/c/1", encoded(outer, MakeShard({std::nullopt, shard({"mn", std::nullopt})},
                                                      outer_spec)));
                const ShardedArray array(
                    ShardedMetadata(Bytes({20}, {2}), {outer_spec, inner_spec}), store_);
                EXPECT_EQ(array.All(), "abcd..gh....mn......");
                EXPECT_EQ(*array.Read(Box({7}, {1})), "h");
                EXPECT_EQ(*array.Read(Box({12}, {3})), "mn.");
                const auto listing = array.array->ListChunks();
                ASSERT_TRUE(Succeeds(listing));
                EXPECT_EQ(listing->chunks, 4U);
            }
        }
    }
}

TEST_F(ShardedChunksTest, AChunkTakesTwoRequestsAndTheNextOne) {
    Put("a/c/0", MakeShard({"ab", "cd", std::nullopt, "gh"}));
    const ShardedArray array(ShardedMetadata(Bytes({16}, {2}), {{{8}}}), store_, 0);
    EXPECT_EQ(*array.Read(Box({3}, {1})), "d");
    EXPECT_EQ(store_->Take(), (Requests{"a/c/0 -68", "a/c/0 2+2"}));
    EXPECT_EQ(*array.Read(Box({0}, {1})), "a");
    EXPECT_EQ(store_->Take(), Requests{"a/c/0 0+2"});
    EXPECT_EQ(*array.Read(Box({4}, {1})), ".");
    EXPECT_EQ(store_->Take(), Requests{}) << "an absent chunk is known from the index";
    EXPECT_EQ(*array.Read(Box({8}, {8})), "........");
    EXPECT_EQ(store_->Take(), Requests{"a/c/1 -68"}) << "an absent shard";
    EXPECT_EQ(*array.Read(Box({9}, {1})), ".");
    EXPECT_EQ(store_->Take(), Requests{});
}

TEST_F(ShardedChunksTest, ChunksThatAreReadTogetherAreOneRequest) {
    Put("a/c/0", MakeShard({"ab", "cd", std::nullopt, "gh"}));
    Put("a/c/1", MakeShard({"ij", "kl", "mn", "op"}));
    const ShardedArray array(ShardedMetadata(Bytes({16}, {2}), {{{8}}}), store_, 0);
    EXPECT_EQ(*array.Read(Box({0}, {16}), 1), "abcd..ghijklmnop");
    EXPECT_EQ(store_->Take(), (Requests{"a/c/0 -68", "a/c/0 0+6", "a/c/1 -68", "a/c/1 0+8"}));
    EXPECT_EQ(*array.Read(Box({2}, {10}), 1), "cd..ghijkl");
    EXPECT_EQ(store_->Take(), (Requests{"a/c/0 2+4", "a/c/1 0+4"}));
}

TEST_F(ShardedChunksTest, DistantChunksTakeTwoRequestsUnlessRequestsAreExpensive) {
    const std::string gap(200'000, '-');
    std::string index;
    for (const std::uint64_t offset : {0U, 200'001U}) index += NumberBytes(offset) + NumberBytes(1);
    Put("a/c/0", "a" + gap + "b" + WithChecksum(index));
    const ArrayMetadata metadata = ShardedMetadata(Bytes({2}, {1}), {{{2}}});
    EXPECT_EQ(ShardedArray(metadata, store_).All(), "ab");
    EXPECT_EQ(store_->Take().size(), 3U);
    store_->cost = {200'000, std::uint64_t{1} << 20, 0, 0};
    EXPECT_EQ(ShardedArray(metadata, store_).All(), "ab");
    EXPECT_EQ(store_->Take(), (Requests{"a/c/0 -36", "a/c/0 0+200002"}));
}

TEST_F(ShardedChunksTest, WaitsLastForChunksOfOtherThreads) {
    Put("a/c/0", MakeShard({"ab", "cd", "ef", "gh"}));
    const ShardedArray array(ShardedMetadata(Bytes({8}, {2}), {{{8}}}), store_);
    ChunkCache& cache = array.context->cache();
    // The test claims chunk 1, like another thread that will load the chunk but has not begun.
    auto claim = cache.TryClaim(array.array->IdOf({1}));
    ASSERT_TRUE(claim);
    std::string read;
    std::thread reader([&] { read = *array.Read(Box({1}, {6}), 1); });
    // The thread `reader` must load all unclaimed chunks before it waits for chunk 1.
    const auto load = []() -> Result<ChunkPtr> { return Status::Io("not loaded by the reader"); };
    const auto begin = std::chrono::steady_clock::now();
    while (cache.Find(array.array->IdOf({0})) == nullptr &&
           std::chrono::steady_clock::now() - begin < kMaxWait)
        std::this_thread::yield();
    EXPECT_TRUE(Succeeds(cache.GetOrLoad(array.array->IdOf({0}), load)));
    {
        // Release the claim, so that the reader loads chunk 1.
        const auto given_up = std::move(claim);
    }
    reader.join();
    EXPECT_EQ(read, "bcdefg");
}

TEST_F(ShardedChunksTest, RequestsAreBounded) {
    constexpr std::size_t kChunk = std::size_t{1} << 20;
    std::string data;
    std::string index;
    for (std::uint64_t i = 0; i < 12; ++i) {
        data += std::string(kChunk, static_cast<char>('a' + i));
        index += NumberBytes(i * kChunk) + NumberBytes(kChunk);
    }
    Put("a/c/0", data + WithChecksum(index));
    const ShardedArray array(ShardedMetadata(Bytes({12 * kChunk}, {kChunk}), {{{12 * kChunk}}}),
                             store_);
    EXPECT_EQ(*array.Read(Box({0}, {12 * kChunk})), data);
    EXPECT_EQ(store_->Take().size(), 4U) << "an index and three times 4 MiB";
}

TEST_F(ShardedChunksTest, OnlyTheNeededPartOfAnUncompressedChunkIsRead) {
    const std::string chunk(std::size_t{1} << 20, 'x');
    Put("a/c/0", MakeShard({std::nullopt, chunk}));
    const ShardedArray array(
        ShardedMetadata(Bytes({chunk.size() * 2}, {chunk.size()}), {{{chunk.size() * 2}}}), store_);
    EXPECT_EQ(*array.Read(Box({chunk.size() + 77}, {3})), "xxx");
    EXPECT_EQ(store_->Take(), (Requests{"a/c/0 -36", "a/c/0 77+3"}));
}

TEST_F(ShardedChunksTest, PartsOfLargeChunksThatAreReadTogetherAreOneRequest) {
    const std::size_t size = std::size_t{1} << 20;
    Put("a/c/0", MakeShard({std::string(size, 'x'), std::string(size, 'y')}));
    const ShardedArray array(ShardedMetadata(Bytes({size * 2}, {size}), {{{size * 2}}}), store_);
    EXPECT_EQ(*array.Read(Box({size - 3}, {5})), "xxxyy");
    EXPECT_EQ(store_->Take(), (Requests{"a/c/0 -36", "a/c/0 1048573+5"}));
}

// An invalid entry of a shard index. The shard has 10 bytes of data and an index of 20 bytes.
struct WrongEntry {
    std::uint64_t offset;
    std::uint64_t size;
    const char* message;
};
constexpr WrongEntry kWrongEntries[] = {
    {0, kNone, "but only one of the two numbers"},
    {kNone, 2, "but only one of the two numbers"},
    {kNone - 1, 2, "beyond 2^64 bytes"},
    {2, kNone - 1, "beyond 2^64 bytes"},
    {29, 2, "beyond the end of the shard"},
    {1000, 2, "beyond the end of the shard"},
    {0, std::uint64_t{1} << 40, "beyond the end of the shard"},
    {std::uint64_t{1} << 62, 2, "beyond the end of the shard"},
};

TEST_F(ShardedChunksTest, WrongIndexEntriesAreErrorsThatNameShardAndChunk) {
    for (const WrongEntry& lie : kWrongEntries) {
        for (const bool at_end : {true, false}) {
            const std::string index = WithChecksum(NumberBytes(lie.offset) + NumberBytes(lie.size));
            const std::string data = "0123456789";
            Put("a/c/0/1", at_end ? data + index : index + data);
            const ShardedArray array(ShardedMetadata(Bytes({2, 4}, {2, 2}), {{{2, 2}, at_end}}),
                                     store_);
            for (const Region& region : {Box({0, 3}, {1, 1}), Region::All({2, 4})}) {
                const auto read = array.Read(region);
                ASSERT_TRUE(
                    Fails(read, StatusCode::kCorrupt, "a/c/0/1: chunk [0, 1]: the shard index"));
                // If the index is at the start, its reader does not know the shard's size, and
                // words an offset beyond the end differently.
                const bool is_known = at_end || std::string(lie.message).find("beyond") != 0;
                if (is_known) {
                    EXPECT_TRUE(Fails(read, StatusCode::kCorrupt, lie.message));
                    EXPECT_TRUE(Fails(read, StatusCode::kCorrupt, std::to_string(lie.offset)));
                }
            }
        }
    }
}

TEST_F(ShardedChunksTest, AChunkLargerThanItsCodecsCanEncodeIsNotRead) {
    Put("a/c/0", MakeShard({std::string(100'000, 'x')}));
    const ShardedArray array(ShardedMetadata(Bytes({2}, {2}), {{{2}}}), store_);
    EXPECT_TRUE(Fails(array.Read(Box({0}, {1})), StatusCode::kCorrupt,
                      "a/c/0: chunk [0]: the shard index states 100000 bytes at offset 0, which "
                      "exceeds"));
    EXPECT_EQ(store_->Take(), Requests{"a/c/0 -20"});
}

TEST_F(ShardedChunksTest, DamagedIndexesAreErrors) {
    const std::string shard = MakeShard({"ab", "cd"});
    const ArrayMetadata metadata = ShardedMetadata(Bytes({4}, {2}), {{{4}}});
    std::string wrong = shard;
    wrong[5] = static_cast<char>(wrong[5] ^ 1);
    Put("a/c/0", wrong);
    EXPECT_TRUE(Fails(ShardedArray(metadata, store_).Read(Box({0}, {4})), StatusCode::kCorrupt,
                      "a/c/0: index: crc32c: checksum"));
    for (std::size_t size = 0; size < shard.size(); ++size) {
        Put("a/c/0", shard.substr(0, size));
        const auto read = ShardedArray(metadata, store_).Read(Box({0}, {4}));
        EXPECT_TRUE(Fails(read, StatusCode::kCorrupt, "a/c/0: "));
    }
    const ArrayMetadata at_start = ShardedMetadata(Bytes({4}, {2}), {{{4}, false}});
    const std::string whole = MakeShard({"ab", "cd"}, {{4}, false});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        Put("a/c/0", whole.substr(0, size));
        const auto read = ShardedArray(at_start, store_).Read(Box({0}, {4}));
        EXPECT_TRUE(Fails(read, StatusCode::kCorrupt, "a/c/0: "));
    }
}

TEST_F(ShardedChunksTest, ChunksMayOverlapAndBeInAnyOrder) {
    const std::string index = NumberBytes(2) + NumberBytes(2) + NumberBytes(1) + NumberBytes(2) +
                              NumberBytes(0) + NumberBytes(2) + NumberBytes(2) + NumberBytes(2);
    Put("a/c/0", "abcd" + WithChecksum(index));
    const ShardedArray array(ShardedMetadata(Bytes({8}, {2}), {{{8}}}), store_);
    EXPECT_EQ(array.All(), "cdbcabcd");
}

TEST_F(ShardedChunksTest, DamagedInnerAndEncodedShardsAreErrors) {
    const std::string inner = MakeShard({"ab", "cd"});
    std::string wrong = inner;
    wrong.back() = static_cast<char>(wrong.back() ^ 1);
    Put("a/c/0", MakeShard({inner, wrong, "short"}));
    const ShardedArray nested(ShardedMetadata(Bytes({12}, {2}), {{{12}}, {{4}}}), store_);
    EXPECT_EQ(*nested.Read(Box({0}, {4})), "abcd");
    EXPECT_TRUE(Fails(nested.Read(Box({4}, {4})), StatusCode::kCorrupt,
                      "a/c/0: shard of level 1 of chunk [2]: index: crc32c"));
    EXPECT_TRUE(Fails(nested.Read(Box({8}, {1})), StatusCode::kCorrupt,
                      "a/c/0: shard of level 1 of chunk [4]: holds 5 bytes, fewer"));

    const ArrayMetadata wrapped =
        ShardedMetadata(Bytes({4}, {2}), {{{4}, true, true, R"({"id": "zlib", "level": 1})"}});
    const std::string deflated = Deflated(inner);
    for (std::size_t size = 0; size < deflated.size(); ++size) {
        Put("a/c/0", deflated.substr(0, size));
        EXPECT_TRUE(Fails(ShardedArray(wrapped, store_).Read(Box({0}, {4})), StatusCode::kCorrupt,
                          "a/c/0: "));
    }
}

TEST_F(ShardedChunksTest, RefusesInvalidMetadata) {
    const auto open = [&](const ArrayMetadata& metadata) {
        return Array::Open(store_, "a", metadata, std::make_shared<ArrayContext>(0));
    };
    EXPECT_TRUE(Fails(open(ShardedMetadata(Bytes({9}, {2}), {{{5}}})), StatusCode::kCorrupt,
                      "shard shape[0]: 5 is not a multiple of the inner chunk size 2"));
    EXPECT_TRUE(Fails(open(ShardedMetadata(Bytes({9}, {2}), {{{4, 4}}})), StatusCode::kCorrupt,
                      "shard shape"));
    EXPECT_TRUE(Fails(open(ShardedMetadata(Bytes({9}, {1}), {{{std::uint64_t{1} << 60}}})),
                      StatusCode::kLimit, "has an index of"));
    ArrayMetadata compressed = ShardedMetadata(Bytes({4}, {2}), {{{4}}});
    compressed.shards[0].index_codecs.push_back(V3Codec("gzip", R"({"level": 1})"));
    EXPECT_TRUE(Fails(open(compressed), StatusCode::kCorrupt, "index_codecs"));
}

TEST_F(ShardedChunksTest, ListsStoredChunks) {
    Put("a/c/0/0", MakeShard({"a", std::nullopt, "c", "d"}));
    Put("a/c/0/1", MakeShard({"b", "beyond the edge", std::nullopt, std::nullopt}));
    const ShardedArray array(ShardedMetadata(Bytes({4, 3}, {1, 1}), {{{2, 2}}}), store_);
    std::vector<std::uint64_t> found;
    std::uint64_t bytes = 0;
    ASSERT_TRUE(Succeeds(array.array->chunks().ForEachStored(
        [&](std::uint64_t index) { found.push_back(index); },
        [&](std::optional<std::uint64_t> size) { bytes += size.value_or(0); })));
    EXPECT_EQ(found, (std::vector<std::uint64_t>{0, 3, 4, 2}));
    ASSERT_TRUE(Succeeds(array.array->ListChunks()));
    EXPECT_TRUE(array.array->IsKnownAbsent({0, 1}));
    EXPECT_FALSE(array.array->IsKnownAbsent({1, 1}));
    store_->Take();
    EXPECT_EQ(*array.Read(Box({0, 1}, {1, 1})), ".");
    EXPECT_EQ(store_->Take(), Requests{});
}

// Only two of 2^32 chunks in nested shards are stored. The listing must skip absent inner shards,
// or it would take minutes.
TEST_F(ShardedChunksTest, AbsentInnerShardsAreSkippedAsAWhole) {
    constexpr std::uint64_t kMany = std::uint64_t{1} << 16;
    const ArrayMetadata metadata = ShardedMetadata(
        Bytes({kMany * kMany}, {1}), {{{kMany * kMany}, true, false}, {{kMany}, false, false}});
    Children children(kMany);
    children[5] = "5";
    children[kMany - 1] = "last";
    const std::string inner = MakeShard(children, {{}, false, false});
    Put("a/c/0", MakeShard(
                     [&] {
                         Children outer(kMany);
                         outer[7] = inner;
                         return outer;
                     }(),
                     {{}, true, false}));
    const ShardedArray array(metadata, store_);
    const auto present = [&] {
        std::vector<std::uint64_t> found;
        EXPECT_TRUE(Succeeds(array.array->chunks().ForEachStored(
            [&](std::uint64_t index) { found.push_back(index); },
            [](std::optional<std::uint64_t>) {})));
        return found;
    };
    EXPECT_EQ(present(), (std::vector<std::uint64_t>{7 * kMany + 5, 8 * kMany - 1}));
    EXPECT_EQ(store_->Take().size(), 2U) << "an index of each level";
    // Erasing all chunks beyond the new shape removes the second stored chunk.
    ASSERT_TRUE(Succeeds(array.array->chunks().EraseOutside(*memory_, {7 * kMany + 6}, nullptr)));
    EXPECT_EQ(present(), std::vector<std::uint64_t>{7 * kMany + 5});
}

TEST_F(ShardedChunksTest, ListingSharedInnerShardsIsBounded) {
    // All 256 index entries refer to one inner shard of 256 chunks. Listing the 2^16 chunks reads
    // 2^20 bytes of indexes, which ZARR_MAX_CHUNK_SIZE must limit.
    const std::string inner = MakeShard(Children(256, ""), {{}, true, false});
    std::string index;
    for (int i = 0; i < 256; ++i) index += NumberBytes(0) + NumberBytes(inner.size());
    Put("a/c/0", inner + index);
    const ShardedArray array(
        ShardedMetadata(Bytes({65536}, {1}), {{{65536}, true, false}, {{256}, true, false}}),
        store_);
    const auto list = [&](std::uint64_t most) {
        const ScopedLimit limit(Limit::kChunkSize, most);
        return array.array->ListChunks();
    };
    EXPECT_TRUE(Fails(list(std::uint64_t{1} << 20), StatusCode::kLimit,
                      "a/c/0: its chunks cannot be listed: the indexes in it have too many bytes; "
                      "ZARR_MAX_CHUNK_SIZE allows 1048576"));
    const auto listing = list(std::uint64_t{4} << 20);
    ASSERT_TRUE(Succeeds(listing));
    EXPECT_EQ(listing->chunks, 65536U);
}

TEST_F(ShardedChunksTest, RemoteStoresAreNotAskedForManyIndexes) {
    for (int i = 0; i < 65; ++i) Put("a/c/" + std::to_string(i), MakeShard({"x"}));
    store_->at_once = 8;
    const ShardedArray many(ShardedMetadata(Bytes({65}, {1}), {{{1}}}), store_);
    EXPECT_TRUE(Fails(many.array->ListChunks(), StatusCode::kUnsupported, "65 shards"));
    const ShardedArray few(ShardedMetadata(Bytes({64}, {1}), {{{1}}}), store_);
    ASSERT_TRUE(Succeeds(few.array->ListChunks()));
}

TEST_F(ShardedChunksTest, ReportsTheLocationOfAChunk) {
    Put("a/c/0/1", MakeShard({"ab", std::nullopt}));
    const ShardedArray array(ShardedMetadata(Bytes({2, 4}, {1, 2}), {{{2, 2}}}), store_);
    const ChunkStore& chunks = array.array->chunks();
    const auto location = chunks.Locate({0, 1});
    ASSERT_TRUE(Succeeds(location));
    ASSERT_TRUE(location->has_value());
    EXPECT_EQ((*location)->key, "a/c/0/1");
    EXPECT_EQ((*location)->offset, 0U);
    EXPECT_EQ((*location)->size, 2U);
    EXPECT_FALSE(chunks.Locate({1, 1})->has_value());
    EXPECT_FALSE(chunks.Locate({0, 0})->has_value());
    EXPECT_EQ(chunks.NameOf({1, 1}), "a/c/0/1");
    EXPECT_EQ(*chunks.LockKeyOf({1, 1}), "a/c/0/1");
    EXPECT_EQ(chunks.separator(), '/');
    const ShardedArray wrapped(
        ShardedMetadata(Bytes({2}, {1}), {{{2}, true, true, R"({"id": "zlib"})"}}), store_);
    Put("a/c/0", Deflated(MakeShard({"a", "b"})));
    EXPECT_TRUE(Fails(wrapped.array->chunks().Locate({1}), StatusCode::kUnsupported,
                      "a/c/0: chunk [1]: the chunk has no byte range of its own"));
}

TEST_F(ShardedChunksTest, AReplacedShardIsReadAgain) {
    for (const bool is_told : {false, true}) {
        store_ = std::make_shared<ShardStore>(memory_);
        store_->has_versions = !is_told;
        store_->reads_report_versions = is_told;
        Put("a/c/0", MakeShard({"ab", "cd"}));
        const ShardedArray array(ShardedMetadata(Bytes({4}, {2}), {{{4}}}), store_, 0);
        EXPECT_EQ(array.All(), "abcd");
        EXPECT_EQ(store_->Take().size(), 2U);
        Put("a/c/0", MakeShard({"-", "AB"}));
        // The reader's cached index is outdated: at the old offset of chunk 1, the new shard has
        // other bytes.
        EXPECT_EQ(*array.Read(Box({2}, {2})), "AB");
        // The shard is replaced after a read of its index and before the read of its chunks. The
        // reader must return the new elements.
        for (const Region& region : {Box({2}, {1}), Box({0}, {4})}) {
            Put("a/c/0", MakeShard({"ab", "cd"}));
            bool is_done = false;
            store_->before_range = [&] {
                if (std::exchange(is_done, true)) return;
                Put("a/c/0", MakeShard({std::nullopt, "CD"}));
            };
            EXPECT_EQ(*array.Read(region, 1), region.count[0] == 1 ? "C" : "..CD");
        }
        // The shard is replaced before each read of a byte range, so no chunk ever matches the
        // index. The reader must give up.
        int turn = 0;
        store_->before_range = [&] {
            Put("a/c/0", MakeShard({"ab", "c" + std::to_string(turn++)}));
        };
        EXPECT_TRUE(Fails(array.Read(Box({2}, {2}), 1), StatusCode::kIo,
                          "a/c/0: chunk [1]: the shard was replaced repeatedly"));
        // The shard is erased during a read, which must return the fill value.
        store_->before_range = [&] {
            ASSERT_TRUE(Succeeds(memory_->Erase("a/c/0")));
            store_->Change("a/c/0");
        };
        EXPECT_EQ(*array.Read(Box({2}, {2}), 1), "..");
    }
}

// One thread reads with an outdated index. Before it fails, another thread of the process has read
// the new index, or has dropped it again. The failure must be judged by the index that was used.
TEST_F(ShardedChunksTest, AnotherThreadMayReadTheNewIndexFirst) {
    const std::string index = NumberBytes(200) + NumberBytes(2) + NumberBytes(202) + NumberBytes(2);
    const std::string old_shard = std::string(200, '-') + "abcd" + WithChecksum(index);
    for (const bool is_cached_before : {false, true})
        for (const bool is_dropped : {false, true}) {
            store_ = std::make_shared<ShardStore>(memory_);
            store_->has_versions = true;
            Put("a/c/0", old_shard);
            const ShardedArray array(ShardedMetadata(Bytes({4}, {2}), {{{4}}}), store_, 0);
            if (is_cached_before) {
                ASSERT_EQ(array.All(), "abcd");
            }
            bool is_done = false;
            store_->before_range = [&] {
                if (std::exchange(is_done, true)) return;
                Put("a/c/0", MakeShard({"ef", "gh"}));
                std::thread([&] {
                    EXPECT_EQ(*array.Read(Box({0}, {1}), 1), "e");
                    if (is_dropped) array.array->DropChanged();
                }).join();
            };
            const auto read = array.Read(Box({2}, {1}), 1);
            ASSERT_TRUE(Succeeds(read)) << is_cached_before << is_dropped;
            EXPECT_EQ(*read, "g");
            EXPECT_TRUE(is_done);
        }
}

TEST_F(ShardedChunksTest, AnInnerShardOfAReplacedShardIsReadAgain) {
    store_->reads_report_versions = true;
    const ArrayMetadata metadata = ShardedMetadata(Bytes({8}, {1}), {{{8}}, {{4}}});
    const auto shard = [](const std::string& text) {
        return MakeShard(
            {text.substr(0, 1), text.substr(1, 1), text.substr(2, 1), text.substr(3, 1)});
    };
    const auto put = [&](const std::string& text, bool is_long) {
        std::string data = is_long ? "----" : "";
        const std::string first = shard(text.substr(0, 4));
        const std::string second = shard(text.substr(4));
        std::string index = NumberBytes(data.size()) + NumberBytes(first.size());
        data += first;
        index += NumberBytes(data.size()) + NumberBytes(second.size());
        Put("a/c/0", data + second + WithChecksum(index));
    };
    put("abcdefgh", false);
    const ShardedArray array(metadata, store_, 0);
    EXPECT_EQ(array.All(), "abcdefgh");
    // The shard is replaced with the same offsets, then with others, and finally between the reads
    // of the outer and the inner index.
    put("ABCDEFGH", false);
    EXPECT_EQ(*array.Read(Box({1}, {1}), 1), "B");
    EXPECT_EQ(*array.Read(Box({6}, {2}), 1), "GH");
    put("ijklmnop", true);
    EXPECT_EQ(*array.Read(Box({5}, {2}), 1), "no");
    const ShardedArray fresh(metadata, store_, 0);
    bool is_done = false;
    store_->before_range = [&] {
        if (!std::exchange(is_done, true)) put("IJKLMNOP", false);
    };
    EXPECT_EQ(*fresh.Read(Box({5}, {1}), 1), "N");
}

// This store reports no versions, so a reader notices a changed shard only if its bytes contradict
// the cached index.
TEST_F(ShardedChunksTest, AnOutdatedIndexIsReadAgain) {
    const ShardSpec spec{{4}, false};
    Put("a/c/0", MakeShard({"ab", "cd"}, spec));
    const ShardedArray array(ShardedMetadata(Bytes({4}, {2}), {spec}), store_, 0);
    EXPECT_EQ(array.All(), "abcd");
    Put("a/c/0", MakeShard({std::nullopt, "ef"}, spec));
    EXPECT_EQ(*array.Read(Box({2}, {2}), 1), "ef");
}

TEST_F(ShardedChunksTest, ChangesOfOthersAreSeenAfterDropChanged) {
    const ShardedArray array(ShardedMetadata(Bytes({4}, {2}), {{{4}}}), store_);
    EXPECT_EQ(array.All(), "....");
    Put("a/c/0", MakeShard({"ab", "cd"}));
    array.array->DropChanged();
    EXPECT_EQ(array.All(), "abcd");
    Put("a/c/0", MakeShard({std::nullopt, "CD"}));
    array.array->DropChanged();
    EXPECT_EQ(array.All(), "..CD");
}

TEST_F(ShardedChunksTest, ThreadsReadAMissingIndexOnce) {
    Children children;
    for (int i = 0; i < 64; ++i) children.emplace_back(std::string(1, static_cast<char>('0' + i)));
    Put("a/c/0", MakeShard(children));
    const ShardedArray array(ShardedMetadata(Bytes({64}, {1}), {{{64}}}), store_, 0);
    std::atomic<bool> may_start{false};
    std::vector<std::thread> threads;
    threads.reserve(8);
    for (std::uint64_t t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            while (!may_start) std::this_thread::yield();
            for (std::uint64_t i = 0; i < 64; ++i) {
                const std::uint64_t at = (i * 7 + t * 13) % 64;
                const auto read = array.Read(Box({at}, {1}), 1);
                ASSERT_TRUE(Succeeds(read));
                EXPECT_EQ((*read)[0], static_cast<char>('0' + at));
            }
        });
    may_start = true;
    for (std::thread& thread : threads) thread.join();
    const Requests requests = store_->Take();
    EXPECT_EQ(std::count(requests.begin(), requests.end(), "a/c/0 -1028"), 1);
}

// Compares reads of random sharded arrays, built from the specification, with a model.
TEST_F(ShardedChunksTest, ReadsAnyRegionOfAnyArray) {
    Random random(20240811);
    for (int turn = 0; turn < 150; ++turn) {
        const std::size_t rank = 1 + static_cast<std::size_t>(random.Below(3));
        SampleSpec spec = Bytes({}, {});
        ShardSpec shard;
        std::uint64_t children = 1;
        std::vector<std::uint64_t> counts;
        for (std::size_t i = 0; i < rank; ++i) {
            spec.shape.push_back(1 + random.Below(14));
            spec.chunks.push_back(1 + random.Below(3));
            counts.push_back(1 + random.Below(3));
            shard.shape.push_back(spec.chunks[i] * counts[i]);
            children *= counts[i];
        }
        shard.index_at_end = random.Chance();
        shard.order = random.Chance();
        spec.compressor = random.Chance() ? "null" : R"({"id": "zlib", "level": 1})";
        const ArrayMetadata metadata = ShardedMetadata(spec, {shard});
        memory_ = std::make_shared<MemoryStore>();
        store_ = std::make_shared<ShardStore>(memory_);
        store_->at_once = random.Chance() ? 1 : 4;

        std::uint64_t elements = 1;
        for (const std::uint64_t n : spec.shape) elements *= n;
        std::string model(static_cast<std::size_t>(elements), '.');
        DimVector<std::uint64_t> shards(rank, 0);
        DimVector<std::uint64_t> shard_counts(rank);
        for (std::size_t i = 0; i < rank; ++i)
            shard_counts[i] = (spec.shape[i] + shard.shape[i] - 1) / shard.shape[i];
        do {
            if (random.Below(5) == 0) continue;  // this shard is absent
            Children parts(static_cast<std::size_t>(children));
            DimVector<std::uint64_t> child(rank, 0);
            do {
                if (random.Below(4) == 0) continue;
                std::string bytes;
                DimVector<std::uint64_t> at(rank, 0);
                do {
                    bool is_inside = true;
                    std::uint64_t index = 0;
                    for (std::size_t i = 0; i < rank; ++i) {
                        const std::uint64_t element =
                            shards[i] * shard.shape[i] + child[i] * spec.chunks[i] + at[i];
                        is_inside = is_inside && element < spec.shape[i];
                        index = index * spec.shape[i] + element;
                    }
                    bytes += static_cast<char>('a' + random.Below(26));
                    if (is_inside) model[static_cast<std::size_t>(index)] = bytes.back();
                } while (NextIndex(at, Dims(spec.chunks)));
                std::uint64_t position = 0;
                for (std::size_t i = 0; i < rank; ++i) {
                    const std::size_t axis = shard.order.At(i, rank);
                    position = position * counts[axis] + child[axis];
                }
                parts[static_cast<std::size_t>(position)] =
                    spec.is_compressed() ? Deflated(bytes) : bytes;
            } while (NextIndex(child, Dims(counts)));
            std::string key = "a/c";
            for (std::size_t i = 0; i < rank; ++i) key += "/" + std::to_string(shards[i]);
            Put(key, MakeShard(parts, shard));
        } while (NextIndex(shards, shard_counts));

        const ShardedArray array(metadata, store_, random.Chance() ? 0 : 1U << 20);
        ASSERT_EQ(array.All(), model);
        if (random.Chance()) {
            ASSERT_TRUE(Succeeds(array.array->Preload(Region::All(spec.shape), 2)));
        }
        for (int i = 0; i < 10; ++i) {
            const Region region = RandomRegion(random, spec.shape);
            std::string expected;
            DimVector<std::uint64_t> at(rank, 0);
            if (region.size() != 0) {
                do {
                    std::uint64_t index = 0;
                    for (std::size_t d = 0; d < rank; ++d)
                        index = index * spec.shape[d] +
                                static_cast<std::uint64_t>(
                                    static_cast<std::int64_t>(region.start[d]) +
                                    static_cast<std::int64_t>(at[d]) * region.step[d]);
                    expected += model[static_cast<std::size_t>(index)];
                } while (NextIndex(at, region.count));
            }
            const auto read = array.Read(region, 1 + static_cast<std::size_t>(random.Below(4)));
            ASSERT_TRUE(Succeeds(read));
            ASSERT_EQ(*read, expected);
        }
    }
}

}  // namespace
}  // namespace zarr::test
