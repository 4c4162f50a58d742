// SPDX-License-Identifier: MIT
// Writes regions of arrays and compares each element with a model in memory.
#include <algorithm>
#include <functional>
#include <mutex>
#include <thread>

#include "autotest/cpp/array/sample_array.h"
#include "core/array/array_writer.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/chunk_grid.h"

namespace zarr::test {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 24;

// Counts the calls of Set() and Erase(). Set() fails after `good` calls.
class FaultyStore final : public Store, private StoreWriter {
  public:
    StoreWriter* writer() override { return this; }
    std::string Describe() const override { return "faulty"; }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        return base.Read(key, part, sink);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base.List(prefix);
    }
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override {
        if (sets++ >= good) return Status::Io(key + ": disk full");
        const std::lock_guard<std::mutex> lock(mutex);
        if (on_set) on_set();
        return base.SetParts(key, parts);
    }
    Status Remove(const std::string& key) override {
        ++erases;
        return base.Erase(key);
    }

    mutable MemoryStore base;
    std::atomic<int> good{1 << 30};
    std::atomic<int> sets{0};
    std::atomic<int> erases{0};
    std::mutex mutex;
    std::function<void()> on_set;
};

// An array with its writer and a model of its contents, in row-major order and native byte order.
struct Written {
    Written(SampleSpec array_spec, std::size_t pending_bytes, std::size_t cache_bytes = kLarge)
        : spec(std::move(array_spec)), metadata(spec.Metadata()) {
        array = Open(cache_bytes);
        auto opened = ArrayWriter::Open(array, store, pending_bytes);
        EXPECT_TRUE(Succeeds(opened));
        writer = opened.Take();
        model = UnwrittenElements(metadata);
    }

    std::shared_ptr<const Array> Open(std::size_t cache_bytes = 0) const {
        auto opened =
            Array::Open(store, "dem", spec.Metadata(), std::make_shared<ArrayContext>(cache_bytes));
        EXPECT_TRUE(Succeeds(opened));
        return opened.Take();
    }

    // Writes `elements`, in native byte order and row-major order, and updates the model.
    Status Write(const Region& region, const std::string& elements, std::size_t threads) {
        const DataType& type = metadata.dtype;
        ZARR_ASSIGN_OR_RETURN(const Converter op, WriteConverter(type.Native(), type));
        const Source source{reinterpret_cast<const std::uint8_t*>(elements.data()),
                            ContiguousStrides(region.count, type.size, false), op};
        Remember(region, elements);
        return writer->Write(region, 0, source, threads);
    }

    void Remember(const Region& region, const std::string& elements) {
        if (region.size() == 0) return;
        const std::size_t size = metadata.dtype.size;
        DimVector<std::uint64_t> at(metadata.rank(), 0);
        std::size_t from = 0;
        do {
            std::uint64_t place = 0;
            for (std::size_t i = 0; i < metadata.rank(); ++i)
                place = place * metadata.shape[i] + region.start[i] +
                        at[i] * static_cast<std::uint64_t>(region.step[i]);
            model.replace(static_cast<std::size_t>(place) * size, size, elements, from, size);
            from += size;
        } while (NextIndex(at, region.count));
    }

    std::string All(const Array& read) const {
        const auto contents = ReadRowMajor(read, Region::All(metadata.shape), 2);
        EXPECT_TRUE(Succeeds(contents));
        return contents.ok() ? *contents : "";
    }

    SampleSpec spec;
    ArrayMetadata metadata;
    std::shared_ptr<FaultyStore> store = std::make_shared<FaultyStore>();
    std::shared_ptr<const Array> array;
    std::unique_ptr<ArrayWriter> writer;
    std::string model;
};

std::vector<SampleSpec> Specs() {
    std::vector<SampleSpec> specs;
    for (const char* compressor : {"null", R"({"id": "zlib", "level": 1})"}) {
        for (const bool fortran : {false, true}) {
            for (const char* dtype : {"\"<i4\"", "\">f8\"", "\"|u1\""}) {
                SampleSpec spec{{13, 7, 10}, {4, 3, 10}, dtype};
                spec.compressor = compressor;
                spec.fortran_order = fortran;
                specs.push_back(spec);
            }
        }
    }
    specs.push_back({{}, {}});
    specs.push_back({{100}, {7}, "\">i2\"", "null"});
    specs.push_back({{6, 6}, {2, 2}, R"([["a", "<i2"], ["b", ">f4"]])", "null"});
    specs.push_back({{6, 6}, {2, 2}, "\">c16\"", "null"});
    specs.push_back(
        {{20, 20}, {6, 5}, "\"<i4\"", "-1", "null", R"([{"id": "delta", "dtype": "<i4"}])"});
    return specs;
}

