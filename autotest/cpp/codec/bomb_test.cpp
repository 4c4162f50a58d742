// SPDX-License-Identifier: MIT
// Small inputs that decode to 100 MB. Decoding must fail at the limit, and must not allocate more
// memory than the limit.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>
#include <string>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/codec/vectors.h"
#include "core/codec/registry.h"

namespace zarr::test {

namespace {

constexpr std::size_t kLimit = 1000;
// Memory in bytes that a compression library may use for itself, for example for the dictionary of
// LZMA.
constexpr std::size_t kLibraryBytes = std::size_t{32} << 20;

// Returns the peak resident memory of the process since ResetPeak(), in bytes. Returns 0 if the
// system does not report it; the tests then check only the output size.
std::size_t PeakBytes() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        std::size_t kilobytes = 0;
        if (word == "VmHWM:" && status >> kilobytes) return kilobytes << 10;
    }
    return 0;
}
void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

class CodecBomb : public testing::TestWithParam<Bomb> {};

TEST_P(CodecBomb, FailsAtTheLimit) {
    const Result<std::unique_ptr<Codec>> codec = MakeFromJson(GetParam().config, CodecContext());
    ASSERT_TRUE(codec.ok()) << codec.status().message();
    const ByteSpan encoded(GetParam().encoded);

    ResetPeak();
    const std::size_t peak_before = PeakBytes();
    Buffer memory;
    ASSERT_TRUE(memory.Resize(kLimit).ok());
    Output fixed(memory.span());
    EXPECT_EQ((*codec)->Decode(encoded, fixed).code(), StatusCode::kCorrupt);
    Buffer buffer;
    Output growing(buffer, kLimit);
    EXPECT_EQ((*codec)->Decode(encoded, growing).code(), StatusCode::kCorrupt);
    EXPECT_LE(buffer.capacity(), kLimit);
    EXPECT_LE(PeakBytes(), peak_before + kLibraryBytes);
}

// If the limit allows the decoded size, the input decodes. Only the limit can thus cause the errors
// in other tests.
TEST_P(CodecBomb, DecodesIfThereIsRoom) {
    const Result<std::unique_ptr<Codec>> codec = MakeFromJson(GetParam().config, CodecContext());
    ASSERT_TRUE(codec.ok()) << codec.status().message();
    Buffer buffer;
    Output output(buffer, GetParam().decoded_size);
    const Status status = (*codec)->Decode(ByteSpan(GetParam().encoded), output);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(output.written(), GetParam().decoded_size);
    EXPECT_EQ(buffer.data()[0], 0);
    EXPECT_EQ(std::memcmp(buffer.data(), buffer.data() + 1, output.written() - 1), 0);
}

std::string BombName(const testing::TestParamInfo<Bomb>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Bombs, CodecBomb, testing::ValuesIn(Bombs()), BombName);

TEST(CodecBombs, CoverEveryCompressor) {
    std::set<std::string_view> ids;
    for (const Bomb& bomb : Bombs()) ids.insert(bomb.id);
    for (const char* id : {"blosc", "zlib", "gzip", "bz2", "lzma", "zstd", "lz4"})
        EXPECT_EQ(ids.count(id), 1U) << id;
}

}  // namespace

}  // namespace zarr::test
