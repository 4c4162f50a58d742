// SPDX-License-Identifier: MIT
// Writes sharded arrays and compares them with a model in memory.
#include "core/array/pending_shards.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "autotest/cpp/array/sharded.h"
#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/support/shared_store.h"

namespace zarr::test {
namespace {

constexpr std::size_t kAnyNumber = std::size_t{1} << 24;
constexpr const char* kZlibShards = R"({"id": "zlib", "level": 6})";

SampleSpec ByteSpec(std::vector<std::uint64_t> shape, std::vector<std::uint64_t> chunks,
                    std::string compressor = "null") {
    SampleSpec spec{std::move(shape), std::move(chunks), "\"|u1\"", "46"};  // '.'
    spec.compressor = std::move(compressor);
    return spec;
}

// An array with its writer and a model of its contents.
struct ShardWriter {
    ShardWriter(const ArrayMetadata& metadata, std::shared_ptr<Store> to,
                std::size_t pending_bytes = kAnyNumber,
                const std::shared_ptr<Synchronizer>& locks = nullptr)
        : store(std::move(to)), opened(metadata, store) {
        auto made = ArrayWriter::Open(opened.array, store, pending_bytes, locks);
        EXPECT_TRUE(Succeeds(made));
        writer = made.Take();
        std::uint64_t elements = 1;
        for (const std::uint64_t n : metadata.shape) elements *= n;
        model.assign(static_cast<std::size_t>(elements), '.');
    }

    Status Write(const Region& region, const std::string& bytes, std::size_t threads = 2) {
        const auto& shape = opened.array->metadata().shape;
        DimVector<std::uint64_t> at(shape.size(), 0);
        std::size_t from = 0;
        do {
            std::uint64_t place = 0;
            for (std::size_t i = 0; i < shape.size(); ++i)
                place = place * shape[i] + region.start[i] + at[i];
            model[static_cast<std::size_t>(place)] = bytes[from++];
        } while (NextIndex(at, region.count));
        return WriteBytes(*writer, region, bytes, threads);
    }
    std::string All() const { return opened.All(); }
    std::string Stored() const { return ShardedArray(opened.array->metadata(), store).All(); }
    std::size_t PendingBytes() const { return opened.array->chunks().PendingBytes(); }