TEST(Writer, WhatIsWrittenIsRead) {
    Random random(5);
    for (const SampleSpec& spec : Specs()) {
        for (const std::size_t pending_bytes : {std::size_t{0}, std::size_t{500}, kLarge}) {
            Written written(spec, pending_bytes, pending_bytes);
            for (int i = 0; i < 30; ++i) {
                const Region region = RandomRegion(random, written.metadata.shape);
                const std::size_t bytes =
                    static_cast<std::size_t>(region.size()) * written.metadata.dtype.size;
                ASSERT_TRUE(Succeeds(written.Write(region, random.Bytes(bytes), 1 + i % 3)));
                if (i % 5 == 0) {
                    ASSERT_EQ(written.All(*written.array), written.model);
                }
                if (i % 7 == 0) {
                    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
                    ASSERT_EQ(written.All(*written.Open()), written.model);
                }
            }
            ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
            EXPECT_TRUE(written.array->pending().empty());
            EXPECT_EQ(written.All(*written.array), written.model);
            EXPECT_EQ(written.All(*written.Open()), written.model) << spec.Text();
        }
    }
}

TEST(Writer, WholeChunksAreStoredAtOnceAndPartialChunksOnce) {
    Written written({{8, 8}, {4, 4}}, kLarge);
    const Region all = Region::All({8, 8});
    ASSERT_TRUE(Succeeds(written.Write(all, Random(1).Bytes(256), 2)));
    EXPECT_EQ(written.store->sets, 4);
    EXPECT_TRUE(written.array->pending().empty());
    Random random(2);
    Region row = all;
    row.count[0] = 1;
    const auto write_row = [&](std::uint64_t y) {
        row.start[0] = y;
        ASSERT_TRUE(Succeeds(written.Write(row, random.Bytes(32), 1)));
    };
    for (const std::uint64_t y : {0U, 1U, 2U, 4U, 5U, 6U}) write_row(y);
    EXPECT_EQ(written.store->sets, 4) << "rows gather";
    EXPECT_EQ(written.array->pending().count(), 4);
    EXPECT_EQ(written.All(*written.array), written.model) << "and are seen";
    write_row(3);
    EXPECT_EQ(written.store->sets, 6) << "a chunk with all of its rows goes out";
    EXPECT_EQ(written.array->pending().count(), 2);
    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
    EXPECT_EQ(written.store->sets, 8) << "each goes out once";
    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
    EXPECT_EQ(written.store->sets, 8);
    EXPECT_EQ(written.All(*written.Open()), written.model);
}

TEST(Writer, RewrittenRowsDoNotCompleteAChunk) {
    Written written({{8, 8}, {4, 4}}, kLarge);
    Random random(3);
    Region row = Region::All({8, 8});
    row.count[0] = 1;
    for (const std::uint64_t y : {0U, 0U, 0U, 0U, 1U, 0U, 3U, 2U, 7U, 7U, 7U, 7U, 7U, 4U}) {
        row.start[0] = y;
        ASSERT_TRUE(Succeeds(written.Write(row, random.Bytes(32), 2)));
        EXPECT_EQ(written.All(*written.array), written.model);
    }
    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
    EXPECT_EQ(written.All(*written.Open()), written.model);
}

TEST(Writer, AnArrayThatIsWrittenRowByRowNeedsRoomForOneRowOfChunks) {
    // Edge chunks extend beyond the array. Four chunks can be pending.
    Written written({{30, 40}, {7, 10}}, 4 * 70 * 4);
    Random random(4);
    Region row = Region::All({30, 40});
    row.count[0] = 1;
    for (row.start[0] = 0; row.start[0] < 30; ++row.start[0])
        ASSERT_TRUE(Succeeds(written.Write(row, random.Bytes(160), 2)));
    EXPECT_EQ(written.store->sets, 20) << "each chunk once";
    EXPECT_TRUE(written.array->pending().empty());
    EXPECT_EQ(written.All(*written.Open()), written.model);
}

TEST(Writer, ARowOfManyChunksStaysWithinItsMemory) {
    SampleSpec spec{{4, 4000}, {4, 4}};
    for (const std::size_t threads : {1U, 3U}) {
        Written written(spec, 10 * 4 * 4 * 4);  // room for ten of the thousand chunks
        std::size_t most = 0;
        written.store->on_set = [&] { most = std::max(most, written.array->pending().count()); };
        Region row = Region::All(written.metadata.shape);
        row.count[0] = 1;
        ASSERT_TRUE(Succeeds(written.Write(row, Random(8).Bytes(4000 * 4), threads)));
        EXPECT_GE(most, 10U);
        EXPECT_LE(most, 10U + 2 * threads);
        ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
        EXPECT_EQ(written.All(*written.Open()), written.model);
    }
}

