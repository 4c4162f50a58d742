// SPDX-License-Identifier: MIT
#include "core/codec/registry.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/codec/factories.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// A configuration of Zarr v3 in the options of numcodecs.
using ConfigurationReader = Result<json::Value> (*)(const json::Value&);

// Zarr v3 names the kinds of shuffling (Zarr v3, "blosc codec"), numcodecs numbers them.
Result<json::Value> ReadV3Blosc(const json::Value& configuration) {
    static constexpr std::string_view kShuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
    json::Value options = configuration;
    ZARR_ASSIGN_OR_RETURN(const json::Value* shuffle, json::Require(configuration, "shuffle"));
    const auto* const name =
        std::find_if(std::begin(kShuffles), std::end(kShuffles), [&](std::string_view known) {
            return shuffle->as_string() != nullptr && *shuffle->as_string() == known;
        });
    if (name == std::end(kShuffles))
        return json::Expected("shuffle", R"("noshuffle", "shuffle" or "bitshuffle")", *shuffle);
    json::PutMember(*options.as_object(), "shuffle",
                    json::Value(std::int64_t{name - std::begin(kShuffles)}));
    return options;
}

struct Row {
    std::string_view id;       // numcodecs' and Zarr v2's
    std::string_view v3_name;  // also known there as "numcodecs." and the id
    bool is_compressor;
    CodecResult (*make)(const json::Value&, const CodecContext&);
    ObjectCodecResult (*make_objects)(const json::Value&, const CodecContext&);
    ConfigurationReader read_v3;  // nullptr where Zarr v3 has numcodecs' options
};

constexpr Row kCodecs[] = {
    {"blosc", "blosc", true, MakeBlosc, nullptr, ReadV3Blosc},
    {"zlib", "numcodecs.zlib", true, MakeZlib, nullptr, nullptr},
    {"gzip", "gzip", true, MakeGzip, nullptr, nullptr},
    {"bz2", "numcodecs.bz2", true, MakeBz2, nullptr, nullptr},
    {"lzma", "numcodecs.lzma", true, MakeLzma, nullptr, nullptr},
    {"zstd", "zstd", true, MakeZstd, nullptr, nullptr},
    {"lz4", "numcodecs.lz4", true, MakeLz4, nullptr, nullptr},
    {"zfpy", "numcodecs.zfpy", true, MakeZfpy, nullptr, nullptr},
    {"imagecodecs_tiff", "imagecodecs_tiff", true, MakeTiff, nullptr, nullptr},
    {"delta", "numcodecs.delta", false, MakeDelta, nullptr, nullptr},
    {"fixedscaleoffset", "numcodecs.fixedscaleoffset", false, MakeFixedScaleOffset, nullptr,
     nullptr},
    {"quantize", "numcodecs.quantize", false, MakeQuantize, nullptr, nullptr},
    {"bitround", "numcodecs.bitround", false, MakeBitRound, nullptr, nullptr},
    {"astype", "numcodecs.astype", false, MakeAsType, nullptr, nullptr},
    {"packbits", "numcodecs.packbits", false, MakePackBits, nullptr, nullptr},
    {"categorize", "numcodecs.categorize", false, MakeCategorize, MakeCategorizeObjects, nullptr},
    {"shuffle", "numcodecs.shuffle", false, MakeShuffle, nullptr, nullptr},
    {"base64", "numcodecs.base64", false, MakeBase64, nullptr, nullptr},
    {"crc32", "numcodecs.crc32", false, MakeCrc32, nullptr, nullptr},
    {"crc32c", "crc32c", false, MakeCrc32c, nullptr, nullptr},
    {"adler32", "numcodecs.adler32", false, MakeAdler32, nullptr, nullptr},
    {"fletcher32", "numcodecs.fletcher32", false, MakeFletcher32, nullptr, nullptr},
    {"json2", "numcodecs.json2", false, MakeJson2, MakeJson2Objects, nullptr},
    {"msgpack2", "numcodecs.msgpack2", false, MakeMessagePack2, MakeMessagePack2Objects, nullptr},
    {"vlen-utf8", "vlen-utf8", false, nullptr, MakeVlenUtf8, nullptr},
    {"vlen-bytes", "vlen-bytes", false, nullptr, MakeVlenBytes, nullptr},
};

constexpr std::string_view kNumcodecsPrefix = "numcodecs.";

bool IsNamed(const Row& row, const CodecSpec& spec) {
    if (spec.names == CodecNames::kNumcodecs) return row.id == spec.name;
    return row.v3_name == spec.name ||
           (spec.name.compare(0, kNumcodecsPrefix.size(), kNumcodecsPrefix) == 0 &&
            spec.name.substr(kNumcodecsPrefix.size()) == row.id);
}

const Row* FindRow(const CodecSpec& spec) {
    const auto* const row = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                         [&](const Row& r) { return IsNamed(r, spec); });
    return row != std::end(kCodecs) ? row : nullptr;
}

struct Refusal {
    std::string_view id;
    std::string_view why;
};

constexpr Refusal kRefused[] = {
    {"pickle", "reading it would run code from the store"},
    {"msgpack", "it is not supported"},
    {"json", "it is numcodecs' withdrawn first version; write with json2"},
    {"vlen-array", "ragged arrays have no counterpart in GDAL"},
    {"n5_wrapper", "N5 stores are not supported"},
    {"jenkins_lookup3", "it is not supported"},
    {"pcodec", "it is not supported"},
};

Result<const Row*> RequireRow(const CodecSpec& spec) {
    if (const Row* row = FindRow(spec)) return row;
    const auto* const refusal = std::find_if(std::begin(kRefused), std::end(kRefused),
                                             [&](const Refusal& r) { return r.id == spec.name; });
    if (refusal != std::end(kRefused))
        return Status::Unsupported("codec \"" + spec.name +
                                   "\" is refused: " + std::string(refusal->why));
    return Status::Unsupported("unknown codec " + Quoted(spec.name));
}

// The configuration in numcodecs' options.
Result<json::Value> Options(const CodecSpec& spec, const Row& row) {
    const bool is_as_v3 = spec.names == CodecNames::kV3 && spec.name == row.v3_name;
    if (is_as_v3 && row.read_v3 != nullptr) return row.read_v3(spec.configuration);
    return spec.configuration;
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const Row* row, RequireRow(spec));
    if (row->make == nullptr)
        return Status::Corrupt("codec \"" + spec.name +
                               "\" needs dtype |O and the first place in the filters");
    ZARR_ASSIGN_OR_RETURN(const json::Value options, Options(spec, *row).WithContext(spec.name));
    return row->make(options, context).WithContext(spec.name);
}

Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const CodecSpec& spec,
                                                     const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const Row* row, RequireRow(spec));
    if (row->make_objects == nullptr) return std::unique_ptr<ObjectCodec>();
    ZARR_ASSIGN_OR_RETURN(const json::Value options, Options(spec, *row).WithContext(spec.name));
    return row->make_objects(options, context).WithContext(spec.name);
}

bool IsCompressor(const CodecSpec& spec) {
    const Row* row = FindRow(spec);
    return row != nullptr && row->is_compressor;
}

std::vector<std::string_view> CodecIds() {
    std::vector<std::string_view> ids;
    for (const Row& row : kCodecs) ids.push_back(row.id);
    return ids;
}

}  // namespace zarr