    std::shared_ptr<Store> store;
    ShardedArray opened;
    std::unique_ptr<ArrayWriter> writer;
    std::string model;
};

ArrayMetadata RandomMetadata(Random& random) {
    const std::size_t rank = 1 + static_cast<std::size_t>(random.Below(3));
    SampleSpec spec = ByteSpec({}, {}, random.Chance() ? "null" : kZlibShards);
    const std::size_t levels = 1 + static_cast<std::size_t>(random.Below(3));
    std::vector<ShardSpec> shards(levels);
    for (std::size_t i = 0; i < rank; ++i) {
        spec.shape.push_back(1 + random.Below(16));
        spec.chunks.push_back(1 + random.Below(3));
        std::uint64_t size = spec.chunks[i];
        for (std::size_t k = levels; k-- > 0;) {
            size *= 1 + random.Below(3);
            shards[k].shape.push_back(size);
        }
    }
    for (ShardSpec& shard : shards) {
        shard.index_at_end = random.Chance();
        shard.has_checksum = random.Chance();
        shard.order = random.Chance();
        if (random.Below(3) == 0) shard.codec = kZlibShards;
    }
    return ShardedMetadata(spec, shards);
}

Region RandomBox(Random& random, const std::vector<std::uint64_t>& shape) {
    Region region;
    for (const std::uint64_t n : shape) {
        const std::uint64_t start = random.Chance() ? 0 : random.Below(n);
        region.start.push_back(start);
        region.count.push_back(random.Chance() ? n - start : 1 + random.Below(n - start));
        region.step.push_back(1);
    }
    return region;
}

std::string RandomBytes(Random& random, std::uint64_t size) {
    if (random.Below(4) == 0) return std::string(static_cast<std::size_t>(size), '.');
    std::string bytes;
    for (std::uint64_t i = 0; i < size; ++i)
        bytes += random.Below(8) == 0 ? '.' : static_cast<char>('a' + random.Below(26));
    return bytes;
}

TEST(ShardWriting, WrittenElementsAreReadBack) {
    Random random(7);
    for (int turn = 0; turn < 200; ++turn) {
        const ArrayMetadata metadata = RandomMetadata(random);
        constexpr std::size_t kPending[] = {0, 600, kAnyNumber};
        const auto locks = random.Below(4) == 0 ? std::make_shared<MemoryLocks>() : nullptr;
        ShardWriter written(metadata, std::make_shared<MemoryStore>(), kPending[random.Below(3)],
                            locks);
        for (int i = 0; i < 8; ++i) {
            const Region region = RandomBox(random, metadata.shape);
            ASSERT_TRUE(Succeeds(written.Write(region, RandomBytes(random, region.size()),
                                               1 + static_cast<std::size_t>(random.Below(4)))));
            ASSERT_EQ(written.All(), written.model) << "what is pending is seen";
            if (random.Below(4) != 0) continue;
            ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
            ASSERT_EQ(written.Stored(), written.model);
        }
        ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
        ASSERT_EQ(written.PendingBytes(), 0U);
        ASSERT_EQ(written.Stored(), written.model);
        ASSERT_EQ(written.All(), written.model);
    }
}

TEST(ShardWriting, ACompleteShardIsStoredOnceAndNothingIsReadForIt) {
    const auto memory = std::make_shared<MemoryStore>();
    const auto store = std::make_shared<FaultyStore>(memory);
    ShardWriter written(ShardedMetadata(ByteSpec({4, 6}, {2, 2}), {{{4, 4}}}), store);
    // The fourth call to the store and all later calls fail.
    store->FailAt(4, true);
    ASSERT_TRUE(Succeeds(written.Write(Box({0, 0}, {2, 6}), "abcdefghijkl")));
    EXPECT_TRUE(store->TakeChanges().empty());
    ASSERT_TRUE(Succeeds(written.Write(Box({2, 0}, {2, 6}), "mnopqrstuvwx")));
    auto changes = store->TakeChanges();
    std::sort(changes.begin(), changes.end());
    EXPECT_EQ(changes, (std::vector<std::string>{"set a/c/0/0", "set a/c/0/1"}));
    EXPECT_EQ(written.PendingBytes(), 0U);
    ASSERT_TRUE(Succeeds(written.writer->Flush(1)));
    EXPECT_TRUE(store->TakeChanges().empty());
    EXPECT_EQ(ValueOf(*memory, "a/c/0/0"), MakeShard({"abgh", "cdij", "mnst", "opuv"}));
    EXPECT_EQ(ValueOf(*memory, "a/c/0/1"), MakeShard({"efkl", std::nullopt, "qrwx", std::nullopt}));
}

TEST(ShardWriting, TheMetadataPlaceTheIndex) {
    for (const bool at_end : {true, false}) {
        const auto store = std::make_shared<MemoryStore>();
        const ShardSpec spec{{4}, at_end};
        ShardWriter written(ShardedMetadata(ByteSpec({4}, {2}), {spec}), store);
        ASSERT_TRUE(Succeeds(written.Write(Box({2}, {2}), "cd")));
        ASSERT_TRUE(Succeeds(written.writer->Flush(1)));
        EXPECT_EQ(ValueOf(*store, "a/c/0"), MakeShard({std::nullopt, "cd"}, spec));
    }
}

TEST(ShardWriting, ChunksOfFillValuesAreAbsentAndAShardWithoutChunksIsRemoved) {
    const auto store = std::make_shared<MemoryStore>();
    ShardWriter written(ShardedMetadata(ByteSpec({8}, {2}), {{{4}}}), store);
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {8}), "ab..efgh")));
    EXPECT_EQ(ValueOf(*store, "a/c/0"), MakeShard({"ab", std::nullopt}));
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {2}), "..")));
    ASSERT_TRUE(Succeeds(written.writer->Flush(1)));
    EXPECT_EQ(ValueOf(*store, "a/c/0"), "absent");
    EXPECT_EQ(ValueOf(*store, "a/c/1"), MakeShard({"ef", "gh"}));
    ASSERT_TRUE(Succeeds(written.Write(Box({4}, {4}), "....")));
    EXPECT_EQ(ValueOf(*store, "a/c/1"), "absent");
}

