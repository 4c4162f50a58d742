// SPDX-License-Identifier: MIT
#include "core/codec/registry.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/text.h"
#include "core/codec/codec_not_built.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// ConfigurationReader translates a Zarr v3 configuration to the options of a codec's factory
// function. ConfigurationWriter translates the options back to a Zarr v3 configuration.
using ConfigurationReader = Result<json::Value> (*)(const json::Value&, const CodecContext&);
using ConfigurationWriter = json::Value (*)(const json::Value&, const DataType&);

struct Row {
    std::string_view id;       // the codec's id in numcodecs and Zarr v2; empty if it has none
    std::string_view v3_name;  // the codec's name in Zarr v3; empty if it has none
    CodecClass v3_class;
    bool is_compressor;
    CodecResult (*make)(const json::Value&, const CodecContext&);
    ObjectCodecResult (*make_objects)(const json::Value&, const CodecContext&);
    ConfigurationReader read_v3;   // nullptr if `make` accepts the Zarr v3 configuration itself
    ConfigurationWriter write_v3;  // returns the Zarr v3 configuration for options of `make`
};

constexpr CodecClass kArray = CodecClass::kArrayToArray;
constexpr CodecClass kSerializer = CodecClass::kArrayToBytes;
constexpr CodecClass kBytes = CodecClass::kBytesToBytes;
constexpr ConfigurationReader kRead = ReadNumcodecsConfiguration;
constexpr ConfigurationWriter kWrite = NumcodecsConfiguration;

