// SPDX-License-Identifier: MIT
// Opening an array that is already open must return the same object. Cached chunks must stay if
// they are unchanged.
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/array/array_writer.h"
#include "core/store/store.h"

namespace zarr::test {
namespace {

// A store that reports the time of each write. `is_certain` says whether the reported times are
// reliable.
class StampedStore final : public Store, private StoreWriter {
  public:
    StoreWriter* writer() override { return this; }
    std::string Describe() const override { return "stamped"; }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        auto read = base_.Read(key, part, sink);
        if (read.ok()) read = ReadResult{read->found, read->size, VersionOf(key)};
        return read;
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base_.List(prefix);
    }
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override {
        times_[key] = ++now_;
        return base_.SetParts(key, parts);
    }
    Status Remove(const std::string& key) override {
        times_.erase(key);
        return base_.Erase(key);
    }
    ObjectVersion VersionOf(const std::string& key) const override {
        ObjectVersion version;
        const auto found = times_.find(key);
        version.is_certain = is_certain;
        version.exists = found != times_.end();
        if (version.exists) version.modified = found->second;
        return version;
    }

    bool is_certain = true;

  private:
    MemoryStore base_;
    std::map<std::string, std::int64_t> times_;
    std::int64_t now_ = 0;
};

// A store that says, if `remembers` is true, that callers should cache absent keys.
class TraitsStore final : public ForwardingStore {
  public:
    TraitsStore(std::shared_ptr<const Store> base, bool remembers)
        : ForwardingStore(std::move(base)), remembers_(remembers) {}
    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.caches_absence = remembers_;
        traits.access = remembers_ ? "remembers" : "";
        return traits;
    }

  private:
    const bool remembers_;
};

// A store with an array of three chunks of one uint8. The last chunk is absent.
class Sharing : public testing::Test {
  protected:
    void SetUp() override {
        Put(".zgroup", kGroupText);
        Put("a/.zarray", Metadata("0"));
        Put("a/0", "\x01");
        Put("a/1", "\x02");
    }
    static std::string Metadata(const std::string& fill) {
        return R"({"zarr_format": 2, "compressor": null, "order": "C", "filters": null, )"
               R"("dtype": "|u1", "shape": [3], "chunks": [1], "fill_value": )" +
               fill + "}";
    }
    void Put(const std::string& key, const std::string& text) {
        ASSERT_TRUE(Succeeds(store_->Set(key, ByteSpan(text))));
    }
    std::shared_ptr<const Hierarchy> Tree(
        UseConsolidated use_consolidated = UseConsolidated::kNever) {
        return Hierarchy::Open(store_, use_consolidated, context_).Take();
    }
    std::shared_ptr<const Hierarchy> TreeWithTraits(bool remembers) {
        return Hierarchy::Open(std::make_shared<TraitsStore>(store_, remembers),
                               UseConsolidated::kNever, context_)
            .Take();
    }
    // Reads the whole array, so that its chunks are cached.
    static std::string Read(const Array& array) {
        std::string memory(3, '?');
        const Destination destination{
            reinterpret_cast<std::uint8_t*>(memory.data()), {1}, CopyConverter(1)};
        const ReadOptions options{1, CachePolicy::kAllIfSmall};
        EXPECT_TRUE(Succeeds(array.Read(Region::All({3}), 0, destination, options)));
        return memory;
    }
    std::uint64_t Requested() const { return context_->counters().chunks_requested; }

    std::shared_ptr<StampedStore> store_ = std::make_shared<StampedStore>();
    std::shared_ptr<ArrayContext> context_ = std::make_shared<ArrayContext>(1U << 20);
};

TEST_F(Sharing, AllWhoOpenGetOneObject) {
    const auto first = *Tree()->OpenArray("a");
    const auto second = *Tree()->OpenArray("a");
    EXPECT_EQ(first, second);
    EXPECT_EQ(Read(*first), std::string("\x01\x02\x00", 3));
    EXPECT_EQ(Read(*second), std::string("\x01\x02\x00", 3));
    EXPECT_EQ(Requested(), 3);
}

TEST_F(Sharing, IsByStoreAndPath) {
    const auto first = *Tree()->OpenArray("a");
    const auto elsewhere =
        Hierarchy::Open(StoreOf({{"a/.zarray", Metadata("0")}}), UseConsolidated::kNever, context_);
    EXPECT_NE(first, *(*elsewhere)->OpenArray("a"));
    Put("b/.zarray", Metadata("0"));
    EXPECT_NE(first, *Tree()->OpenArray("b"));
}

