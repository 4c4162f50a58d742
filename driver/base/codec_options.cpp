// SPDX-License-Identifier: MIT
#include "driver/base/codec_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/codec/codec_not_built.h"
#include "core/codec/registry.h"
#include "core/json/value.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::CodecSpec;
using zarr::Result;
using zarr::Status;
using Names = std::vector<std::string>;

namespace {

// Compressors of GDAL's other drivers, mainly of GeoTIFF. rasterio and rioxarray pass such names on
// when they copy the options of a source dataset.
constexpr const char* kCompressorsOfOthers[] = {
    "LZW",          "PACKBITS",  "CCITTRLE", "CCITTFAX3", "CCITTFAX4",  "LERC",
    "LERC_DEFLATE", "LERC_ZSTD", "JPEG2000", "JXL",       "JXL_DNG_1_7"};

// Prefix of the ids of codecs whose chunks are image files. Values of options do not have it.
constexpr std::string_view kImagePrefix = "imagecodecs_";
// Image formats that COMPRESS can name, by GDAL's names. The driver provides their codecs.
struct ImageCompressor {
    const char* id;
    std::size_t most_bytes;  // of a sample
};
constexpr ImageCompressor kImageCompressors[] = {
    {"imagecodecs_jpeg", 1}, {"imagecodecs_png", 2}, {"imagecodecs_webp", 1}};

// A member of a codec's JSON configuration.
struct CodecField {
    // codec id in the registry; values of options have it in upper case, without kImagePrefix
    const char* codec;
    const char* member;            // name of the member; nullptr if the codec has no members
    const char* option = nullptr;  // option whose value the member gets
    // Value of the member without the option: "dtype" or "itemsize" of the array, else JSON. If it
    // is nullptr, the default of the option; an option without a default must then be given.
    const char* fallback = nullptr;
};

// clang-format off
constexpr CodecField kCodecFields[] = {
    {"blosc", "cname", "BLOSC_CNAME"}, {"blosc", "clevel", "BLOSC_CLEVEL"}, {"blosc", "shuffle", "BLOSC_SHUFFLE"}, {"blosc", "blocksize", "BLOSC_BLOCKSIZE"},
    {"zlib", "level", "ZLIB_LEVEL"},
    {"gzip", "level", "GZIP_LEVEL"},
    {"lzma", "format", nullptr, "1"}, {"lzma", "check", nullptr, "-1"}, {"lzma", "preset", "LZMA_PRESET"}, {"lzma", "filters", nullptr, "null"},
    {"zstd", "level", "ZSTD_LEVEL"},
    {"lz4", "acceleration", "LZ4_ACCELERATION"},
    {"bz2", "level", "BZ2_LEVEL"},
    {"imagecodecs_jpeg", "level", "JPEG_QUALITY"},
    {"imagecodecs_png", "level", "ZLEVEL"},
    {"imagecodecs_webp", "level", "WEBP_LEVEL"}, {"imagecodecs_webp", "lossless", "WEBP_LOSSLESS"},
    {"delta", "dtype", "DELTA_DTYPE", "dtype"}, {"delta", "astype", "DELTA_DTYPE", "dtype"},
    {"fixedscaleoffset", "scale", "FIXEDSCALEOFFSET_SCALE"}, {"fixedscaleoffset", "offset", "FIXEDSCALEOFFSET_OFFSET"}, {"fixedscaleoffset", "dtype", nullptr, "dtype"}, {"fixedscaleoffset", "astype", "FIXEDSCALEOFFSET_ASTYPE", "dtype"},
    {"quantize", "digits", "QUANTIZE_DIGITS"}, {"quantize", "dtype", nullptr, "dtype"}, {"quantize", "astype", "QUANTIZE_ASTYPE", "dtype"},
    {"bitround", "keepbits", "BITROUND_KEEPBITS"},
    {"shuffle", "elementsize", "SHUFFLE_ELEMENTSIZE", "itemsize"},
    {"packbits", nullptr},
    {"astype", "encode_dtype", "ASTYPE_DTYPE", "dtype"}, {"astype", "decode_dtype", nullptr, "dtype"},
    {"categorize", "dtype", nullptr, "dtype"}, {"categorize", "astype", "CATEGORIZE_ASTYPE"}, {"categorize", "labels", "CATEGORIZE_LABELS"},
};
// clang-format on

const ImageCompressor* FindImageCompressor(std::string_view id) {
    const auto* const found =
        std::find_if(std::begin(kImageCompressors), std::end(kImageCompressors),
                     [&](const ImageCompressor& image) { return id == image.id; });
    return found != std::end(kImageCompressors) ? found : nullptr;
}

bool IsCompressor(std::string_view id) {
    return FindImageCompressor(id) != nullptr || zarr::IsCompressor({std::string(id), {}, {}});
}

// Returns the value of an option that names the codec `id`.
std::string ValueOf(std::string_view id) {
    if (FindImageCompressor(id) != nullptr) id.remove_prefix(kImagePrefix.size());
    return CPLString(std::string(id)).toupper();
}

// True if creation options can name the codec `id`.
bool HasFields(std::string_view id) {
    return std::any_of(std::begin(kCodecFields), std::end(kCodecFields),
                       [&](const CodecField& field) { return id == field.codec; });
}

// Returns the ids of the codecs that creation options can name: the compressors if
// `are_compressors` is true, else the filters.
Names Ids(bool are_compressors) {
    Names ids;
    for (const std::string_view id : zarr::CodecIds())
        if (IsCompressor(id) == are_compressors && HasFields(id) && !zarr::IsLeftOut(id))
            ids.emplace_back(id);
    if (are_compressors)
        for (const ImageCompressor& image : kImageCompressors) ids.emplace_back(image.id);
    return ids;
}

// Returns the values of options for Ids().
Names Values(bool are_compressors) {
    Names values = Ids(are_compressors);
    for (std::string& value : values) value = ValueOf(value);
    return values;
}

// Functions that read the value of an option as that of a member of a codec's configuration.

Result<json::Value> ReadInteger(const GivenOption& given) {
    if (CPLGetValueType(given.text) == CPL_VALUE_INTEGER) {
        auto number = json::Parse(given.text[0] == '+' ? given.text + 1 : given.text);
        if (number.ok()) return number;
    }
    return given.Refuse("a whole number");
}

Result<json::Value> ReadReal(const GivenOption& given) {
    if (CPLGetValueType(given.text) == CPL_VALUE_REAL) return json::Value(CPLAtof(given.text));
    const auto number = ReadInteger(given);
    return number.ok() ? number : given.Refuse("a number");
}

Result<json::Value> ReadScale(const GivenOption& given) {
    ZARR_ASSIGN_OR_RETURN(json::Value number, ReadReal(given));
    double scale = 0;
    if (number.GetDouble(scale) && scale == 0) return given.Refuse("a number other than 0");
    return number;
}

Result<json::Value> ReadName(const GivenOption& given) { return json::Value(given.text); }

Result<json::Value> ReadFlag(const GivenOption& given) {
    return json::Value(CPLTestBool(given.text));
}

Result<json::Value> ReadIndex(const GivenOption& given) {
    ZARR_ASSIGN_OR_RETURN(const std::size_t index, given.Index());
    return json::Value(static_cast<std::int64_t>(index));
}

Result<json::Value> ReadDtype(const GivenOption& given) {
    const auto dtype = zarr::ParseTypestr(given.text);
    if (!dtype.ok()) return given.Refuse("a dtype such as <i2");
    return zarr::DataTypeToJson(*dtype);
}

Result<json::Value> ReadLabels(const GivenOption& given) {
    const CPLStringList items(CSLTokenizeString2(given.text, ",", CSLT_HONOURSTRINGS));
    json::Array array;
    for (int i = 0; i < items.size(); ++i) array.push_back(json::Value(items[i]));
    return json::Value(std::move(array));
}

template <auto Read>
Status Setting(CodecChoice& choice, const GivenOption& given) {
    ZARR_ASSIGN_OR_RETURN(choice.settings[given.option->names], Read(given));
    return {};
}

Status SetCompressor(CodecChoice& choice, const GivenOption& given) {
    // DEFLATE is GeoTIFF's name of zlib.
    std::string id =
        EQUAL(given.text, "DEFLATE") ? "zlib" : std::string(CPLString(given.text).tolower());
    if (FindImageCompressor(std::string(kImagePrefix) + id) != nullptr) id.insert(0, kImagePrefix);
    if (std::any_of(std::begin(kCompressorsOfOthers), std::end(kCompressorsOfOthers),
                    [&](const char* other) { return EQUAL(given.text, other); })) {
        choice.unknown_compressor = given.text;
        return {};
    }
    if (id != "none" && (!HasFields(id) || !IsCompressor(id)))
        return given.Refuse("NONE, " + JoinWords(Values(true), ", ", " or "));
    choice.compressor = id == "none" ? "" : id;
    return {};
}

Status SetFilters(CodecChoice& choice, const GivenOption& given) {
    Names& ids = choice.filters.emplace();
    if (EQUAL(given.text, "NONE")) return {};
    const CPLStringList names(CSLTokenizeString2(given.text, ",", 0));
    for (int i = 0; i < names.size(); ++i) {
        ids.push_back(CPLString(names[i]).tolower());
        if (!HasFields(ids.back()) || IsCompressor(ids.back()))
            return RefuseOption(
                "FILTER", "a list of " + JoinWords(Values(false), ", ", " and ") + ", or NONE",
                names[i]);
    }
    return {};
}

// clang-format off
constexpr OptionRow<CodecChoice> kCodecRows[] = {
    // The type is string, because GDAL rejects unknown values of a string-select. Programs pass on
    // the COMPRESS of a GeoTIFF, which may be unknown here.
    {{"COMPRESS", "string", "BLOSC", "Compressor. Those of GeoTIFF (`LZW`, `PACKBITS`, `CCITT...`, `LERC...`, `JPEG2000`, `JXL...`), which rasterio and rioxarray pass on with other options of a source, give a warning, and the default is used\n. Values: `NONE`, `BLOSC`, `ZLIB` (also called `DEFLATE`), `GZIP`, `LZMA`, `ZSTD`, `LZ4`, `BZ2`, and the image formats [`JPEG`, `WEBP` and `PNG`](#image-formats)"}, SetCompressor},
    {{"BLOSC_CNAME", "string-select", "lz4", "Compressor inside blosc\n: `blosclz`, `lz4`, `lz4hc`, `snappy`, `zlib`, `zstd`"}, Setting<ReadName>},
    {{"BLOSC_CLEVEL", "int min='0' max='9'", "5", "Level of blosc, 0 to 9"}, Setting<ReadInteger>},
    {{"BLOSC_SHUFFLE", "string-select", "BYTE", "What blosc shuffles: `NONE`, `BYTE`, `BIT`", "NONE|BYTE|BIT"}, Setting<ReadIndex>},
    {{"BLOSC_BLOCKSIZE", "int", "0", "Size of blosc's blocks in bytes. With 0 blosc chooses"}, Setting<ReadInteger>},
    {{"BLOSC_NUM_THREADS", "string", "", "Accepted and not used: chunks are compressed in parallel"}, Unused<CodecChoice>},
    {{"ZLIB_LEVEL", "int min='1' max='9'", "6", "Level of zlib, 1 to 9"}, Setting<ReadInteger>},
    {{"GZIP_LEVEL", "int min='1' max='9'", "6", "Level of gzip, 1 to 9"}, Setting<ReadInteger>},
    {{"BZ2_LEVEL", "int min='1' max='9'", "9", "Level of bz2, 1 to 9"}, Setting<ReadInteger>},
    {{"LZMA_PRESET", "int min='0' max='9'", "6", "Preset of lzma, 0 to 9. A higher preset is slower and compresses better"}, Setting<ReadInteger>},
    {{"LZMA_DELTA", "int", "0", "Distance in bytes of the delta filter of lzma. With 0 there is none"}, Setting<ReadInteger>},
    {{"ZSTD_LEVEL", "int min='1' max='22'", "9", "Level of zstd, 1 to 22"}, Setting<ReadInteger>},
    {{"ZSTD_CHECKSUM", "boolean", "NO", "Whether zstd adds a checksum to each chunk, which shows damage when the chunk is read. numcodecs before 0.13 does not open such an array"}, Setting<ReadFlag>},
    {{"JPEG_QUALITY", "int min='1' max='100'", "75", "Quality of `COMPRESS=JPEG`, 1 to 100"}, Setting<ReadInteger>},
    {{"WEBP_LEVEL", "int min='1' max='100'", "75", "Quality of `COMPRESS=WEBP`, 1 to 100. Without loss it is the effort"}, Setting<ReadInteger>},
    {{"WEBP_LOSSLESS", "boolean", "NO", "Whether `COMPRESS=WEBP` keeps all pixels"}, Setting<ReadFlag>},
    {{"QUALITY", "int min='1' max='100'", "75", "`JPEG_QUALITY` or `WEBP_LEVEL`, if these are not given, as in GDAL's COG driver. With 100 `COMPRESS=WEBP` keeps all pixels"}, Setting<ReadInteger>},
    {{"ZLEVEL", "int min='1' max='9'", "6", "Level of `COMPRESS=PNG`, 1 to 9; of `COMPRESS=ZLIB`, too, if `ZLIB_LEVEL` is not given"}, Setting<ReadInteger>},
    {{"LZ4_ACCELERATION", "int min='1'", "1", "Acceleration of lz4, from 1. More is faster and larger"}, Setting<ReadInteger>},
    {{"FILTER", "string", "NONE", "Filters that run before the compressor, with commas between: `DELTA`, `FIXEDSCALEOFFSET`, `QUANTIZE`, `BITROUND`, `SHUFFLE`, `PACKBITS`, `ASTYPE`, `CATEGORIZE`. Only `SHUFFLE` keeps [all values](#filters-that-change-values) of every data type"}, SetFilters},
    {{"DELTA_DTYPE", "string", "", "dtype of `FILTER=DELTA`. By default that of the array"}, Setting<ReadDtype>},
    {{"FIXEDSCALEOFFSET_SCALE", "float", "", "Scale of `FILTER=FIXEDSCALEOFFSET`, which stores (value - offset) * scale, rounded"}, Setting<ReadScale>},
    {{"FIXEDSCALEOFFSET_OFFSET", "float", "0", "Offset of `FILTER=FIXEDSCALEOFFSET`"}, Setting<ReadReal>},
    {{"FIXEDSCALEOFFSET_ASTYPE", "string", "", "dtype that `FILTER=FIXEDSCALEOFFSET` stores, such as `<i2`. By default that of the array"}, Setting<ReadDtype>},
    {{"QUANTIZE_DIGITS", "int", "", "Decimal digits that `FILTER=QUANTIZE` keeps after the point"}, Setting<ReadInteger>},
    {{"QUANTIZE_ASTYPE", "string", "", "dtype that `FILTER=QUANTIZE` stores. By default that of the array"}, Setting<ReadDtype>},
    {{"BITROUND_KEEPBITS", "int", "", "Bits of the mantissa that `FILTER=BITROUND` keeps"}, Setting<ReadInteger>},
    {{"SHUFFLE_ELEMENTSIZE", "int", "", "Bytes of an element for `FILTER=SHUFFLE`. By default those of the array"}, Setting<ReadInteger>},
    {{"ASTYPE_DTYPE", "string", "", "dtype that `FILTER=ASTYPE` stores"}, Setting<ReadDtype>},
    {{"CATEGORIZE_LABELS", "string", "", "Texts that `FILTER=CATEGORIZE` stores as numbers, with commas between"}, Setting<ReadLabels>},
    {{"CATEGORIZE_ASTYPE", "string", "|u1", "dtype of the numbers that `FILTER=CATEGORIZE` stores"}, Setting<ReadDtype>},
};
// clang-format on

// True if the option `name` belongs to a codec that is left out of this build, as LZMA_PRESET may.
bool IsOfLeftOut(const std::string& name) {
    const auto& codecs = zarr::LeftOutCodecs();
    return std::any_of(codecs.begin(), codecs.end(), [&](const zarr::LeftOutCodec& codec) {
        return STARTS_WITH_CI(name.c_str(), (std::string(codec.name) + "_").c_str());
    });
}

// Returns the value of a configuration member for an array of `type`.
Result<json::Value> ValueOf(const CodecField& field, const CodecChoice& choice,
                            const zarr::DataType& type) {
    const std::string option = field.option != nullptr ? field.option : "";
    const auto given = choice.settings.find(option);
    if (given != choice.settings.end()) return given->second;
    const std::string_view fallback = field.fallback != nullptr ? field.fallback : "";
    if (fallback == "dtype") return zarr::DataTypeToJson(type);
    if (fallback == "itemsize") return json::Value(static_cast<std::int64_t>(type.size));
    if (!fallback.empty()) return json::Parse(fallback);
    for (const auto& row : kCodecRows) {
        if (option != row.text.names || row.text.preset[0] == '\0') continue;
        CodecChoice preset;
        ZARR_RETURN_IF_ERROR(row.set(preset, {option, row.text.preset, &row.text}));
        return preset.settings[option];
    }
    return RefuseOption(field.option,
                        "a value, which FILTER=" + CPLString(field.codec).toupper() + " needs",
                        "nothing");
}

// Replaces the preset in the configuration of lzma by a chain of two filters of liblzma. Filter 3
// is delta with the distance `delta`; filter 33 is LZMA2 with the preset.
void AddLzmaDelta(json::Value distance, json::Object& members) {
    json::Value& preset = members[2].second;
    members[3].second = json::Value(json::Array{
        json::Value(
            json::Object{{"id", json::Value(std::int64_t{3})}, {"dist", std::move(distance)}}),
        json::Value(json::Object{{"id", json::Value(std::int64_t{33})}, {"preset", preset}})});
    preset = json::Value();
}

// Makes the codec `id` that the user has chosen.
Result<CodecSpec> MakeSpec(const CodecChoice& choice, const std::string& id,
                           const zarr::DataType& type) {
    // Since version 0.5.1, numcodecs cannot read arrays of byte strings with the filter
    // "categorize".
    if (id == "categorize" && type.kind == zarr::DataKind::kBytes)
        return RefuseOption("FILTER",
                            "no CATEGORIZE for dtype " + type.ToString() +
                                ", which numcodecs would not read (STRING_FORMAT=UNICODE)",
                            "CATEGORIZE");
    json::Object members;
    for (const CodecField& field : kCodecFields) {
        if (id != field.codec || field.member == nullptr) continue;
        ZARR_ASSIGN_OR_RETURN(json::Value value, ValueOf(field, choice, type));
        members.emplace_back(field.member, std::move(value));
    }
    const auto delta = choice.settings.find("LZMA_DELTA");
    std::int64_t distance = 0;
    if (id == "lzma" && delta != choice.settings.end() && delta->second.GetInt64(distance) &&
        distance != 0)
        AddLzmaDelta(delta->second, members);
    const auto checksum = choice.settings.find("ZSTD_CHECKSUM");
    if (id == "zstd" && checksum != choice.settings.end() && *checksum->second.as_bool())
        members.emplace_back("checksum", json::Value(true));
    return CodecSpec{id, json::Value(std::move(members)), "creation options"};
}

}  // namespace