// Returns `bytes` as the core's zlib codec encodes them.
std::string Zlib(const std::string& bytes) {
    const auto codec = MakeFromJson(Json(kZlibShards));
    Buffer encoded;
    EXPECT_TRUE(Succeeds(codec) && Succeeds((*codec)->Encode(ByteSpan(bytes), encoded)));
    return std::string(ByteSpan(encoded.span()).text());
}

TEST(ShardWriting, UnwrittenChunksAreCopiedWithoutDecoding) {
    const auto store = std::make_shared<MemoryStore>();
    const std::string first = "no chunk that any codec makes";
    const std::string last = Deflated("gh");
    const auto put = [&](const std::string& shard) {
        ASSERT_TRUE(Succeeds(store->Set("a/c/0", ByteSpan(shard))));
    };
    put(MakeShard({first, Deflated("cd"), std::nullopt, last}));
    ShardWriter written(ShardedMetadata(ByteSpec({8}, {2}, kZlibShards), {{{8}}}), store);
    ASSERT_TRUE(Succeeds(written.Write(Box({3}, {1}), "D")));
    ASSERT_TRUE(Succeeds(written.writer->Flush(1)));
    EXPECT_EQ(SplitShard(ValueOf(*store, "a/c/0"), 4),
              (std::vector<std::optional<std::string>>{first, Zlib("cD"), std::nullopt, last}));

    // Nothing is written into the inner shard `other`, so its invalid bytes must stay unchanged.
    const std::string other = "not even a shard";
    put(MakeShard({other, MakeShard({first, Deflated("gh")})}));
    ShardWriter nested(ShardedMetadata(ByteSpec({8}, {2}, kZlibShards), {{{8}}, {{4}}}), store);
    ASSERT_TRUE(Succeeds(nested.Write(Box({6}, {2}), "GH")));
    ASSERT_TRUE(Succeeds(nested.writer->Flush(1)));
    EXPECT_EQ(ValueOf(*store, "a/c/0"), MakeShard({other, MakeShard({first, Zlib("GH")})}));
}

TEST(ShardWriting, ADamagedOldShardIsAnErrorAndStays) {
    const auto store = std::make_shared<MemoryStore>();
    const std::string good = MakeShard({"ab", "cd", "ef", "gh"});
    std::string bad_sum = good;
    bad_sum.back() = static_cast<char>(bad_sum.back() ^ 1);
    std::string lying;
    // All four entries of the index state the range of 60 bytes at offset 0. The chunks overlap, so
    // the shard must be rejected.
    for (int i = 0; i < 4; ++i) lying += NumberBytes(0) + NumberBytes(60);
    const std::pair<std::string, const char*> shards[] = {
        {bad_sum, "a/c/0: index: crc32c"},
        {good.substr(0, 20), "a/c/0: holds 20 bytes, fewer than the shard index of 68"},
        {std::string(40, 'x') + WithChecksum(lying),
         "a/c/0: the shard index has overlapping chunks"},
        {WithChecksum(NumberBytes(1000) + NumberBytes(2) + lying.substr(16)),
         "a/c/0: the shard index states 2 bytes at offset 1000, beyond the end"},
    };
    for (const auto& [shard, message] : shards) {
        ASSERT_TRUE(Succeeds(store->Set("a/c/0", ByteSpan(shard))));
        ShardWriter written(ShardedMetadata(ByteSpec({8}, {2}), {{{8}}}), store);
        ASSERT_TRUE(Succeeds(written.Write(Box({6}, {2}), "GH")));
        EXPECT_TRUE(Fails(written.writer->Flush(1), StatusCode::kCorrupt, message));
        EXPECT_EQ(ValueOf(*store, "a/c/0"), shard);
        EXPECT_GT(written.PendingBytes(), 0U);
        // Writing all chunks of a damaged shard must replace it without an error.
        ASSERT_TRUE(Succeeds(written.Write(Box({0}, {8}), "ABCDEFGH")));
        EXPECT_EQ(ValueOf(*store, "a/c/0"), MakeShard({"AB", "CD", "EF", "GH"}));
    }
}