TEST_F(Sharing, ConsolidatedMetadataDoNotMatter) {
    const auto first = *Tree()->OpenArray("a");
    Put(".zmetadata",
        R"({"zarr_consolidated_format": 1, "metadata": {"a/.zarray": )" + Metadata("0") + "}}");
    const auto consolidated = Tree(UseConsolidated::kIfPresent);
    EXPECT_TRUE(consolidated->is_consolidated());
    EXPECT_EQ(first, *consolidated->OpenArray("a"));
}

TEST_F(Sharing, DifferentTraitsShareOnlyWrittenChunks) {
    store_->is_certain = true;
    const auto reader = *TreeWithTraits(true)->OpenArray("a");
    const auto updated = *TreeWithTraits(false)->OpenArray("a");
    EXPECT_NE(reader, updated);
    EXPECT_EQ(reader, *TreeWithTraits(true)->OpenArray("a"));
    EXPECT_EQ(Read(*reader), std::string("\x01\x02\x00", 3));
    Put("a/2", "\x03");  // another program writes chunk 2
    EXPECT_EQ(Read(*updated), std::string("\x01\x02\x03")) << "what the other takes for absent";
    EXPECT_EQ(Read(*reader), std::string("\x01\x02\x00", 3));

    auto writer = ArrayWriter::Open(updated, store_, 1U << 20).Take();
    const std::uint8_t nine = 9;
    const Source source{&nine, {1}, CopyConverter(1)};
    const auto write = [&](std::uint64_t chunk, WholeChunks whole) {
        Region one = Region::All({1});
        one.start[0] = chunk;
        ASSERT_TRUE(Succeeds(writer->Write(one, 0, source, 1, whole)));
    };
    write(1, WholeChunks::kPending);
    EXPECT_EQ(Read(*reader)[1], 9) << "not stored yet";
    EXPECT_EQ(Read(*updated)[1], 9);
    write(2, WholeChunks::kAtOnce);
    EXPECT_EQ(Read(*reader)[2], 9) << "absent before";
    ASSERT_TRUE(Succeeds(writer->Flush(1)));
    EXPECT_EQ(Read(*reader), std::string("\x01\x09\x09"));
    EXPECT_EQ(Read(*updated), std::string("\x01\x09\x09"));
}

// Consolidated metadata may omit a member of the array's own document. Opening the array with and
// without consolidated metadata then gives two objects, which must see each other's writes.
TEST_F(Sharing, DifferentDocumentsOfOneArrayShareWrittenChunks) {
    Put(".zmetadata",
        R"({"zarr_consolidated_format": 1, "metadata": {"a/.zarray": )" + Metadata("0") + "}}");
    const std::string brief = Metadata("0");
    Put("a/.zarray", brief.substr(0, brief.size() - 1) + R"(, "dimension_separator": "."})");
    const auto reader = *Tree(UseConsolidated::kIfPresent)->OpenArray("a");
    const auto updated = *Tree()->OpenArray("a");
    EXPECT_NE(reader, updated);
    EXPECT_EQ(Read(*reader), std::string("\x01\x02\x00", 3));

    auto writer = ArrayWriter::Open(updated, store_, 1U << 20).Take();
    const std::uint8_t nine = 9;
    const Source source{&nine, {1}, CopyConverter(1)};
    Region one = Region::All({1});
    one.start[0] = 1;
    ASSERT_TRUE(Succeeds(writer->Write(one, 0, source, 1, WholeChunks::kPending)));
    EXPECT_EQ(Read(*reader)[1], 9) << "not stored yet";
    ASSERT_TRUE(Succeeds(writer->Flush(1)));
    EXPECT_EQ(Read(*reader), std::string("\x01\x09\x00", 3));
}

TEST_F(Sharing, DifferentTraitsHaveSeparateArrays) {
    const auto open = [&](const std::string& manner) {
        return *Hierarchy::Open(store_, UseConsolidated::kNever, context_, manner)
                    .Take()
                    ->OpenArray("a");
    };
    const auto listed = open("listed");
    const auto plain = open("");
    EXPECT_NE(listed, plain);
    EXPECT_EQ(listed, open("listed"));
    ASSERT_TRUE(Succeeds(listed->ListChunks()));
    Put("a/2", "\x03");
    EXPECT_EQ(Read(*listed)[2], 0);
    EXPECT_EQ(Read(*plain)[2], 3);
}

