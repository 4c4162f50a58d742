// SPDX-License-Identifier: MIT
// Tests of Zarr v3 codecs with the chunks of v3_vectors.json, which other software encoded.
// make_v3_vectors.py writes and describes that file.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/guarded_memory.h"
#include "autotest/cpp/support/project_file.h"
#include "core/base/text.h"
#include "core/codec/pipeline.h"
#include "core/codec/registry.h"

namespace zarr::test {

namespace {

struct V3Vector {
    std::string name;
    CodecContext context;
    std::vector<CodecSpec> codecs;
    // A string with all bytes of the chunk, or a string for each object.
    std::vector<std::string> decoded;
    std::string encoded;
    std::string reencoded;
    bool is_exact = false;

    bool is_objects() const { return context.dtype.kind == DataKind::kObject; }
};

void PrintTo(const V3Vector& vector, std::ostream* stream) { *stream << vector.name; }

[[noreturn]] void FailToReadV3(const std::string& what) {
    ADD_FAILURE() << "v3_vectors.json: " << what;
    std::abort();
}

template <class T>
T TakeV3(Result<T> result) {
    if (!result.ok()) FailToReadV3(result.status().message());
    return result.Take();
}

const std::string& V3Text(const json::Value* value) {
    if (value == nullptr || value->as_string() == nullptr) FailToReadV3("a text is missing");
    return *value->as_string();
}

std::string InflateV3(const std::string& deflated) {
    std::string bytes(std::size_t{1} << 16, '\0');
    auto size = static_cast<uLongf>(bytes.size());
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                   reinterpret_cast<const Bytef*>(deflated.data()),
                   static_cast<uLong>(deflated.size())) != Z_OK)
        FailToReadV3("cannot inflate");
    bytes.resize(size);
    return bytes;
}

V3Vector ReadV3Vector(const json::Value& entry) {
    V3Vector vector;
    vector.name = V3Text(entry.Find("name"));
    const std::string& dtype = V3Text(entry.Find("dtype"));
    const json::Value& decoded = *entry.Find("decoded");
    if (decoded.as_array() != nullptr) {
        vector.context.dtype = TakeV3(ParseTypestr("|O"));
        vector.context.dtype.object_kind = dtype == "text" ? ObjectKind::kText : ObjectKind::kBytes;
        for (const json::Value& item : *decoded.as_array())
            vector.decoded.push_back(dtype == "text" ? V3Text(&item)
                                                     : TakeV3(Base64Decode(V3Text(&item))));
    } else {
        vector.context.dtype = TakeV3(ParseTypestr(dtype));
        vector.decoded.push_back(InflateV3(TakeV3(Base64Decode(V3Text(&decoded)))));
    }
    vector.context.chunk_shape = TakeV3(json::UintsAtLeast(*entry.Find("shape"), 0, "shape"));
    for (const json::Value& codec : *entry.Find("codecs")->as_array())
        vector.codecs.push_back(
            TakeV3(ParseV3Codec(codec, "codecs[" + std::to_string(vector.codecs.size()) + "]")));
    vector.encoded = TakeV3(Base64Decode(V3Text(entry.Find("encoded"))));
    vector.reencoded = vector.encoded;
    if (const json::Value* reencoded = entry.Find("reencoded"))
        vector.reencoded = TakeV3(Base64Decode(V3Text(reencoded)));
    vector.is_exact = *entry.Find("exact")->as_bool();
    return vector;
}

const std::vector<V3Vector>& V3Vectors() {
    static const std::vector<V3Vector> vectors = [] {
        std::ifstream stream(test::ProjectFile("autotest/cpp/codec/v3_vectors.json"),
                             std::ios::binary);
        if (!stream) FailToReadV3("cannot be read");
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        const json::Value list = TakeV3(json::Parse(text));
        std::vector<V3Vector> read;
        for (const json::Value& entry : *list.as_array()) read.push_back(ReadV3Vector(entry));
        return read;
    }();
    return vectors;
}

// Decodes with input and output buffers of exactly the needed size, so that accesses beyond them
// are noticed.
Result<std::vector<std::string>> DecodeV3(const Pipeline& pipeline, const std::string& encoded) {
    GuardedMemory input;
    GuardedMemory output;
    PipelineScratch scratch;
    const ByteSpan bytes = input.Copy(ByteSpan(encoded));
    std::vector<std::string> decoded;
    if (!pipeline.decodes_objects()) {
        const MutableByteSpan chunk = output.Last(pipeline.chunk_bytes());
        ZARR_RETURN_IF_ERROR(pipeline.Decode(bytes, chunk, scratch));
        decoded.emplace_back(ByteSpan(chunk).text());
        return decoded;
    }
    ObjectChunk chunk;
    ZARR_RETURN_IF_ERROR(pipeline.DecodeObjects(bytes, chunk, scratch));
    for (std::size_t i = 0; i < chunk.count; ++i) {
        ObjectRef ref;
        std::memcpy(&ref, chunk.refs.data() + i * sizeof ref, sizeof ref);
        decoded.emplace_back(ref.data, ref.size);
    }
    return decoded;
}

