// SPDX-License-Identifier: MIT
// Runs every codec on every vector (an encoded chunk with its values) of vectors.json. Bytes from
// numcodecs must decode to the same values. Truncated or damaged bytes must not crash, and must be
// rejected if a check can find the damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/codec/vectors.h"
#include "autotest/cpp/support/guarded_memory.h"
#include "core/codec/pipeline.h"
#include "core/codec/registry.h"

namespace zarr::test {

namespace {

using Decoded = std::vector<std::string>;

Decoded Objects(const ObjectChunk& chunk) {
    Decoded objects;
    for (std::size_t i = 0; i < chunk.count; ++i) {
        ObjectRef ref;
        std::memcpy(&ref, chunk.refs.data() + i * sizeof ref, sizeof ref);
        objects.emplace_back(ref.size != 0 ? std::string(ref.data, ref.size) : std::string());
    }
    return objects;
}

// A pipeline with one codec. Its input and output buffers have exactly the needed size.
class Subject {
  public:
    // The chunk has `more` elements more than the chunk of the vector.
    explicit Subject(const Vector& vector, int more = 0) {
        const json::Value filters(json::Array{vector.config});
        Result<Pipeline> pipeline = BindJson(filters, vector.Context(more));
        EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
        if (pipeline.ok()) pipeline_.emplace(pipeline.Take());
    }

    // Decodes with 1, 2 and 5 threads and expects equal results. Returns the result.
    Result<Decoded> Decode(std::string_view encoded) {
        Result<Decoded> alone = DecodeOn(1, encoded);
        for (const std::size_t threads : {2, 5}) {
            const Result<Decoded> shared = DecodeOn(threads, encoded);
            EXPECT_EQ(shared.ok(), alone.ok())
                << threads << " threads: " << (shared.ok() ? alone : shared).status().message();
            if (shared.ok() && alone.ok()) {
                EXPECT_EQ(*shared, *alone) << threads << " threads";
            }
        }
        return alone;
    }

  private:
    Result<Decoded> DecodeOn(std::size_t threads, std::string_view encoded) {
        if (!pipeline_) return Status::Invalid("not bound");
        const ByteSpan input = input_.Copy(ByteSpan(encoded));
        if (pipeline_->decodes_objects()) {
            ObjectChunk chunk;
            ZARR_RETURN_IF_ERROR(pipeline_->DecodeObjects(input, chunk, scratch_));
            return Objects(chunk);
        }
        const MutableByteSpan chunk = output_.Last(pipeline_->chunk_bytes());
        ZARR_RETURN_IF_ERROR(pipeline_->Decode(input, chunk, scratch_, threads));
        return Decoded{std::string(ByteSpan(chunk).text())};
    }