// All supported codecs, in the order in which GDAL lists them in the creation options.
constexpr Row kCodecs[] = {
    {"blosc", "blosc", kBytes, true, MakeBlosc, nullptr, ReadBloscConfiguration,
     BloscConfiguration},
    {"zlib", "numcodecs.zlib", kBytes, true, MakeZlib, nullptr, kRead, kWrite},
    {"gzip", "gzip", kBytes, true, MakeGzip, nullptr, ReadGzipConfiguration, GzipConfiguration},
    {"lzma", "numcodecs.lzma", kBytes, true, MakeLzma, nullptr, kRead, kWrite},
    {"zstd", "zstd", kBytes, true, MakeZstd, nullptr, ReadZstdConfiguration, ZstdConfiguration},
    {"lz4", "numcodecs.lz4", kBytes, true, MakeLz4, nullptr, kRead, kWrite},
    {"bz2", "numcodecs.bz2", kBytes, true, MakeBz2, nullptr, kRead, kWrite},
    {"zfpy", "numcodecs.zfpy", kSerializer, true, MakeZfpy, nullptr, kRead, kWrite},
    {"pcodec", "numcodecs.pcodec", kSerializer, true, MakePcodec, nullptr, kRead, kWrite},
    {"imagecodecs_tiff", "imagecodecs_tiff", kSerializer, true, MakeTiff, nullptr, kRead, kWrite},
    {"imagecodecs_lerc", "imagecodecs_lerc", kBytes, true, MakeLerc, nullptr, kRead, kWrite},
    {"imagecodecs_packbits", "imagecodecs_packbits", kBytes, true, MakeRunLengths, nullptr, kRead,
     kWrite},
    {"imagecodecs_lzw", "imagecodecs_lzw", kBytes, true, MakeLzw, nullptr, kRead, kWrite},
    {"imagecodecs_zstd", "imagecodecs_zstd", kBytes, true, MakeZstd, nullptr, kRead, kWrite},
    {"imagecodecs_zlib", "imagecodecs_zlib", kBytes, true, MakeZlib, nullptr, kRead, kWrite},
    {"imagecodecs_deflate", "imagecodecs_deflate", kBytes, true, MakeDeflate, nullptr, kRead,
     kWrite},
    {"delta", "numcodecs.delta", kArray, false, MakeDelta, nullptr, kRead, kWrite},
    {"fixedscaleoffset", "numcodecs.fixedscaleoffset", kArray, false, MakeFixedScaleOffset, nullptr,
     kRead, kWrite},
    {"quantize", "numcodecs.quantize", kArray, false, MakeQuantize, nullptr, kRead, kWrite},
    {"bitround", "numcodecs.bitround", kArray, false, MakeBitRound, nullptr, kRead, kWrite},
    {"shuffle", "numcodecs.shuffle", kBytes, false, MakeShuffle, nullptr, ReadShuffleConfiguration,
     ShuffleConfiguration},
    {"packbits", "numcodecs.packbits", kArray, false, MakePackBits, nullptr, kRead, kWrite},
    {"astype", "numcodecs.astype", kArray, false, MakeAsType, nullptr, kRead, kWrite},
    {"imagecodecs_delta", "imagecodecs_delta", kArray, false, MakeAxisDelta, nullptr, kRead,
     kWrite},
    {"imagecodecs_floatpred", "imagecodecs_floatpred", kArray, false, MakeFloatPredictor, nullptr,
     kRead, kWrite},
    {"categorize", "", kArray, false, MakeCategorize, MakeCategorizeObjects, nullptr, nullptr},
    {"base64", "numcodecs.base64", kBytes, false, MakeBase64, nullptr, kRead, kWrite},
    {"crc32", "numcodecs.crc32", kBytes, false, MakeCrc32, nullptr, kRead, kWrite},
    {"crc32c", "crc32c", kBytes, false, MakeCrc32c, nullptr, ReadEmptyConfiguration,
     EmptyConfiguration},
    {"adler32", "numcodecs.adler32", kBytes, false, MakeAdler32, nullptr, kRead, kWrite},
    {"fletcher32", "numcodecs.fletcher32", kBytes, false, MakeFletcher32, nullptr, kRead, kWrite},
    {"jenkins_lookup3", "numcodecs.jenkins_lookup3", kBytes, false, MakeJenkinsLookup3, nullptr,
     kRead, kWrite},
    {"json2", "", kSerializer, false, MakeJson2, MakeJson2Objects, nullptr, nullptr},
    {"msgpack2", "", kSerializer, false, MakeMessagePack2, MakeMessagePack2Objects, nullptr,
     nullptr},
    {"vlen-utf8", "vlen-utf8", kSerializer, false, nullptr, MakeVlenUtf8, ReadEmptyConfiguration,
     EmptyConfiguration},
    {"vlen-bytes", "vlen-bytes", kSerializer, false, nullptr, MakeVlenBytes, ReadEmptyConfiguration,
     EmptyConfiguration},
    {"", "bytes", kSerializer, false, MakeBytes, nullptr, nullptr, nullptr},
    {"", "transpose", kArray, false, MakeTranspose, nullptr, nullptr, nullptr},
    {"", "reshape", kArray, false, MakeReshape, nullptr, nullptr, nullptr},
    {"", "bitround", kArray, false, MakeV3BitRound, nullptr, nullptr, nullptr},
    {"", "scale_offset", kArray, false, MakeScaleOffset, nullptr, nullptr, nullptr},
    {"", "cast_value", kArray, false, MakeCastValue, nullptr, nullptr, nullptr},
    {"", "packbits", kSerializer, false, MakeV3PackBits, nullptr, nullptr, nullptr},
    {"", "zfp", kSerializer, false, MakeZfp, nullptr, nullptr, nullptr},
    {"", "HorizontalDeltaCodec", kArray, false, MakeHorizontalDelta, nullptr, nullptr, nullptr},
    {"", "ChunkyCodec", kSerializer, false, MakeChunky, nullptr, nullptr, nullptr},
    {"", "n5_default", kSerializer, false, MakeN5Default, nullptr, nullptr, nullptr},
    {"", "conditional", kBytes, false, MakeConditional, nullptr, nullptr, nullptr},
    {"", "zarrs.optional", kSerializer, false, MakeOptional, nullptr, nullptr, nullptr},
    {"", "optional", kSerializer, false, MakeOptional, nullptr, nullptr, nullptr},
    {"", "sharding_indexed", kSerializer, false, nullptr, nullptr, nullptr, nullptr},
};

