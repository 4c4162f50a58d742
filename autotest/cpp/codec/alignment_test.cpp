// SPDX-License-Identifier: MIT
// Runs every codec on every vector of vectors.json in unaligned memory. UndefinedBehaviorSanitizer,
// and CPUs that need alignment, find misaligned accesses.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/codec/vectors.h"
#include "core/codec/pipeline.h"

namespace zarr::test {

namespace {

// Memory whose address has a given remainder modulo 16.
class Shifted {
  public:
    Shifted(std::size_t shift, std::size_t size) : bytes_(16 + shift + size), size_(size) {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
        start_ = (16 - address % 16) % 16 + shift;
    }
    Shifted(std::size_t shift, std::string_view text) : Shifted(shift, text.size()) {
        if (!text.empty()) std::memcpy(span().data, text.data(), text.size());
    }
    MutableByteSpan span() { return {bytes_.data() + start_, size_}; }

  private:
    std::vector<std::uint8_t> bytes_;
    std::size_t size_;
    std::size_t start_ = 0;
};

class CodecAlignment : public testing::TestWithParam<Vector> {};

TEST_P(CodecAlignment, DoesNotMatter) {
    const Vector& vector = GetParam();
    const json::Value filters(json::Array{vector.config});
    const auto pipeline = BindJson(filters, vector.Context());
    ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
    PipelineScratch scratch;
    for (const std::size_t shift : {1U, 2U, 3U, 4U, 7U}) {
        Shifted encoded(shift, vector.encoded);
        if (vector.is_objects()) {
            ObjectChunk chunk;
            ASSERT_TRUE(pipeline->DecodeObjects(encoded.span(), chunk, scratch).ok()) << shift;
            EXPECT_EQ(chunk.count, vector.decoded.size());
            continue;
        }
        Shifted decoded(16 - shift, pipeline->chunk_bytes());
        const Status status = pipeline->Decode(encoded.span(), decoded.span(), scratch, 1);
        ASSERT_TRUE(status.ok()) << shift << ": " << status.message();
        EXPECT_EQ(ByteSpan(decoded.span()).text(), vector.decoded[0]) << shift;
        if (!vector.is_writable) continue;
        const auto again = pipeline->Encode(ByteSpan(decoded.span()), scratch);
        ASSERT_TRUE(again.ok()) << shift << ": " << again.status().message();
        EXPECT_EQ(Comparable(vector, again->text()), Comparable(vector, vector.reencoded)) << shift;
    }
}

INSTANTIATE_TEST_SUITE_P(Vectors, CodecAlignment, testing::ValuesIn(Vectors()),
                         [](const auto& test) { return test.param.name; });

// The vectors must contain little-endian and big-endian numbers, so that each codec is tested with
// both byte orders.
TEST(CodecVectors, HaveNumbersOfBothOrders) {
    std::size_t little = 0;
    std::size_t big = 0;
    for (const Vector& vector : Vectors()) {
        if (vector.dtype.size < 2 || !vector.dtype.is_numeric()) continue;
        (vector.dtype.order == ByteOrder::kBig ? big : little) += 1;
    }
    EXPECT_GT(little, 10U);
    EXPECT_GT(big, 10U);
}

}  // namespace

}  // namespace zarr::test
