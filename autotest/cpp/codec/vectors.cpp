// SPDX-License-Identifier: MIT
#include "autotest/cpp/codec/vectors.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "autotest/cpp/support/project_file.h"
#include "core/base/text.h"

namespace zarr::test {

namespace {

const std::string& VectorsPath() {
    static const std::string path = ProjectFile("autotest/cpp/codec/vectors.json");
    return path;
}

[[noreturn]] void Fail(const std::string& what) {
    std::cerr << VectorsPath() << ": " << what << std::endl;
    std::abort();
}

const json::Value& Member(const json::Value& object, const char* key) {
    const json::Value* member = object.Find(key);
    if (member == nullptr) Fail(std::string("no ") + key + " in " + json::Brief(object));
    return *member;
}

const std::string& Text(const json::Value& value) {
    if (value.as_string() == nullptr) Fail("no string: " + json::Brief(value));
    return *value.as_string();
}

const json::Array& List(const json::Value& value) {
    if (value.as_array() == nullptr) Fail("no array: " + json::Brief(value));
    return *value.as_array();
}

std::string Base64(const json::Value& value) {
    Result<std::string> bytes = Base64Decode(Text(value));
    if (!bytes.ok()) Fail(bytes.status().message());
    return bytes.Take();
}

std::string Inflate(const std::string& deflated) {
    std::string bytes(std::size_t{1} << 20, '\0');
    auto size = static_cast<uLongf>(bytes.size());
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                   reinterpret_cast<const Bytef*>(deflated.data()),
                   static_cast<uLong>(deflated.size())) != Z_OK)
        Fail("cannot inflate");
    bytes.resize(size);
    return bytes;
}

std::uint64_t Number(const json::Value& value) {
    std::uint64_t number = 0;
    if (!value.GetUint64(number)) Fail("no number: " + json::Brief(value));
    return number;
}

bool IsTrue(const json::Value* value) {
    return value != nullptr && value->as_bool() != nullptr && *value->as_bool();
}

void ReadDecoded(const json::Value& entry, Vector& vector) {
    if (const json::Value* texts = entry.Find("decoded_strings")) {
        for (const json::Value& text : List(*texts)) vector.decoded.push_back(Text(text));
    } else if (const json::Value* bytes = entry.Find("decoded_bytes")) {
        for (const json::Value& text : List(*bytes)) vector.decoded.push_back(Base64(text));
    } else {
        vector.decoded.push_back(Inflate(Base64(Member(entry, "decoded"))));
    }
    vector.items =
        vector.is_objects() ? vector.decoded.size() : vector.decoded[0].size() / vector.dtype.size;
}

Vector ReadVector(const json::Value& entry, const std::string& trailing) {
    Vector vector;
    vector.name = Text(Member(entry, "name"));
    vector.config = Member(entry, "config");
    vector.id = Text(Member(vector.config, "id"));
    Result<DataType> dtype = ParseDataType(Member(entry, "dtype"));
    if (!dtype.ok()) Fail(vector.name + ": " + dtype.status().message());
    vector.dtype = dtype.Take();
    ReadDecoded(entry, vector);
    vector.encoded = Base64(Member(entry, "encoded"));
    vector.encoded_with_trailing = vector.encoded + trailing;
    vector.trailing_is_ignored = Text(Member(entry, "trailing")) == "same";
    const json::Value* needed = entry.Find("needed");
    vector.needed = needed != nullptr ? Number(*needed) : vector.encoded.size();
    vector.is_checked = IsTrue(entry.Find("checked"));
    const json::Value* reencoded = entry.Find("reencoded");
    vector.is_writable = reencoded == nullptr || !reencoded->is_null();
    if (vector.is_writable)
        vector.reencoded = reencoded != nullptr ? Base64(*reencoded) : vector.encoded;
    return vector;
}

Bomb ReadBomb(const json::Value& entry) {
    Bomb bomb;
    bomb.name = Text(Member(entry, "name"));
    bomb.config = Member(entry, "config");
    bomb.id = Text(Member(bomb.config, "id"));
    bomb.decoded_size = Number(Member(entry, "decoded_size"));
    bomb.encoded = Inflate(Base64(Member(entry, "encoded")));
    return bomb;
}

const json::Value& File() {
    static const json::Value file = [] {
        std::ifstream stream(VectorsPath(), std::ios::binary);
        if (!stream) Fail("cannot be read");
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        Result<json::Value> parsed = json::Parse(text);
        if (!parsed.ok()) Fail(parsed.status().message());
        return parsed.Take();
    }();
    return file;
}

}  // namespace

CodecContext Vector::Context(int more) const {
    CodecContext context;
    context.dtype = dtype;
    context.chunk_shape = {items + static_cast<std::uint64_t>(static_cast<std::int64_t>(more))};
    return context;
}

std::string Comparable(const Vector& vector, std::string_view encoded) {
    const bool is_deflate = vector.id == "zlib" || vector.id == "gzip" ||
                            vector.id == "imagecodecs_zlib" || vector.id == "imagecodecs_deflate";
    if (!is_deflate) return std::string(encoded);
    std::string decoded(vector.decoded[0].size() + 1, '\0');
    constexpr int kEitherWrapping = 32;
    z_stream stream = {};
    const bool is_raw = IsTrue(vector.config.Find("raw"));
    EXPECT_EQ(inflateInit2(&stream, is_raw ? -MAX_WBITS : MAX_WBITS + kEitherWrapping), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(encoded.data()));
    stream.avail_in = static_cast<uInt>(encoded.size());
    stream.next_out = reinterpret_cast<Bytef*>(decoded.data());
    stream.avail_out = static_cast<uInt>(decoded.size());
    // gzip test vectors may have several streams.
    while (inflate(&stream, Z_NO_FLUSH) == Z_STREAM_END && stream.avail_in != 0) {
        if (*stream.next_in == 0 || inflateReset(&stream) != Z_OK) break;
    }
    decoded.resize(decoded.size() - stream.avail_out);
    inflateEnd(&stream);
    return decoded;
}

const std::vector<Vector>& Vectors() {
    static const std::vector<Vector> vectors = [] {
        const std::string trailing = Base64(Member(File(), "trailing"));
        std::vector<Vector> read;
        for (const json::Value& entry : List(Member(File(), "vectors")))
            read.push_back(ReadVector(entry, trailing));
        return read;
    }();
    return vectors;
}

const std::vector<Bomb>& Bombs() {
    static const std::vector<Bomb> bombs = [] {
        std::vector<Bomb> read;
        for (const json::Value& entry : List(Member(File(), "bombs")))
            read.push_back(ReadBomb(entry));
        return read;
    }();
    return bombs;
}

void PrintTo(const Vector& vector, std::ostream* stream) { *stream << vector.name; }
void PrintTo(const Bomb& bomb, std::ostream* stream) { *stream << bomb.name; }

}  // namespace zarr::test
