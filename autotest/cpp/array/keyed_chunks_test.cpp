// SPDX-License-Identifier: MIT
// Tests of arrays whose `.zarray` does not state which separator, "." or "/", chunk keys have.
#include "core/array/keyed_chunks.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/support/threads.h"
#include "core/array/array_writer.h"

namespace zarr::test {
namespace {

SampleSpec WithoutSeparator(char separator) {
    SampleSpec spec;
    spec.shape = {64, 64};
    spec.chunks = {8, 8};
    spec.separator = separator;
    spec.has_stated_separator = false;
    return spec;
}

const Region kAll{{0, 0}, {64, 64}, {1, 1}};
constexpr std::size_t kCache = std::size_t{1} << 20;

// Returns all keys below the array's path "dem".
std::set<std::string> KeysIn(const Store& store) {
    std::set<std::string> keys;
    EXPECT_TRUE(Succeeds(
        store.ForEachKey("dem", [&](std::string_view key, auto&&) { keys.emplace(key); }, {})));
    return keys;
}

Status Overwrite(const std::shared_ptr<const Array>& array, const std::shared_ptr<Store>& store,
                 const std::string& values) {
    ZARR_ASSIGN_OR_RETURN(const auto writer, ArrayWriter::Open(array, store, 0));
    Source source;
    source.data = reinterpret_cast<const std::uint8_t*>(values.data());
    source.strides = {64 * 4, 4};
    source.op = CopyConverter(4);
    return writer->Write(kAll, 0, source, 3);
}

class EitherSeparator : public testing::TestWithParam<char> {
  protected:
    void Make(bool with_absent) {
        Random random(5);
        sample_ = std::make_unique<SampleArray>(random, WithoutSeparator(GetParam()), with_absent);
        spy_ = std::make_shared<SpyStore>(sample_->store());
        array_ = sample_->Open(kCache, spy_);
    }
    void ExpectReads(std::size_t threads) {
        const auto read = ReadRowMajor(*array_, kAll, threads);
        ASSERT_TRUE(Succeeds(read));
        EXPECT_TRUE(*read == sample_->Expected(kAll));
    }

    std::unique_ptr<SampleArray> sample_;
    std::shared_ptr<SpyStore> spy_;
    std::shared_ptr<const Array> array_;
};

INSTANTIATE_TEST_SUITE_P(Separators, EitherSeparator, testing::Values('.', '/'));

TEST_P(EitherSeparator, IsSearchedOnce) {
    for (const std::size_t threads : {1, 2, 8}) {
        Make(true);
        EXPECT_EQ(spy_->lists, 0) << "opening looks at nothing";
        ExpectReads(threads);
        ExpectReads(threads);
        EXPECT_LE(spy_->lists, 1);
        EXPECT_EQ(array_->chunks().separator(), GetParam());
    }
}

TEST(MissingDot, NeedsNoRequestIfTheFirstChunkExists) {
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('.'), false);
    const auto spy = std::make_shared<SpyStore>(sample.store());
    const auto array = sample.Open(kCache, spy);
    ASSERT_TRUE(Succeeds(ReadRowMajor(*array, kAll, 1)));
    EXPECT_EQ(spy->lists, 0);
    EXPECT_EQ(spy->gets + spy->gets_into + spy->ranges, 64);
}

TEST_P(EitherSeparator, IsUsedForWriting) {
    Make(true);
    const std::string values(64 * 64 * 4, '\x01');
    ASSERT_TRUE(Succeeds(Overwrite(array_, sample_->store(), values)));
    const std::set<std::string> keys = KeysIn(*sample_->store());
    EXPECT_EQ(keys.size(), 64U);
    for (const std::string& key : keys) EXPECT_NE(key.find(GetParam()), std::string::npos) << key;
    const auto read = ReadRowMajor(*sample_->Open(kCache), kAll, 2);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_TRUE(*read == values);
}

TEST_P(EitherSeparator, IsFoundByAListingOfTheChunks) {
    Make(true);
    const auto listing = array_->ListChunks();
    ASSERT_TRUE(Succeeds(listing));
    EXPECT_EQ(listing->chunks, sample_->present_chunks());
    EXPECT_EQ(array_->chunks().separator(), GetParam());
    ExpectReads(2);
    EXPECT_EQ(spy_->lists, 1);
}

TEST_P(EitherSeparator, IsFoundByTheFirstChunkWithoutListing) {
    Make(false);
    const auto unlisted = std::make_shared<FaultyStore>(sample_->store());
    unlisted->can_list = false;
    spy_ = std::make_shared<SpyStore>(unlisted);
    array_ = sample_->Open(0, spy_);
    ExpectReads(3);
    EXPECT_EQ(array_->chunks().separator(), GetParam());
    EXPECT_LE(spy_->ranges, 1);
}

TEST(MissingSeparator, IsADotInAnEmptyArray) {
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('.'), false);
    for (const bool can_list : {true, false}) {
        const auto memory = std::make_shared<MemoryStore>();
        ASSERT_TRUE(Succeeds(memory->Set("dem/.zarray", ByteSpan(std::string_view("{}")))));
        const auto store = std::make_shared<FaultyStore>(memory);
        store->can_list = can_list;
        const auto spy = std::make_shared<SpyStore>(store);
        const auto array = sample.Open(kCache, spy);
        const int before = spy->gets + spy->gets_into;
        ASSERT_TRUE(Succeeds(ReadRowMajor(*array, kAll, 1)));
        EXPECT_EQ(spy->gets + spy->gets_into - before, 64);
        EXPECT_EQ(spy->ranges, 1) << "one look, whatever is absent";
        EXPECT_EQ(spy->lists, 1);
        ASSERT_TRUE(Succeeds(Overwrite(array, store, std::string(64 * 64 * 4, '\x01'))));
        EXPECT_EQ(KeysIn(*memory).count("7.7"), 1U);
    }
}