TEST(ShardWriting, AFailureAtAnyCallLosesNothing) {
    for (const auto& locks : {std::shared_ptr<MemoryLocks>(), std::make_shared<MemoryLocks>()}) {
        std::size_t failures = 0;
        for (std::size_t call = 1;; ++call) {
            const auto memory = std::make_shared<MemoryStore>();
            const auto store = std::make_shared<FaultyStore>(memory);
            const ArrayMetadata metadata =
                ShardedMetadata(ByteSpec({12}, {2}, kZlibShards), {{{4}, true, true, kZlibShards}});
            ShardWriter written(metadata, store, kAnyNumber, locks);
            ASSERT_TRUE(Succeeds(written.Write(Box({0}, {12}), "abcdefghijkl")));
            const auto old = [&] {
                return ValueOf(*memory, "a/c/0") + ValueOf(*memory, "a/c/1") +
                       ValueOf(*memory, "a/c/2");
            };
            const std::string before = old();
            store->FailAt(call, true);
            Status status = written.Write(Box({1}, {6}), "BCDEFG");
            const bool wrote = status.ok();
            if (status.ok()) status = written.writer->Flush(2);
            store->FailAt(0, false);
            if (status.ok()) break;
            ++failures;
            EXPECT_TRUE(Fails(status, StatusCode::kIo, "injected fault"));
            const ShardedArray fresh(metadata, memory);
            EXPECT_TRUE(Succeeds(fresh.Read(Box({0}, {12})))) << "old or new, and whole";
            if (call == 1) {
                EXPECT_EQ(old(), before);
            }
            if (!wrote) {
                ASSERT_TRUE(Succeeds(written.Write(Box({1}, {6}), "BCDEFG")));
            }
            ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
            EXPECT_EQ(written.Stored(), "aBCDEFGhijkl") << "failed call " << call;
            EXPECT_EQ(written.All(), "aBCDEFGhijkl");
        }
        EXPECT_GT(failures, 3U);
    }
}

TEST(ShardWriting, AFailureNamesTheShardOnce) {
    const auto store = std::make_shared<ObservingStore>();
    ShardWriter written(ShardedMetadata(ByteSpec({4}, {2}), {{{4}}}), store);
    store->fails = true;
    const Status status = written.Write(Box({0}, {4}), "abcd");
    EXPECT_TRUE(Fails(status, StatusCode::kIo, "a/c/0: disk full"));
    EXPECT_EQ(status.message().rfind("a/c/0"), 0U) << status.message();
    EXPECT_EQ(written.All(), "abcd");
    store->fails = false;
    ASSERT_TRUE(Succeeds(written.writer->Flush(1)));
    EXPECT_EQ(written.Stored(), "abcd");
}

TEST(ShardWriting, ShardsAreStoredEarlyAtTheMemoryLimit) {
    constexpr std::uint64_t kChunk = 64 << 10;
    constexpr std::uint64_t kSide = 8;  // chunks along each dimension; shards have 2 x 2 chunks
    const auto store = std::make_shared<ObservingStore>();
    std::map<std::string, int> sets;
    std::mutex mutex;
    store->on_change = [&](const std::string& key) {
        const std::lock_guard<std::mutex> lock(mutex);
        ++sets[key];
    };
    const ArrayMetadata metadata =
        ShardedMetadata(ByteSpec({kSide, kSide * kChunk}, {1, kChunk}), {{{2, 2 * kChunk}}});
    constexpr std::size_t kMost = 8 * kChunk;
    ShardWriter written(metadata, store, kMost);
    Random random(3);
    std::size_t most = 0;
    for (std::uint64_t y = 0; y < kSide; ++y) {
        const Region row = Box({y, 0}, {1, kSide * kChunk});
        ASSERT_TRUE(Succeeds(written.Write(row, random.Bytes(row.size()))));
        most = std::max(most, written.PendingBytes());
    }
    EXPECT_LE(most, kMost);
    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
    EXPECT_EQ(written.Stored(), written.model);
    EXPECT_EQ(sets.size(), 16U);
    EXPECT_TRUE(std::any_of(sets.begin(), sets.end(), [](const auto& set) {
        return set.second > 1;
    })) << "a row of shards was more than what may be pending";
}