// Returns the numcodecs id of a Zarr v3 codec named "numcodecs.<id>"; empty for other names.
std::string_view NumcodecsId(std::string_view v3_name) {
    const std::string_view id = WithoutNumcodecsPrefix(v3_name);
    return id.size() < v3_name.size() ? id : std::string_view();
}

bool IsNamed(const Row& row, const CodecSpec& spec) {
    if (spec.names == CodecNames::kNumcodecs) return !row.id.empty() && row.id == spec.name;
    return !row.v3_name.empty() &&
           (row.v3_name == spec.name || (!row.id.empty() && NumcodecsId(spec.name) == row.id));
}

const Row* FindRow(const CodecSpec& spec) {
    const auto* const row = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                         [&](const Row& r) { return IsNamed(r, spec); });
    return row != std::end(kCodecs) ? row : nullptr;
}

std::atomic<const std::vector<ProvidedCodec>*> provided_codecs = nullptr;

// Returns the codec of ProvideCodecs() that `spec` names; nullptr if there is none.
const ProvidedCodec* FindProvided(const CodecSpec& spec) {
    const std::vector<ProvidedCodec>* const codecs = provided_codecs.load();
    if (codecs == nullptr || FindRow(spec) != nullptr) return nullptr;
    const bool has_id = spec.names == CodecNames::kV3 && !NumcodecsId(spec.name).empty();
    const std::string_view name = has_id ? NumcodecsId(spec.name) : spec.name;
    const auto found = std::find_if(codecs->begin(), codecs->end(),
                                    [&](const ProvidedCodec& codec) { return codec.name == name; });
    return found != codecs->end() ? &*found : nullptr;
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
    {"zarrs.gdeflate", "it is not supported"},
    {"zarrs.vlen", "variable-length data are supported as vlen-utf8 and vlen-bytes have them"},
    {"zarrs.vlen_v2", "variable-length data are supported as vlen-utf8 and vlen-bytes have them"},
    // These codecs of numcodecs have no Zarr v3 name, so Zarr v3 metadata cannot state them.
    {"categorize", "Zarr v3 has no such codec"},
    {"json2", "Zarr v3 has no such codec; it has vlen-utf8"},
    {"msgpack2", "Zarr v3 has no such codec; it has vlen-utf8"},
};

// Codecs that the core does not support, in virtual stores that refer to files of other formats,
// such as GRIB. A program may provide some of them. Zarr v2 and v3 use one name for each.
constexpr Refusal kRefusedForeign[] = {
    {"grib", "it decodes messages of GRIB files"},
    {"gribberish", "it decodes messages of GRIB files"},
    {"FITSAscii", "it decodes tables of FITS files"},
    {"FITSVarBintable", "it decodes tables of FITS files"},
    {"imagecodecs_jpeg", "it decodes JPEG images"},
    {"imagecodecs_jpeg2k", "it decodes JPEG 2000 images"},
    {"imagecodecs_jpegls", "it decodes JPEG-LS images"},
    {"imagecodecs_jpegxl", "it decodes JPEG XL images"},
    {"imagecodecs_jpegxr", "it decodes JPEG XR images"},
    {"imagecodecs_png", "it decodes PNG images"},
    {"imagecodecs_webp", "it decodes WebP images"},
    {"imagecodecs_packints", "it decodes numbers of less than a byte in TIFF"},
    {"imagecodecs_ccittfax3", "it decodes the fax compression of TIFF"},
    {"imagecodecs_ccittfax4", "it decodes the fax compression of TIFF"},
    {"imagecodecs_ccittrle", "it decodes the fax compression of TIFF"},
};