std::string CompressorNames() { return CPLString(JoinWords(Values(true), ",", ",")).tolower(); }

std::string FilterIds() { return JoinWords(Ids(false), ",", ","); }

std::string CodecOptionList() {
    CPLString compressors("NONE|" + JoinWords(Values(true), "|", "|"));
    compressors.replaceAll("ZLIB", "ZLIB=DEFLATE");
    CPLString in_blosc(zarr::BloscCompressors());
    in_blosc.replaceAll(",", "|");
    std::string xml;
    for (const auto& row : kCodecRows) {
        OptionText text = row.text;
        if (EQUAL(text.names, "COMPRESS")) text.values = compressors.c_str();
        if (EQUAL(text.names, "BLOSC_CNAME")) text.values = in_blosc.c_str();
        if (!IsOfLeftOut(text.names)) xml += ToXml(text);
    }
    return xml;
}

Result<CodecChoice> CodecChoice::Parse(CSLConstList options) {
    CodecChoice choice;
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kCodecRows, choice));
    choice.ApplyCommonLevels();
    return choice;
}

void CodecChoice::ApplyCommonLevels() {
    if (const auto level = settings.find("ZLEVEL"); level != settings.end())
        settings.try_emplace("ZLIB_LEVEL", level->second);
    const auto quality = settings.find("QUALITY");
    if (quality == settings.end()) return;
    constexpr std::uint64_t kWithoutLoss = 100;
    std::uint64_t number = 0;
    if (quality->second.GetUint64(number) && number == kWithoutLoss)
        settings.try_emplace("WEBP_LOSSLESS", true);
    settings.try_emplace("JPEG_QUALITY", quality->second);
    settings.try_emplace("WEBP_LEVEL", quality->second);
}