TEST(ShardWriting, OtherInstancesSeePendingAndStoredChunks) {
    const auto store = std::make_shared<MemoryStore>();
    const ArrayMetadata metadata = ShardedMetadata(ByteSpec({8}, {2}), {{{8}}});
    const auto instances = std::make_shared<ArrayInstances>(metadata);
    const ShardedArray other(metadata, store, 1 << 20, instances);
    const ShardedArray mine(metadata, store, 1 << 20, instances);
    auto writer = ArrayWriter::Open(mine.array, store, kAnyNumber);
    ASSERT_TRUE(Succeeds(writer));
    EXPECT_EQ(other.All(), "........");
    ASSERT_TRUE(Succeeds(WriteBytes(**writer, Box({2}, {4}), "cdef")));
    EXPECT_EQ(other.All(), "..cdef..");
    EXPECT_EQ(ValueOf(*store, "a/c/0"), "absent");
    ASSERT_TRUE(Succeeds((*writer)->Flush(1)));
    EXPECT_EQ(other.All(), "..cdef..");
    // Storing "ab" moves the other chunks to new offsets in the shard. The array `other` must not
    // use the old offsets in its cached index.
    ASSERT_TRUE(Succeeds(WriteBytes(**writer, Box({0}, {2}), "ab")));
    ASSERT_TRUE(Succeeds((*writer)->Flush(1)));
    other.context->cache().SetMaxBytes(0);
    EXPECT_EQ(other.All(), "abcdef..");
    EXPECT_EQ(*other.Read(Box({4}, {1})), "e");
}

TEST(ShardWriting, ListingsIncludePendingChunks) {
    const auto store = std::make_shared<MemoryStore>();
    ShardWriter written(ShardedMetadata(ByteSpec({8}, {2}), {{{4}}}), store);
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {4}), "abcd")));
    ASSERT_TRUE(Succeeds(written.Write(Box({4}, {2}), "ef")));
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {2}), "..")));
    const auto listing = written.opened.array->ListChunks();
    ASSERT_TRUE(Succeeds(listing));
    EXPECT_EQ(listing->chunks, 2U);
    EXPECT_EQ(written.All(), "..cdef..");
    ASSERT_TRUE(Succeeds(written.Write(Box({6}, {2}), "gh")));
    EXPECT_EQ(written.All(), "..cdefgh");
}

TEST(ShardWriting, DiscardedChunksAreGone) {
    const auto store = std::make_shared<MemoryStore>();
    ShardWriter written(ShardedMetadata(ByteSpec({8}, {2}), {{{8}}}), store);
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {8}), "abcdefgh")));
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {4}), "ABCD")));
    EXPECT_EQ(written.All(), "ABCDefgh");
    written.opened.array->DiscardPending();
    EXPECT_EQ(written.All(), "abcdefgh");
    ASSERT_TRUE(Succeeds(written.writer->Flush(1)));
    EXPECT_EQ(written.Stored(), "abcdefgh");
}

// ---------------------------------------------------------------------------------------------
// Locks

TEST(ShardLocks, WritersOfOneShardLoseNothing) {
    for (const bool is_locked : {true, false}) {
        const auto store = std::make_shared<ObservingStore>();
        const auto locks = is_locked ? std::make_shared<MemoryLocks>() : nullptr;
        if (is_locked)
            store->on_change = [&](const std::string& key) { EXPECT_TRUE(locks->IsHeld(key)); };
        const ArrayMetadata metadata = ShardedMetadata(ByteSpec({16}, {2}), {{{8}}});
        ShardWriter first(metadata, store, kAnyNumber, locks);
        ShardWriter second(metadata, store, kAnyNumber, locks);
        EXPECT_EQ(first.All(), second.All());  // both arrays cache the shard indexes
        // `first` and `second` write different chunks of one shard, and different halves of one
        // chunk.
        ASSERT_TRUE(Succeeds(first.Write(Box({0}, {3}), "abc")));
        ASSERT_TRUE(Succeeds(second.Write(Box({3}, {3}), "def")));
        ASSERT_TRUE(Succeeds(first.Write(Box({6}, {1}), "g")));
        ASSERT_TRUE(Succeeds(second.Write(Box({7}, {3}), "hij")));
        ASSERT_TRUE(Succeeds(first.writer->Flush(2)));
        ASSERT_TRUE(Succeeds(second.writer->Flush(2)));
        EXPECT_EQ(first.Stored() == "abcdefghij......", is_locked);
        if (!is_locked) continue;
        EXPECT_EQ(second.All(), "abcdefghij......");
        ASSERT_TRUE(Succeeds(first.Write(Box({10}, {6}), "klmnop")));
        ASSERT_TRUE(Succeeds(second.Write(Box({8}, {8}), "IJKLMNOP"))) << "a whole shard";
        ASSERT_TRUE(Succeeds(first.writer->Flush(2)));
        EXPECT_EQ(first.Stored(), "abcdefghIJklmnop");
    }
}