TEST(MissingSeparator, IsSearchedAgainIfTheArrayWasEmpty) {
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('/'), false);
    const auto memory = std::make_shared<MemoryStore>();
    const auto array = sample.Open(kCache, memory);
    ASSERT_TRUE(Succeeds(ReadRowMajor(*array, kAll, 1)));
    EXPECT_EQ(array->chunks().separator(), '.');
    // Stores the chunks in `memory`, as another program would do while `array` is open.
    for (const std::string& key : KeysIn(*sample.store())) {
        Buffer value;
        ASSERT_TRUE(Succeeds(sample.store()->Get("dem/" + key, value, kNoLimit)));
        ASSERT_TRUE(Succeeds(memory->Set("dem/" + key, std::as_const(value).span())));
    }
    array->DropChanged();
    const auto read = ReadRowMajor(*array, kAll, 1);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_TRUE(*read == sample.Expected(kAll));
}

TEST(MissingSeparator, IsADotIfBothExist) {
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('/'), false);
    const std::string chunk(8 * 8 * 4, '\x02');
    ASSERT_TRUE(Succeeds(sample.store()->Set("dem/7.7", ByteSpan(chunk))));
    const auto array = sample.Open(kCache);
    const Region first{{0, 0}, {1, 1}, {1, 1}};
    ASSERT_TRUE(Succeeds(ReadRowMajor(*array, first, 1)));
    EXPECT_EQ(array->chunks().separator(), '.');
}

TEST(MissingSeparator, IsAnErrorIfTheSearchFails) {
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('/'), false);
    const auto store = std::make_shared<FaultyStore>(sample.store());
    const auto array = sample.Open(kCache, store);
    const Region first{{0, 0}, {1, 1}, {1, 1}};
    // Call 1 reads the chunk and does not find it. Call 2, the search for keys with another
    // separator, fails.
    store->FailAt(2, false);
    EXPECT_TRUE(Fails(ReadRowMajor(*array, first, 1), StatusCode::kIo, "injected fault"));
    const auto read = ReadRowMajor(*array, kAll, 1);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_TRUE(*read == sample.Expected(kAll));
    const auto again = sample.Open(kCache, store);
    store->FailAt(1, true);
    EXPECT_TRUE(Fails(Overwrite(again, store, std::string(64 * 64 * 4, '\x01')), StatusCode::kIo));
    store->FailAt(0, false);
    EXPECT_EQ(KeysIn(*sample.store()).count("0.0"), 0U);
}