// Returns the reason why a codec is refused; empty if the codec is unknown.
std::string_view RefusalReason(const CodecSpec& spec) {
    const bool has_id = spec.names == CodecNames::kV3 && !NumcodecsId(spec.name).empty();
    const std::string_view name = has_id ? NumcodecsId(spec.name) : spec.name;
    for (const Refusal& refusal : kRefusedForeign)
        if (refusal.id == name) return refusal.why;
    // kRefused lists ids of numcodecs, and names that begin with "zarrs.". A Zarr v3 name without
    // the prefix "numcodecs." or "zarrs." belongs to a different codec.
    if (spec.names == CodecNames::kV3 && !has_id && spec.name.compare(0, 6, "zarrs.") != 0)
        return {};
    for (const Refusal& refusal : kRefused)
        if (refusal.id == name) return refusal.why;
    return {};
}

Result<const Row*> RequireRow(const CodecSpec& spec) {
    if (const Row* row = FindRow(spec)) return row;
    const std::string_view why = RefusalReason(spec);
    if (!why.empty())
        return Status::Unsupported("codec \"" + spec.name + "\" is refused: " + std::string(why));
    return Status::Unsupported("unknown codec " + Quoted(spec.name));
}

// Returns the options of `spec` in the form that the codec's factory function takes.
Result<json::Value> Options(const CodecSpec& spec, const Row& row, const CodecContext& context) {
    if (spec.names == CodecNames::kNumcodecs) return spec.configuration;
    if (spec.configuration.as_object() == nullptr)
        return json::Expected("configuration", "an object", spec.configuration);
    if (spec.name != row.v3_name) return ReadNumcodecsConfiguration(spec.configuration, context);
    if (row.read_v3 == nullptr) return spec.configuration;
    return row.read_v3(spec.configuration, context);
}

CodecResult MakeProvided(const ProvidedCodec& codec, const CodecSpec& spec,
                         const CodecContext& context) {
    if (spec.names == CodecNames::kNumcodecs)
        return codec.make(codec.name, spec.configuration, context);
    if (spec.configuration.as_object() == nullptr)
        return json::Expected("configuration", "an object", spec.configuration);
    ZARR_ASSIGN_OR_RETURN(const json::Value options,
                          ReadNumcodecsConfiguration(spec.configuration, context));
    return codec.make(codec.name, options, context);
}

// Returns the JSON object of a Zarr v3 codec. An empty "configuration" is written only for
// "numcodecs." codecs, because zarr-python requires it there.
json::Value ExtensionObject(std::string name, json::Value configuration) {
    const bool is_needed = !configuration.as_object()->empty() || !NumcodecsId(name).empty();
    json::Object members{{"name", json::Value(std::move(name))}};
    if (is_needed) members.emplace_back("configuration", std::move(configuration));
    return json::Value(std::move(members));
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, const CodecContext& context) {
    if (const ProvidedCodec* const provided = FindProvided(spec))
        return MakeProvided(*provided, spec, context).WithContext(spec.name);
    ZARR_ASSIGN_OR_RETURN(const Row* row, RequireRow(spec));
    ZARR_RETURN_IF_ERROR(CheckBuilt(spec.name));
    if (row->make == nullptr && row->make_objects == nullptr)
        return Status::Unsupported("codec \"" + spec.name +
                                   "\" is supported only directly after transpose");
    if (row->make == nullptr && spec.names == CodecNames::kV3)
        return Status::Corrupt("codec \"" + spec.name + "\" needs variable-length data");
    if (row->make == nullptr)
        return Status::Corrupt("codec \"" + spec.name +
                               "\" must be the first filter of an array of dtype |O");
    ZARR_ASSIGN_OR_RETURN(const json::Value options,
                          Options(spec, *row, context).WithContext(spec.name));
    return row->make(options, context).WithContext(spec.name);
}

Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const CodecSpec& spec,
                                                     const CodecContext& context) {
    if (FindProvided(spec) != nullptr) return std::unique_ptr<ObjectCodec>();
    ZARR_ASSIGN_OR_RETURN(const Row* row, RequireRow(spec));
    if (row->make_objects == nullptr) return std::unique_ptr<ObjectCodec>();
    ZARR_ASSIGN_OR_RETURN(const json::Value options,
                          Options(spec, *row, context).WithContext(spec.name));
    return row->make_objects(options, context).WithContext(spec.name);
}