TEST(ShardLocks, OneFlushStoresAShardOnce) {
    const auto store = std::make_shared<ObservingStore>();
    std::atomic<int> sets{0};
    ShardWriter written(ShardedMetadata(ByteSpec({64}, {4}), {{{32}}}), store, kAnyNumber,
                        std::make_shared<MemoryLocks>());
    store->on_change = [&](const std::string&) { ++sets; };
    for (std::uint64_t i = 0; i < 64; i += 4)
        ASSERT_TRUE(Succeeds(written.Write(Box({i + 1}, {2}), "xy")));
    ASSERT_TRUE(Succeeds(written.writer->Flush(3)));
    EXPECT_EQ(sets, 2);
    EXPECT_EQ(written.Stored(), written.model);
}

TEST(ShardLocks, ThreadsOfTwoProcessesWriteEachElementOnce) {
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    const ArrayMetadata metadata = ShardedMetadata(ByteSpec({96}, {4}), {{{16}}});
    ShardWriter first(metadata, store, 64, locks);
    ShardWriter second(metadata, store, kAnyNumber, locks);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            ArrayWriter& writer = t % 2 == 0 ? *first.writer : *second.writer;
            for (std::uint64_t i = t; i < 96; i += 4) {
                EXPECT_TRUE(Succeeds(
                    WriteBytes(writer, Box({i}, {1}), std::string(1, static_cast<char>('0' + t)))));
                if (i % 16 < 4) {
                    EXPECT_TRUE(Succeeds(writer.Flush(2)));
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(Succeeds(first.writer->Flush(2)));
    ASSERT_TRUE(Succeeds(second.writer->Flush(2)));
    std::string expected;
    for (int i = 0; i < 24; ++i) expected += "0123";
    EXPECT_EQ(first.Stored(), expected);
}

TEST(ShardWriting, ThreadsReadWhileOthersWrite) {
    const auto store = std::make_shared<MemoryStore>();
    const ArrayMetadata metadata =
        ShardedMetadata(ByteSpec({64}, {2}, kZlibShards), {{{16}}, {{4}}});
    ShardWriter written(metadata, store, 400);
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {64}), std::string(64, 'a'))));
    std::atomic<bool> is_done{false};
    std::vector<std::thread> readers;
    readers.reserve(2);
    for (int t = 0; t < 2; ++t)
        readers.emplace_back([&, t] {
            Random random(static_cast<std::uint64_t>(t));
            while (!is_done) {
                written.opened.context->cache().DropArray(1);
                const std::uint64_t at = 2 * random.Below(32);
                const auto read = written.opened.Read(t == 0 ? Box({at}, {2}) : Box({0}, {64}), 2);
                ASSERT_TRUE(Succeeds(read));
                // The two elements of a chunk are always written together, so a read must return
                // two equal elements.
                for (std::size_t i = 0; i < read->size(); i += 2)
                    EXPECT_EQ((*read)[i], (*read)[i + 1]);
            }
        });
    Random random(11);
    for (int i = 0; i < 300; ++i) {
        const std::uint64_t at = 2 * random.Below(32);
        const std::string bytes(2, static_cast<char>('a' + random.Below(26)));
        EXPECT_TRUE(Succeeds(written.Write(Box({at}, {2}), bytes)));
        if (i % 10 == 0) {
            EXPECT_TRUE(Succeeds(written.writer->Flush(2)));
        }
    }
    is_done = true;
    for (std::thread& reader : readers) reader.join();
    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
    EXPECT_EQ(written.Stored(), written.model);
}

// ---------------------------------------------------------------------------------------------
// Resizing of sharded arrays