    std::optional<Pipeline> pipeline_;
    PipelineScratch scratch_;
    GuardedMemory input_;
    GuardedMemory output_;
};

class CodecContract : public testing::TestWithParam<Vector> {
  protected:
    // Returns the codec alone, without a pipeline. Only for vectors with fixed-size elements.
    static std::unique_ptr<Codec> Make() {
        Result<std::unique_ptr<Codec>> codec =
            MakeFromJson(GetParam().config, GetParam().Context());
        EXPECT_TRUE(codec.ok()) << codec.status().message();
        return codec.ok() ? codec.Take() : nullptr;
    }
};

TEST_P(CodecContract, DecodesThroughThePipeline) {
    Subject subject(GetParam());
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second round reuses scratch memory
        const Result<Decoded> decoded = subject.Decode(GetParam().encoded);
        ASSERT_TRUE(decoded.ok()) << decoded.status().message();
        EXPECT_EQ(*decoded, GetParam().decoded);
    }
}

TEST_P(CodecContract, DecodesToFixedMemory) {
    // Codec::Decode() gives bytes, so it cannot decode objects.
    if (GetParam().is_objects()) return;
    const auto codec = Make();
    ASSERT_NE(codec, nullptr);
    GuardedMemory input;
    GuardedMemory memory;
    const std::string& expected = GetParam().decoded[0];
    Output output(memory.Last(expected.size()));
    const Status status = codec->Decode(input.Copy(ByteSpan(GetParam().encoded)), output);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(output.written(), expected.size());
    EXPECT_EQ(ByteSpan(memory.Last(expected.size())).text(), expected);
}

TEST_P(CodecContract, DecodesToGrowingBuffer) {
    if (GetParam().is_objects()) return;
    const auto codec = Make();
    ASSERT_NE(codec, nullptr);
    const std::string& expected = GetParam().decoded[0];
    for (const std::size_t spare : {0, 1, 1000000}) {
        Buffer buffer;
        Output output(buffer, expected.size() + spare);
        ASSERT_TRUE(codec->Decode(ByteSpan(GetParam().encoded), output).ok()) << spare;
        ASSERT_TRUE(output.Finish().ok());
        EXPECT_EQ(buffer.span().size, expected.size());
        EXPECT_EQ(ByteSpan(buffer.span()).text(), expected);
    }
}

TEST_P(CodecContract, EncodedSizeIsAnUpperBound) {
    if (GetParam().is_objects()) return;
    const auto codec = Make();
    ASSERT_NE(codec, nullptr);
    const SizeBound bound = codec->EncodedSize({GetParam().decoded[0].size(), true});
    EXPECT_LE(GetParam().encoded.size(), bound.max);
    if (bound.exact) {
        EXPECT_EQ(GetParam().encoded.size(), bound.max);
    }
    const std::size_t huge = std::numeric_limits<std::size_t>::max();
    // The bound for a huge input must not wrap around to a small number. A codec may shrink its
    // input, so the bound may be smaller than the input.
    EXPECT_GE(codec->EncodedSize({huge, false}).max, huge / 32);
}

TEST_P(CodecContract, RefusesEveryTruncation) {
    Subject subject(GetParam());
    for (std::size_t size = 0; size < GetParam().needed; ++size) {
        const Result<Decoded> decoded = subject.Decode(GetParam().encoded.substr(0, size));
        ASSERT_FALSE(decoded.ok()) << size << " of " << GetParam().needed << " bytes";
        ASSERT_FALSE(decoded.status().message().empty());
    }
    for (std::size_t size = GetParam().needed; size < GetParam().encoded.size(); ++size)
        EXPECT_TRUE(subject.Decode(GetParam().encoded.substr(0, size)).ok()) << size;
}

// Compressors must accept or reject trailing bytes as numcodecs does. Filters may also reject bytes
// that numcodecs ignores.
TEST_P(CodecContract, TreatsTrailingBytesAsNumcodecsDoes) {
    static const std::set<std::string> compressors = {"blosc", "zlib", "gzip", "bz2",
                                                      "lzma",  "zstd", "lz4"};
    Subject subject(GetParam());
    const Result<Decoded> decoded = subject.Decode(GetParam().encoded_with_trailing);
    if (decoded.ok()) {
        EXPECT_EQ(*decoded, GetParam().decoded);
    }
    if (!GetParam().trailing_is_ignored) {
        EXPECT_FALSE(decoded.ok());
    }
    if (GetParam().trailing_is_ignored && compressors.count(GetParam().id) != 0) {
        EXPECT_TRUE(decoded.ok()) << decoded.status().message();
    }
}

TEST_P(CodecContract, RefusesMoreThanTheLimit) {
    if (GetParam().is_objects()) return;
    const auto codec = Make();
    ASSERT_NE(codec, nullptr);
    const std::size_t size = GetParam().decoded[0].size();
    GuardedMemory memory;
    for (const std::size_t limit : {size - 1, size / 2, std::size_t{0}}) {
        Output fixed(memory.Last(limit));
        EXPECT_FALSE(codec->Decode(ByteSpan(GetParam().encoded), fixed).ok()) << limit;
        Buffer buffer;
        Output growing(buffer, limit);
        EXPECT_FALSE(codec->Decode(ByteSpan(GetParam().encoded), growing).ok()) << limit;
        EXPECT_LE(buffer.capacity(), limit);
    }
}

TEST_P(CodecContract, RefusesChunksOfOtherSizes) {
    EXPECT_FALSE(Subject(GetParam(), 1).Decode(GetParam().encoded).ok());
    EXPECT_FALSE(Subject(GetParam(), -1).Decode(GetParam().encoded).ok());
    EXPECT_FALSE(Subject(GetParam(), 100000).Decode(GetParam().encoded).ok());
}

// Damages bytes one at a time: all near both ends of the input, and about 150 between them.
// Decoding must not crash; a format with a checksum must not give wrong values.
TEST_P(CodecContract, SurvivesEveryDamagedByte) {
    constexpr std::size_t kEnds = 100;  // covers the header of every format
    Subject subject(GetParam());
    std::string damaged = GetParam().encoded;
    const std::size_t stride = std::max<std::size_t>(1, damaged.size() / 150);
    for (std::size_t i = 0; i < damaged.size();) {
        for (const int mask : {0x01, 0x80, 0xff}) {
            const char before = damaged[i];
            damaged[i] = static_cast<char>(before ^ mask);
            const Result<Decoded> decoded = subject.Decode(damaged);
            if (decoded.ok() && GetParam().is_checked) {
                ASSERT_EQ(*decoded, GetParam().decoded) << "byte " << i << " xor " << mask;
            }
            damaged[i] = before;
        }
        const bool at_an_end = i < kEnds || i + kEnds >= damaged.size();
        i += at_an_end ? 1 : stride;
    }
}

TEST_P(CodecContract, RefusesBytesOfAnotherKind) {
    Subject subject(GetParam());
    const std::string& encoded = GetParam().encoded;
    for (const char fill : {'\0', '\xff', ' '}) {
        const Result<Decoded> decoded = subject.Decode(std::string(encoded.size(), fill));
        if (GetParam().is_checked) {
            EXPECT_FALSE(decoded.ok()) << static_cast<int>(fill);
        }
    }
}

std::string SubjectName(const testing::TestParamInfo<Vector>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Vectors, CodecContract, testing::ValuesIn(Vectors()), SubjectName);

TEST(CodecVectors, CoverEveryCodec) {
    std::set<std::string_view> numbers;
    std::set<std::string_view> objects;
    for (const Vector& vector : Vectors())
        (vector.is_objects() ? objects : numbers).insert(vector.id);
    CodecContext context;
    context.dtype.kind = DataKind::kObject;
    for (const std::string_view id : CodecIds()) {
        EXPECT_TRUE(numbers.count(id) + objects.count(id) > 0) << id;
        // A codec that also supports objects must have vectors of objects.
        const auto made =
            MakeObjectCodec({std::string(id), json::Value(json::Object{}), ""}, context);
        if (!made.ok() || *made != nullptr) {
            EXPECT_EQ(objects.count(id), 1U) << id;
        }
    }
}

}  // namespace

}  // namespace zarr::test