// Names in the array's folder that are not chunk keys must not decide about the separator.
TEST(MissingSeparator, IsNotTakenFromOtherNames) {
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('.'), false);
    const auto memory = std::make_shared<MemoryStore>();
    for (const char* key : {"dem/.zarray", "dem/0", "dem/a/0", "dem/01/0", "dem/0.0.0", "dem/1.x"})
        ASSERT_TRUE(Succeeds(memory->Set(key, ByteSpan(std::string_view("x")))));
    const auto array = sample.Open(kCache, memory);
    ASSERT_TRUE(Succeeds(ReadRowMajor(*array, kAll, 1)));
    EXPECT_EQ(array->chunks().separator(), '.');
}

TEST(MissingSeparator, IsNotSearchedIfStatedOrUnused) {
    Random random(5);
    SampleSpec said = WithoutSeparator('.');
    said.has_stated_separator = true;
    SampleSpec line = WithoutSeparator('.');
    line.shape = {64};
    line.chunks = {8};
    SampleSpec scalar = WithoutSeparator('.');
    scalar.shape = scalar.chunks = {};
    for (const SampleSpec& spec : {said, line, scalar}) {
        const SampleArray sample(random, spec, false);
        const auto spy = std::make_shared<SpyStore>(std::make_shared<MemoryStore>());
        const auto array = sample.Open(kCache, spy);
        ASSERT_TRUE(Succeeds(ReadRowMajor(*array, Region::All(spec.shape), 1)));
        EXPECT_EQ(*array->chunks().DetermineSeparator(), '.');
        EXPECT_EQ(spy->lists, 0);
    }
}

TEST(MissingSeparator, IsEqualForManyThreads) {
    constexpr std::size_t kThreads = 8;
    Random random(5);
    const SampleArray sample(random, WithoutSeparator('/'), true);
    for (int round = 0; round < 20; ++round) {
        const auto spy = std::make_shared<SpyStore>(sample.store());
        const auto array = sample.Open(kCache, spy);
        Barrier barrier(kThreads);
        std::vector<int> right(kThreads);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < kThreads; ++i)
            threads.emplace_back([&, i] {
                barrier.Meet();
                const auto read = ReadRowMajor(*array, kAll, 1);
                right[i] = read.ok() && *read == sample.Expected(kAll) ? 1 : 0;
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(right, std::vector<int>(kThreads, 1));
        EXPECT_EQ(spy->lists, 1);
    }
}

TEST(KeyedChunksOutside, AreErasedUnderKeysWithAPrefix) {
    for (const char separator : {'.', '/'}) {
        SampleSpec spec{{4, 4}, {1, 1}, "\"|u1\"", "0"};
        ArrayMetadata metadata = spec.Metadata();
        metadata.has_key_prefix = true;
        metadata.has_separator = true;
        metadata.dimension_separator = separator;
        const auto store = std::make_shared<MemoryStore>();
        const auto key = [&](int y, int x) {
            return std::string("dem/c") + separator + std::to_string(y) + separator +
                   std::to_string(x);
        };
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 4; ++x)
                ASSERT_TRUE(Succeeds(store->Set(key(y, x), ByteSpan(std::string_view("x")))));
        const std::string others[] = {"dem/zarr.json", std::string("dem/cc") + separator + "9",
                                      std::string("dem/9") + separator + "9"};
        for (const std::string& other : others)
            ASSERT_TRUE(Succeeds(store->Set(other, ByteSpan(std::string_view("{}")))));
        auto array = Array::Open(store, "dem", metadata, std::make_shared<ArrayContext>(0));
        ASSERT_TRUE(Succeeds(array));
        ASSERT_TRUE(Succeeds((*array)->chunks().EraseOutside(*store, {3, 2}, nullptr)));
        Buffer value;
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 4; ++x)
                EXPECT_EQ(*store->Get(key(y, x), value, 9), y < 3 && x < 2) << key(y, x);
        for (const std::string& other : others) EXPECT_TRUE(*store->Get(other, value, 9)) << other;
    }
}

}  // namespace
}  // namespace zarr::test