TEST(ShardResizing, CutOffElementsAreTheFillValueAfterGrowing) {
    Random random(5);
    for (int turn = 0; turn < 100; ++turn) {
        ArrayMetadata metadata = RandomMetadata(random);
        const auto store = std::make_shared<MemoryStore>();
        ShardWriter written(metadata, store);
        ASSERT_TRUE(Succeeds(written.Write(
            Region::All(metadata.shape),
            std::string(static_cast<std::size_t>(Region::All(metadata.shape).size()), 'x'))));
        ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
        ArrayMetadata cut = metadata;
        std::vector<std::uint64_t> counts;
        for (std::size_t i = 0; i < metadata.rank(); ++i) {
            counts.push_back(random.Below(cut.ChunkAxis(i).count() + 1));
            cut.shape[i] = std::min(counts[i] * cut.chunks[i], cut.shape[i]);
        }
        ASSERT_TRUE(Succeeds(written.opened.array->chunks().EraseOutside(
            *store, counts, random.Chance() ? std::make_shared<MemoryLocks>() : nullptr)));
        const std::string all = ShardedArray(metadata, store).All();
        DimVector<std::uint64_t> at(metadata.rank(), 0);
        std::size_t place = 0;
        do {
            bool is_inside = true;
            for (std::size_t i = 0; i < at.size(); ++i)
                is_inside = is_inside && at[i] < cut.shape[i];
            ASSERT_EQ(all[place], is_inside ? 'x' : '.');
            ++place;
        } while (NextIndex(at, Dims(metadata.shape)));
        ASSERT_EQ(written.All(), all) << "the indexes that were known are not used any more";
    }
}

TEST(ShardResizing, OnlyShardsOutsideAreRemoved) {
    const auto memory = std::make_shared<MemoryStore>();
    const auto store = std::make_shared<ObservingStore>();
    ShardWriter written(ShardedMetadata(ByteSpec({12}, {2}), {{{4}}}), store);
    ASSERT_TRUE(Succeeds(written.Write(Box({0}, {12}), "abcdefghijkl")));
    std::vector<std::string> changed;
    store->on_change = [&](const std::string& key) { changed.push_back(key); };
    ASSERT_TRUE(Succeeds(written.opened.array->chunks().EraseOutside(*store, {3}, nullptr)));
    EXPECT_EQ(changed, (std::vector<std::string>{"a/c/2", "a/c/1"}));
    EXPECT_EQ(ValueOf(*store, "a/c/1"), MakeShard({"ef", std::nullopt}));
    changed.clear();
    ASSERT_TRUE(Succeeds(written.opened.array->chunks().EraseOutside(*store, {3}, nullptr)));
    EXPECT_TRUE(changed.empty()) << "nothing lies outside any more";
}

// ---------------------------------------------------------------------------------------------
// The class PendingShards

TEST(PendingShardsTest, KeepsChunksAddedWhileAShardIsStored) {
    PendingShards pending;
    const auto bytes = [](const char* text) {
        auto buffer = std::make_shared<Buffer>();
        EXPECT_TRUE(Succeeds(buffer->Assign(ByteSpan(std::string_view(text)))));
        return std::shared_ptr<const Buffer>(std::move(buffer));
    };
    EXPECT_TRUE(pending.empty());
    EXPECT_EQ(pending.Put(5, {0, bytes("a")}, nullptr), 1U);
    EXPECT_EQ(pending.Put(5, {1, nullptr}, nullptr), 2U);
    EXPECT_EQ(pending.Put(9, {0, bytes("larger")}, nullptr), 1U);
    EXPECT_EQ(pending.Shards(), (std::vector<std::uint64_t>{5, 9}));
    EXPECT_EQ(pending.Find(5, 1), std::shared_ptr<const Buffer>());
    EXPECT_EQ(pending.Find(5, 2), std::nullopt);
    const auto stored = pending.Of(5);
    EXPECT_EQ(pending.Put(5, {0, bytes("b")}, nullptr), 2U);
    const std::uint64_t count = pending.StoreCount(5);
    pending.OnStored(5, stored.chunks);
    EXPECT_NE(pending.StoreCount(5), count);
    EXPECT_EQ((*pending.Find(5, 0))->span().text(), "b");
    EXPECT_EQ(pending.Find(5, 1), std::nullopt);
    const auto first = pending.ReserveLargest();
    const auto second = pending.ReserveLargest();
    EXPECT_TRUE(first.has_value() && second.has_value() && first != second);
    EXPECT_EQ(pending.ReserveLargest(), std::nullopt);
    pending.Unreserve(9);
    EXPECT_EQ(pending.ReserveLargest(), 9U);
    pending.Clear();
    EXPECT_EQ(pending.bytes(), 0U);
    EXPECT_TRUE(pending.Shards().empty());
}

}  // namespace
}  // namespace zarr::test
