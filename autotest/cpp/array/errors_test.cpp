// SPDX-License-Identifier: MIT
// Tests of the errors for damaged chunks and for requests that are invalid.
#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/array/spy_store.h"

namespace zarr::test {
namespace {

constexpr std::size_t kErrorsCache = std::size_t{1} << 24;

SampleSpec ErrorsSpec(bool compressed) {
    SampleSpec spec{{20, 40}, {10, 20}};
    if (compressed) spec.compressor = R"({"id": "zlib"})";
    return spec;
}

Region Part() {
    Region region = Region::All({20, 40});
    region.count = {15, 25};
    return region;
}

struct Case {
    bool compressed;
    bool whole;  // true: reads the whole chunk; false: a part
    std::size_t cache_bytes;
};
std::vector<Case> Cases() {
    std::vector<Case> cases;
    for (const bool compressed : {false, true})
        for (const bool whole : {false, true})
            for (const std::size_t cache_bytes : {std::size_t{0}, kErrorsCache})
                cases.push_back({compressed, whole, cache_bytes});
    return cases;
}

// Replaces chunk [1, 1] by a wrong `value`. Reading this chunk must fail, alone and together with
// all other chunks.
class BadChunk : public testing::TestWithParam<Case> {
  protected:
    void Expect(const std::string& value, StatusCode code, const std::string& message) {
        ASSERT_TRUE(Succeeds(sample_.store()->Set("dem/1.1", ByteSpan(value))));
        Region one = Region::All({20, 40});
        one.start = {10, 20};
        one.count = {10, GetParam().whole ? 20U : 19U};
        Region all = Region::All({20, 40});
        all.count[1] = GetParam().whole ? 40 : 39;
        for (const Region& region : {one, all}) {
            const auto array = sample_.Open(GetParam().cache_bytes);
            for (int i = 0; i < 2; ++i) {
                const auto read = ReadRowMajor(*array, region, i == 0 ? 1 : 4);
                ASSERT_FALSE(read.ok());
                EXPECT_TRUE(Fails(read, code, message));
                EXPECT_EQ(read.status().message().rfind("dem/1.1: ", 0), 0U)
                    << read.status().message();
            }
        }
    }

