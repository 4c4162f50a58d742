// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/array/spy_store.h"
#include "core/array/array_writer.h"
#include "core/array/chunk_cache.h"

namespace zarr::test {
namespace {

TEST(AbsentChunks, RemembersAbsentChunks) {
    AbsentChunks absent;
    for (const std::uint64_t chunk : {0ULL, 4095ULL, 4096ULL, ~0ULL}) {
        EXPECT_FALSE(absent.Has(chunk));
        absent.Add(chunk, absent.generation());
        EXPECT_TRUE(absent.Has(chunk));
    }
    EXPECT_FALSE(absent.Has(1));
    absent.Remove(4096);
    EXPECT_FALSE(absent.Has(4096));
    EXPECT_TRUE(absent.Has(4095));
    absent.Clear();
    EXPECT_FALSE(absent.Has(0));
}

TEST(AbsentChunks, IgnoresAnAnswerOlderThanAWrite) {
    AbsentChunks absent;
    const std::uint64_t asked = absent.generation();
    // Chunk 3 is stored after the read has asked for it, so the answer to the read is outdated.
    absent.Remove(3);
    absent.Add(3, asked);
    EXPECT_FALSE(absent.Has(3));
    ChunkSet present;
    present.Add(1);
    absent.SetPresent(present, asked);
    EXPECT_FALSE(absent.is_listed());
}

TEST(AbsentChunks, KnowsAllAbsentChunksAfterAListing) {
    AbsentChunks absent;
    ChunkSet present;
    present.Add(1);
    present.Add(70000);
    absent.SetPresent(present, absent.generation());
    EXPECT_TRUE(absent.is_listed());
    EXPECT_FALSE(absent.Has(1));
    EXPECT_FALSE(absent.Has(70000));
    EXPECT_TRUE(absent.Has(2));
    absent.Remove(2);  // a writer stores chunk 2 after the listing
    EXPECT_FALSE(absent.Has(2));
    absent.Clear();
    EXPECT_FALSE(absent.Has(5));
}

// A store from which some chunks are absent. The parameter is the compressor. Tests read the whole
// array and parts of it.
class SparseArray : public testing::TestWithParam<const char*> {
  protected:
    SparseArray() {
        SampleSpec spec;
        spec.shape = {64, 64};
        spec.chunks = {8, 8};
        spec.compressor = GetParam();
        Random random(5);
        sample_ = std::make_unique<SampleArray>(random, spec);
        spy_ = std::make_shared<SpyStore>(sample_->store());
        spy_->caches_absent_keys = true;
        array_ = sample_->Open(cache_bytes_, spy_);
    }

    void ReadTwice() {
        const Region parts[] = {
            {{0, 0}, {64, 64}, {1, 1}}, {{3, 5}, {40, 50}, {1, 1}}, {{1, 1}, {30, 30}, {2, 2}}};
        for (int i = 0; i < 2; ++i)
            for (const Region& part : parts) {
                const auto read = ReadRowMajor(*array_, part, 3);
                ASSERT_TRUE(Succeeds(read));
                EXPECT_TRUE(*read == sample_->Expected(part));
            }
    }

    std::uint64_t AbsentRequests() const { return array_->context().counters().chunks_absent; }

    // The cache holds no chunk if its size is 0, but the array remembers which chunks are absent.
    std::size_t cache_bytes_ = 0;
    std::unique_ptr<SampleArray> sample_;
    std::shared_ptr<SpyStore> spy_;
    std::shared_ptr<const Array> array_;
};

INSTANTIATE_TEST_SUITE_P(Codecs, SparseArray, testing::Values("null", R"({"id": "zlib"})"));

TEST_P(SparseArray, RequestsAbsentChunksOnce) {
    ReadTwice();
    EXPECT_EQ(AbsentRequests(), 64 - sample_->present_chunks());
    EXPECT_GT(AbsentRequests(), 0U);
}

TEST_P(SparseArray, RequestsAgainIfAbsenceIsNotCached) {
    spy_->caches_absent_keys = false;
    ReadTwice();
    EXPECT_GT(AbsentRequests(), 64 - sample_->present_chunks());
}

TEST_P(SparseArray, RequestsNoAbsentChunksAfterAListing) {
    ASSERT_TRUE(Succeeds(array_->ListChunks()));
    const int lists = spy_->lists;
    EXPECT_GT(lists, 0);
    ReadTwice();
    EXPECT_EQ(AbsentRequests(), 0U);
    EXPECT_EQ(spy_->lists, lists);
    array_->DropChanged();
    ReadTwice();
    EXPECT_EQ(AbsentRequests(), 64 - sample_->present_chunks());
}

TEST_P(SparseArray, ShowsLaterWrites) {
    ReadTwice();
    ASSERT_TRUE(Succeeds(array_->ListChunks()));
    const auto writer = ArrayWriter::Open(array_, sample_->store(), 0);
    ASSERT_TRUE(Succeeds(writer));
    const Region all{{0, 0}, {64, 64}, {1, 1}};
    const std::string values(64 * 64 * 4, '\x01');
    Source source;
    source.data = reinterpret_cast<const std::uint8_t*>(values.data());
    source.strides = {64 * 4, 4};
    source.op = CopyConverter(4);
    ASSERT_TRUE(Succeeds((*writer)->Write(all, 0, source, 2)));
    const auto read = ReadRowMajor(*array_, all, 2);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_TRUE(*read == values);
}

}  // namespace
}  // namespace zarr::test