Result<std::string> EncodeV3(const Pipeline& pipeline, const V3Vector& vector) {
    PipelineScratch scratch;
    if (!vector.is_objects()) {
        ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded,
                              pipeline.Encode(ByteSpan(vector.decoded[0]), scratch));
        return std::string(encoded.text());
    }
    std::vector<ObjectRef> refs;
    for (const std::string& item : vector.decoded) refs.push_back({item.data(), item.size()});
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded,
                          pipeline.EncodeObjects(refs.data(), refs.size(), scratch));
    return std::string(encoded.text());
}

class V3CodecsOfOthers : public testing::TestWithParam<V3Vector> {
  protected:
    void SetUp() override {
        auto pipeline = Pipeline::Bind(GetParam().codecs, GetParam().context);
        ASSERT_TRUE(Succeeds(pipeline));
        pipeline_.emplace(pipeline.Take());
    }

    std::optional<Pipeline> pipeline_;
};

TEST_P(V3CodecsOfOthers, DecodeWhatOthersEncode) {
    const auto decoded = DecodeV3(*pipeline_, GetParam().encoded);
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_EQ(*decoded, GetParam().decoded);
}

TEST_P(V3CodecsOfOthers, EncodeAsOthersDo) {
    const auto encoded = EncodeV3(*pipeline_, GetParam());
    ASSERT_TRUE(Succeeds(encoded));
    if (GetParam().is_exact) {
        EXPECT_EQ(*encoded, GetParam().reencoded);
    }
    EXPECT_LE(encoded->size(), pipeline_->encoded_size().max);
    if (pipeline_->encoded_size().exact) {
        EXPECT_EQ(encoded->size(), pipeline_->encoded_size().max);
    }
    const auto again = DecodeV3(*pipeline_, *encoded);
    ASSERT_TRUE(Succeeds(again));
    // Each encoding with zfp loses precision, so the decoded chunks differ.
    if (GetParam().name.find("zfpy") == std::string::npos) {
        EXPECT_EQ(*again, GetParam().decoded);
    }
}

TEST_P(V3CodecsOfOthers, RefuseEveryTruncation) {
    // zfp pads the last word of its stream with zeros, so its last 8 bytes may be missing.
    const bool is_zfp = GetParam().name.find("zfpy") != std::string::npos;
    const std::size_t needed = GetParam().encoded.size() - (is_zfp ? 8 : 0);
    for (std::size_t size = 0; size < needed; ++size) {
        const auto decoded = DecodeV3(*pipeline_, GetParam().encoded.substr(0, size));
        EXPECT_FALSE(decoded.ok()) << size << " of " << GetParam().encoded.size() << " bytes";
    }
}

TEST_P(V3CodecsOfOthers, SurviveEveryDamagedByte) {
    std::string damaged = GetParam().encoded;
    for (char& byte : damaged) {
        const char whole = byte;
        for (const char change : {'\x01', '\x80', '\xff'}) {
            byte = static_cast<char>(whole ^ change);
            const auto decoded = DecodeV3(*pipeline_, damaged);
            if (decoded.ok() && !GetParam().is_objects()) {
                EXPECT_EQ((*decoded)[0].size(), GetParam().decoded[0].size());
            }
        }
        byte = whole;
    }
}

// Codecs must be equal after they were written as JSON and parsed again.
TEST_P(V3CodecsOfOthers, AreWrittenAsTheyWereRead) {
    for (const CodecSpec& codec : GetParam().codecs) {
        const auto written = CodecToV3(codec, GetParam().context.dtype);
        ASSERT_TRUE(Succeeds(written));
        const auto read = ParseV3Codec(*written, codec.place);
        ASSERT_TRUE(Succeeds(read));
        EXPECT_EQ(read->name, codec.name);
        EXPECT_EQ(json::Dump(read->configuration), json::Dump(codec.configuration));
        EXPECT_TRUE(Succeeds(ClassOf(*read)));
    }
}

INSTANTIATE_TEST_SUITE_P(Vectors, V3CodecsOfOthers, testing::ValuesIn(V3Vectors()),
                         [](const auto& named) { return named.param.name; });

}  // namespace

}  // namespace zarr::test