std::string CodecChoice::ImageName() const {
    const bool is_image = compressor && FindImageCompressor(*compressor) != nullptr;
    return is_image ? ValueOf(*compressor) : std::string();
}

Status CodecChoice::CheckImage(const zarr::DataType& dtype) const {
    const std::string name = ImageName();
    if (name.empty()) return {};
    if (dtype.kind != zarr::DataKind::kUint ||
        dtype.size > FindImageCompressor(*compressor)->most_bytes)
        return RefuseOption("COMPRESS",
                            FindImageCompressor(*compressor)->most_bytes == 1
                                ? "data type Byte with " + name
                                : "data type Byte or UInt16 with " + name,
                            dtype.ToString().c_str());
    if (filters && !filters->empty())
        return RefuseOption("FILTER", "NONE, because COMPRESS=" + name + " is set",
                            CPLString(JoinWords(*filters, ",", ",")).toupper());
    return {};
}

std::string CodecChoice::UseDefault(const std::string& preset) {
    const std::string other = std::exchange(unknown_compressor, std::string());
    if (!compressor) compressor = preset;
    return other.empty() ? other
                         : UnknownToZarr("COMPRESS", other.c_str(), CPLString(preset).toupper());
}

Result<std::vector<CodecSpec>> MakeCodecSpecs(const CodecChoice& choice,
                                              const zarr::DataType& dtype) {
    std::vector<CodecSpec> codecs;
    const bool are_objects = dtype.kind == zarr::DataKind::kObject;
    Names ids = choice.filters.value_or(Names());
    if (are_objects && (ids.empty() || ids[0] != "categorize"))
        codecs.push_back({"vlen-utf8", json::Value(json::Object{}), "creation options"});
    ids.push_back(choice.compressor.value_or("blosc"));
    if (ids.back().empty()) ids.pop_back();
    for (const std::string& id : ids) {
        ZARR_ASSIGN_OR_RETURN(CodecSpec codec, MakeSpec(choice, id, dtype));
        codecs.push_back(std::move(codec));
    }
    return codecs;
}

}  // namespace zarr_driver