bool IsCompressor(const CodecSpec& spec) {
    if (const ProvidedCodec* const provided = FindProvided(spec))
        return provided->v3_class == kBytes;
    const Row* row = FindRow(spec);
    return row != nullptr && row->is_compressor;
}

Result<CodecClass> ClassOf(const CodecSpec& spec) {
    if (const ProvidedCodec* const provided = FindProvided(spec)) return provided->v3_class;
    ZARR_ASSIGN_OR_RETURN(const Row* row, RequireRow(spec));
    return row->v3_class;
}

Status CheckV3Order(const std::vector<CodecSpec>& chain, const std::string& place) {
    std::vector<CodecClass> classes;
    for (const CodecSpec& codec : chain) {
        ZARR_ASSIGN_OR_RETURN(const CodecClass kind, ClassOf(codec).WithContext(codec.place));
        classes.push_back(kind);
    }
    const auto found = std::find(classes.begin(), classes.end(), kSerializer);
    const auto to_bytes = static_cast<std::size_t>(found - classes.begin());
    if (to_bytes == classes.size())
        return Status::Corrupt(place + ": an array-to-bytes codec such as \"bytes\" is missing");
    for (std::size_t i = 0; i < chain.size(); ++i) {
        const CodecClass wanted = i < to_bytes ? kArray : i == to_bytes ? kSerializer : kBytes;
        if (classes[i] != wanted)
            return Status::Corrupt(chain[i].place + ": codec \"" + chain[i].name +
                                   (i < to_bytes ? "\" must be after array-to-bytes codec \""
                                                 : "\" must be before array-to-bytes codec \"") +
                                   chain[to_bytes].name + "\"");
    }
    return {};
}

Result<json::Value> CodecToV3(const CodecSpec& spec, const DataType& dtype) {
    if (spec.configuration.as_object() == nullptr)
        return json::Expected("configuration", "an object", spec.configuration)
            .WithContext(spec.name);
    if (spec.names == CodecNames::kV3) return ExtensionObject(spec.name, spec.configuration);
    if (const ProvidedCodec* const provided = FindProvided(spec))
        return ExtensionObject(std::string(provided->name),
                               NumcodecsConfiguration(spec.configuration, dtype));
    ZARR_ASSIGN_OR_RETURN(const Row* row, RequireRow(spec));
    if (row->v3_name.empty())
        return Status::Unsupported("codec \"" + spec.name + "\": Zarr v3 has no such codec");
    // Without "numcodecs.", the Zarr v3 codec always puts the checksum at the end. A checksum at
    // another location thus needs the "numcodecs." codec.
    const json::Value* const location = spec.configuration.Find("location");
    if (row->write_v3 == EmptyConfiguration && location != nullptr &&
        (location->as_string() == nullptr || *location->as_string() != "end"))
        return ExtensionObject(std::string(kNumcodecsPrefix) + spec.name, spec.configuration);
    return ExtensionObject(std::string(row->v3_name), row->write_v3(spec.configuration, dtype));
}

void ProvideCodecs(const std::vector<ProvidedCodec>& codecs) { provided_codecs.store(&codecs); }

std::vector<std::string_view> CodecIds() {
    std::vector<std::string_view> ids;
    for (const Row& row : kCodecs)
        if (!row.id.empty()) ids.push_back(row.id);
    return ids;
}

}  // namespace zarr