    Random random_{19};
    SampleArray sample_{random_, ErrorsSpec(GetParam().compressed), false};
};
INSTANTIATE_TEST_SUITE_P(Paths, BadChunk, testing::ValuesIn(Cases()));

TEST_P(BadChunk, Truncated) {
    const std::string good(800, 'x');
    if (GetParam().compressed) {
        const std::string encoded = Deflated(random_.Bytes(800));
        Expect(encoded.substr(0, encoded.size() - 1), StatusCode::kCorrupt,
               "dem/1.1: chunk [1, 1]: zlib: ");
        Expect(encoded.substr(0, 100), StatusCode::kCorrupt, "dem/1.1: chunk [1, 1]: zlib: ");
    } else {
        Expect(good.substr(1), StatusCode::kCorrupt,
               "dem/1.1: chunk [1, 1]: holds 799 bytes instead of 800");
    }
    Expect("", StatusCode::kCorrupt, "dem/1.1: chunk [1, 1]: ");
}

TEST_P(BadChunk, TooLong) {
    if (GetParam().compressed) {
        Expect(Deflated(std::string(801, 'x')), StatusCode::kCorrupt, "chunk [1, 1]: zlib: ");
        Expect(Deflated(std::string(799, 'x')), StatusCode::kCorrupt,
               "chunk [1, 1]: zlib: decodes to 799 bytes instead of 800");
        Expect(Deflated(std::string(1U << 24, 'x')), StatusCode::kCorrupt, "chunk [1, 1]: zlib: ");
    } else {
        Expect(std::string(801, 'x'), StatusCode::kCorrupt,
               "chunk [1, 1]: holds 801 bytes instead of 800");
    }
}

TEST_P(BadChunk, InvalidBytes) {
    if (!GetParam().compressed) return;  // uncompressed, any 800 bytes are a valid chunk
    Expect(std::string(300, '?'), StatusCode::kCorrupt, "dem/1.1: chunk [1, 1]: zlib: ");
}

TEST(ArrayErrors, AnOversizedChunkIsRefusedBeforeItIsRead) {
    Random random(20);
    for (const bool compressed : {false, true}) {
        const SampleArray sample(random, ErrorsSpec(compressed), false);
        const std::string huge(5U << 20, 'x');
        ASSERT_TRUE(Succeeds(sample.store()->Set("dem/0.0", ByteSpan(huge))));
        for (const std::size_t cache_bytes : {std::size_t{0}, kErrorsCache}) {
            const auto spy = std::make_shared<SpyStore>(sample.store());
            const auto array = sample.Open(cache_bytes, spy);
            const auto read = ReadRowMajor(*array, Part(), 1);
            EXPECT_TRUE(Fails(read, StatusCode::kLimit, "dem/0.0: size of 5242880 bytes exceeds"));
            EXPECT_LT(spy->largest_limit, 100000U);
            EXPECT_EQ(array->context().counters().bytes_read, 0U);
        }
    }
}

TEST(ArrayErrors, AFailureIsNotCached) {
    Random random(21);
    const SampleArray sample(random, ErrorsSpec(false), false);
    Buffer good;
    ASSERT_TRUE(*sample.store()->Get("dem/0.0", good, kNoLimit));
    const auto array = sample.Open(kErrorsCache);
    ASSERT_TRUE(Succeeds(sample.store()->Set("dem/0.0", ByteSpan(std::string_view("bad")))));
    EXPECT_TRUE(Fails(ReadRowMajor(*array, Part(), 2), StatusCode::kCorrupt, "dem/0.0: "));
    ASSERT_TRUE(Succeeds(sample.store()->Set("dem/0.0", std::as_const(good).span())));
    const auto read = ReadRowMajor(*array, Part(), 2);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_EQ(*read, sample.Expected(Part()));
}

TEST(ArrayErrors, ChunksPastTheLargestAreRefusedUnlessAbsent) {
    SampleSpec spec{{std::uint64_t{5} << 30}, {std::uint64_t{5} << 30}, "\"|u1\""};
    spec.compressor = R"({"id": "zlib"})";
    Region region = Region::All({10});
    for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{1} << 40}) {
        const auto store = std::make_shared<MemoryStore>();
        const auto array = *Array::Open(store, "dem", spec.Metadata(),
                                        std::make_shared<ArrayContext>(cache_bytes));
        auto read = ReadRowMajor(*array, region, 1);
        ASSERT_TRUE(Succeeds(read));
        EXPECT_EQ(*read, std::string(10, '\7'));
        ASSERT_TRUE(Succeeds(store->Set("dem/0", ByteSpan(Deflated("short")))));
        array->context().cache().SetMaxBytes(0);
        array->context().cache().SetMaxBytes(cache_bytes);
        EXPECT_TRUE(Fails(ReadRowMajor(*array, region, 1), StatusCode::kLimit,
                          "dem/0: chunk [0]: the chunk decodes to 5368709120 bytes"));
    }
}

TEST(ArrayErrors, RegionsOutsideAreRefused) {
    Random random(22);
    const SampleArray sample(random, ErrorsSpec(false), false);
    const auto array = sample.Open(0);
    Region region = Region::All({20, 41});
    EXPECT_TRUE(
        Fails(ReadRowMajor(*array, region, 1), StatusCode::kInvalidArgument, "dimension 1"));
    EXPECT_TRUE(Fails(ReadRowMajor(*array, Region::All({20}), 1), StatusCode::kInvalidArgument));
    region = Region::All({20, 40});
    region.step[0] = 0;
    EXPECT_TRUE(Fails(ReadRowMajor(*array, region, 1), StatusCode::kInvalidArgument));
}

TEST(ArrayErrors, OpeningNamesTheCodec) {
    const auto open = [](const SampleSpec& spec) {
        return Array::Open(std::make_shared<MemoryStore>(), "dem", spec.Metadata(),
                           std::make_shared<ArrayContext>(0));
    };
    SampleSpec spec{{4}, {2}};
    spec.compressor = R"({"id": "unheard-of"})";
    EXPECT_TRUE(Fails(open(spec), StatusCode::kUnsupported, "unheard-of"));
    EXPECT_TRUE(Fails(Array::CheckCodecs(spec.Metadata()), StatusCode::kUnsupported, "unheard-of"));
    spec.compressor = "null";
    EXPECT_TRUE(Succeeds(open(spec)));
}

}  // namespace
}  // namespace zarr::test