TEST_F(Sharing, EndsWithTheLastHolder) {
    Read(**Tree()->OpenArray("a"));
    Read(**Tree()->OpenArray("a"));
    EXPECT_EQ(Requested(), 6);
}

TEST_F(Sharing, OtherMetadataAreAnotherArray) {
    const auto first = *Tree()->OpenArray("a");
    Put("a/.zarray", Metadata("9"));
    const auto second = *Tree()->OpenArray("a");
    EXPECT_NE(first, second);
    EXPECT_EQ(Read(*second), std::string("\x01\x02\x09"));
    EXPECT_EQ(*Tree()->OpenArray("a"), second) << "the newest one is shared from now on";
}

TEST_F(Sharing, DropsWhatChanged) {
    const auto first = *Tree()->OpenArray("a");
    Read(*first);
    Put("a/1", "\x05");
    EXPECT_EQ(Read(*first), std::string("\x01\x02\x00", 3)) << "until it is opened again";
    const auto second = *Tree()->OpenArray("a");
    EXPECT_EQ(Read(*second), std::string("\x01\x05\x00", 3));
    EXPECT_EQ(Requested(), 4);
    Put("a/2", "\x06");
    ASSERT_TRUE(Succeeds(store_->Erase("a/0")));
    const auto third = *Tree()->OpenArray("a");
    EXPECT_EQ(Read(*third), std::string("\x00\x05\x06", 3));
    EXPECT_EQ(Requested(), 6);
}

TEST_F(Sharing, TrustsNoUncertainStamp) {
    store_->is_certain = false;
    const auto first = *Tree()->OpenArray("a");
    Read(*first);
    Read(**Tree()->OpenArray("a"));
    EXPECT_EQ(Requested(), 6);
}

TEST_F(Sharing, ClosedArraysAreForgotten) {
    const auto held = *Tree()->OpenArray("a");
    for (int i = 0; i < 1000; ++i) {
        const std::string path = "n" + std::to_string(i);
        Put(path + "/.zarray", Metadata("0"));
        ASSERT_TRUE(Succeeds(Tree()->OpenArray(path)));
    }
    EXPECT_EQ(*Tree()->OpenArray("a"), held);
}

TEST_F(Sharing, ThreadsThatOpenAnArrayAtOnceGetOne) {
    constexpr std::size_t kThreads = 4;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::shared_ptr<const Array>> arrays(kThreads);
        std::atomic<std::size_t> ready{0};
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < kThreads; ++t) {
            threads.emplace_back([&, t] {
                const auto tree = Tree();
                for (++ready; ready < kThreads;) std::this_thread::yield();
                arrays[t] = *tree->OpenArray("a");
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const auto& array : arrays) ASSERT_EQ(array, arrays[0]) << "round " << round;
    }
}

TEST_F(Sharing, PreloadingLeavesNothingToRequest) {
    const auto array = *Tree()->OpenArray("a");
    Region all = Region::All({3});
    EXPECT_EQ(array->DecodedBytes(all), 3);
    ASSERT_TRUE(Succeeds(array->Preload(all, 2)));
    EXPECT_EQ(Requested(), 3);
    EXPECT_EQ(Read(*array), std::string("\x01\x02\x00", 3));
    EXPECT_EQ(Requested(), 3);
    all.count[0] = 4;
    EXPECT_TRUE(Fails(array->Preload(all, 2), StatusCode::kInvalidArgument));
    all.count[0] = 0;
    EXPECT_EQ(array->DecodedBytes(all), 0);
    EXPECT_TRUE(Succeeds(array->Preload(all, 2)));
}

TEST_F(Sharing, PreloadingReportsDamagedChunks) {
    Put("a/1", "two bytes");
    const auto array = *Tree()->OpenArray("a");
    EXPECT_TRUE(
        Fails(array->Preload(Region::All({3}), 1), StatusCode::kCorrupt, "a/1: chunk [1]: "));
}

TEST_F(Sharing, LargeReadsLeaveNothingBehind) {
    // The three bytes of a read are more than an eighth of the cache, so the cache keeps no chunk.
    context_->cache().SetMaxBytes(23);
    const auto array = *Tree()->OpenArray("a");
    Read(*array);
    Read(*array);
    EXPECT_EQ(Requested(), 6);
}

}  // namespace
}  // namespace zarr::test