TEST(Writer, ChunksOfFillValuesAreNotStored) {
    Written written({{8}, {4}, "\"<i4\"", "7"}, kLarge);
    std::string sevens;
    for (int i = 0; i < 8; ++i) sevens += std::string("\x07\0\0\0", 4);
    ASSERT_TRUE(Succeeds(written.Write(Region::All({8}), sevens, 1)));
    EXPECT_EQ(written.store->sets, 0);
    ASSERT_TRUE(Succeeds(written.Write(Region::All({8}), Random(1).Bytes(32), 1)));
    EXPECT_EQ(written.store->sets, 2);
    Region first = Region::All({8});
    first.count[0] = 4;
    ASSERT_TRUE(Succeeds(written.Write(first, sevens.substr(0, 16), 1)));
    Buffer value;
    EXPECT_FALSE(*written.store->Get("dem/0", value, kNoLimit)) << "it is removed";
    EXPECT_TRUE(*written.store->Get("dem/1", value, kNoLimit));
    EXPECT_EQ(written.All(*written.Open()), written.model);
    Written unset({{4}, {4}, "\"<i4\"", "null"}, kLarge);
    ASSERT_TRUE(Succeeds(unset.Write(Region::All({4}), std::string(16, '\0'), 1)));
    EXPECT_EQ(unset.store->sets, 1) << "without a fill value nothing may be left out";
}

TEST(Writer, WhatOverhangsHoldsTheFillValue) {
    Written written({{5}, {4}, "\"|u1\"", "9"}, kLarge);
    ASSERT_TRUE(Succeeds(written.Write(Region::All({5}), "abcde", 1)));
    Buffer value;
    ASSERT_TRUE(*written.store->Get("dem/1", value, kNoLimit));
    EXPECT_EQ(TextOf(value), "e\x09\x09\x09");
}

TEST(Writer, FieldsAreWrittenApart) {
    Written written({{4}, {2}, R"([["a", "<i2"], ["b", ">i2"]])", "null"}, kLarge);
    const std::string values("\x01\0\x02\0\x03\0\x04\0", 8);
    const DataType stored = ParseTypestr(">i2").Take();
    const auto op = WriteConverter(stored.Native(), stored);
    const Source source{reinterpret_cast<const std::uint8_t*>(values.data()), {2}, *op};
    ASSERT_TRUE(Succeeds(written.writer->Write(Region::All({4}), 2, source, 2)));
    EXPECT_EQ(written.All(*written.array),
              std::string("\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0", 16));
}

TEST(Writer, FailuresAreReportedAndLoseNothingElse) {
    Written written({{12}, {4}}, kLarge);
    Region part = Region::All({12});
    part.count[0] = 11;
    const std::string values = Random(3).Bytes(44);
    written.store->good = 1;
    // The write covers two whole chunks and a part of a third chunk. Storing chunk 1 fails; the
    // part stays pending.
    EXPECT_TRUE(Fails(written.Write(part, values, 1), StatusCode::kIo, "dem/1: disk full"));
    written.store->good = 1 << 30;
    ASSERT_TRUE(Succeeds(written.Write(part, values, 1)));
    written.store->good = 0;
    EXPECT_TRUE(Fails(written.writer->Flush(2), StatusCode::kIo, "dem/2: disk full"));
    EXPECT_EQ(written.All(*written.array), written.model) << "what failed is still pending";
    written.store->good = 1 << 30;
    EXPECT_TRUE(Succeeds(written.writer->Flush(2)));
    EXPECT_EQ(written.All(*written.Open()), written.model);
}

TEST(Writer, OneFailingChunkDoesNotBlockTheOthers) {
    Written written({{6}, {2}}, kLarge);
    Region odd = Region::All({6});
    odd.count[0] = 3;
    odd.step[0] = 2;
    ASSERT_TRUE(Succeeds(written.Write(odd, Random(4).Bytes(12), 1)));
    EXPECT_EQ(written.array->pending().count(), 3);
    written.store->good = 2;
    EXPECT_TRUE(Fails(written.writer->Flush(1), StatusCode::kIo, "disk full"));
    EXPECT_EQ(written.array->pending().count(), 1);
}

TEST(Writer, ACorruptChunkIsNotOverwrittenInPart) {
    SampleSpec spec{{4}, {4}};
    spec.compressor = R"({"id": "zlib"})";
    Written written(spec, kLarge);
    ASSERT_TRUE(Succeeds(written.store->Set("dem/0", ByteSpan(std::string_view("rubbish")))));
    Region one = Region::All({4});
    one.count[0] = 1;
    EXPECT_TRUE(Fails(written.Write(one, "abcd", 1), StatusCode::kCorrupt, "dem/0: chunk [0]: "));
    EXPECT_TRUE(written.array->pending().empty());
    EXPECT_TRUE(Succeeds(written.Write(Region::All({4}), Random(1).Bytes(16), 1)));
}

TEST(Writer, RefusesInvalidRequests) {
    Written written({{4}, {4}}, kLarge);
    Region outside = Region::All({4});
    outside.start[0] = 1;
    EXPECT_TRUE(Fails(written.writer->Write(outside, 0, {}, 1), StatusCode::kInvalidArgument));
    EXPECT_TRUE(Fails(written.writer->WriteObjects(Region::All({4}), {"a", "b", "c", "d"}, 1),
                      StatusCode::kInvalidArgument, "<i4"));
}

TEST(Writer, ThreadsShareAChunk) {
    Written written({{64}, {32}, "\"|u1\""}, kLarge);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&written, t] {
            for (std::uint64_t i = static_cast<std::uint64_t>(t); i < 64; i += 4) {
                Region one = Region::All({64});
                one.start[0] = i;
                one.count[0] = 1;
                const auto value = static_cast<std::uint8_t>(i + 1);
                const Source source{&value, {1}, CopyConverter(1)};
                EXPECT_TRUE(Succeeds(written.writer->Write(one, 0, source, 1)));
                if (i % 16 == 3) {
                    EXPECT_TRUE(Succeeds(written.writer->Flush(1)));
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
    const std::string all = written.All(*written.Open());
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(all[i], static_cast<char>(i + 1));
}

TEST(Writer, TextsOfAFixedWidthAreNotCut) {
    const std::vector<std::string> kFit = {"öäü", "ab", "", "c"};
    Written wide({{4}, {2}, "\"<U3\"", "\"\"", "null", R"([{"id": "vlen-utf8"}])"}, kLarge);
    ASSERT_TRUE(Succeeds(wide.writer->WriteObjects(Region::All({4}), kFit, 1)));
    EXPECT_TRUE(Fails(wide.writer->WriteObjects(Region::All({4}), {"a", "b", "c", "dddd"}, 1),
                      StatusCode::kInvalidArgument, "\"dddd\": too long for dtype <U3"));
    EXPECT_EQ(*wide.array->ReadObjects(Region::All({4}), 1), kFit);
    Written bytes({{4}, {2}, "\"|S3\"", "\"\"", "null", R"([{"id": "vlen-bytes"}])"}, kLarge);
    EXPECT_TRUE(Fails(bytes.writer->WriteObjects(Region::All({4}), kFit, 1),
                      StatusCode::kInvalidArgument, "too long for dtype |S3"));
}

TEST(Writer, Texts) {
    Random random(6);
    for (const bool fortran : {false, true}) {
        SampleSpec spec{{7, 5}, {3, 2}, "\"|O\"", "\"none\"", "null", R"([{"id": "vlen-utf8"}])"};
        spec.fortran_order = fortran;
        Written written(spec, 20);
        std::vector<std::string> model(35, "none");
        for (int i = 0; i < 20; ++i) {
            const Region region = RandomRegion(random, {7, 5});
            std::vector<std::string> texts;
            for (std::uint64_t k = 0; k < region.size(); ++k)
                texts.push_back(std::string(random.Below(4), 'x') + std::to_string(k));
            ASSERT_TRUE(Succeeds(written.writer->WriteObjects(region, texts, 2)));
            for (std::uint64_t r = 0; r < region.count[0]; ++r)
                for (std::uint64_t c = 0; c < region.count[1]; ++c)
                    model[(region.start[0] + r * static_cast<std::uint64_t>(region.step[0])) * 5 +
                          region.start[1] + c * static_cast<std::uint64_t>(region.step[1])] =
                        texts[r * region.count[1] + c];
            ASSERT_EQ(*written.array->ReadObjects(Region::All({7, 5}), 2), model);
        }
        ASSERT_TRUE(Succeeds(written.writer->Flush(2)));
        EXPECT_EQ(*written.Open()->ReadObjects(Region::All({7, 5}), 2), model);
    }
}

}  // namespace
}  // namespace zarr::test
