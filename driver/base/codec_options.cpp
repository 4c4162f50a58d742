// SPDX-License-Identifier: MIT
#include "driver/base/codec_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/codec/left_out.h"
#include "core/codec/registry.h"
#include "core/json/value.h"
#include "driver/base/option_values.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::CodecSpec;
using zarr::Result;
using zarr::Status;
using Names = std::vector<std::string>;

namespace {

constexpr const char* kDefaultCompressor = "BLOSC";
// Compressors of GDAL's other drivers, mainly of GeoTIFF. rasterio and rioxarray pass such names on
// when they copy the options of a source dataset.
constexpr const char* kCompressorsOfOthers[] = {
    "LZW",  "JPEG",         "PACKBITS",  "CCITTRLE", "CCITTFAX3", "CCITTFAX4",  "LERC",
    "WEBP", "LERC_DEFLATE", "LERC_ZSTD", "JPEG2000", "JXL",       "JXL_DNG_1_7"};
// Values of the option BLOSC_SHUFFLE. The index in this array is the number in the codec's
// configuration.
constexpr const char* kShuffles[] = {"NONE", "BYTE", "BIT"};

template <std::size_t Size>
std::size_t IndexOf(const char* const (&names)[Size], const char* name) {
    const auto* const found = std::find_if(std::begin(names), std::end(names),
                                           [&](const char* other) { return EQUAL(name, other); });
    return static_cast<std::size_t>(found - std::begin(names));
}

enum class Kind : std::uint8_t { kInteger, kReal, kText, kShuffle, kTypestr, kTexts, kJson };

// A member of a codec's JSON configuration, and the creation option that sets the member.
struct CodecField {
    const char* codec;   // codec id in the registry; values of options have it in upper case
    const char* member;  // name of the member; nullptr if the codec has no members
    Kind kind = Kind::kJson;
    const char* option = nullptr;
    // Value of the member if the option is not given. If nullptr, a member of kind kTypestr gets
    // the array's dtype, and any other member requires the option.
    const char* fallback = nullptr;
};

// clang-format off
constexpr CodecField kCodecFields[] = {
    {"blosc", "cname", Kind::kText, "BLOSC_CNAME", "lz4"},
    {"blosc", "clevel", Kind::kInteger, "BLOSC_CLEVEL", "5"},
    {"blosc", "shuffle", Kind::kShuffle, "BLOSC_SHUFFLE", "BYTE"},
    {"blosc", "blocksize", Kind::kInteger, "BLOSC_BLOCKSIZE", "0"},
    {"zlib", "level", Kind::kInteger, "ZLIB_LEVEL", "6"},
    {"gzip", "level", Kind::kInteger, "GZIP_LEVEL", "6"},
    {"lzma", "format", Kind::kJson, nullptr, "1"},
    {"lzma", "check", Kind::kJson, nullptr, "-1"},
    {"lzma", "preset", Kind::kInteger, "LZMA_PRESET", "6"},
    {"lzma", "filters", Kind::kJson, nullptr, "null"},
    {"zstd", "level", Kind::kInteger, "ZSTD_LEVEL", "9"},
    {"lz4", "acceleration", Kind::kInteger, "LZ4_ACCELERATION", "1"},
    {"bz2", "level", Kind::kInteger, "BZ2_LEVEL", "9"},
    {"delta", "dtype", Kind::kTypestr, "DELTA_DTYPE"},
    // DELTA_DTYPE sets the members dtype and astype.
    {"delta", "astype", Kind::kTypestr, "DELTA_DTYPE"},
    {"fixedscaleoffset", "scale", Kind::kReal, "FIXEDSCALEOFFSET_SCALE"},
    {"fixedscaleoffset", "offset", Kind::kReal, "FIXEDSCALEOFFSET_OFFSET", "0"},
    {"fixedscaleoffset", "dtype", Kind::kTypestr},
    {"fixedscaleoffset", "astype", Kind::kTypestr, "FIXEDSCALEOFFSET_ASTYPE"},
    {"quantize", "digits", Kind::kInteger, "QUANTIZE_DIGITS"},
    {"quantize", "dtype", Kind::kTypestr},
    {"quantize", "astype", Kind::kTypestr, "QUANTIZE_ASTYPE"},
    {"bitround", "keepbits", Kind::kInteger, "BITROUND_KEEPBITS"},
    {"shuffle", "elementsize", Kind::kInteger, "SHUFFLE_ELEMENTSIZE"},
    {"packbits", nullptr},
    {"astype", "encode_dtype", Kind::kTypestr, "ASTYPE_DTYPE"},
    {"astype", "decode_dtype", Kind::kTypestr},
    {"categorize", "dtype", Kind::kTypestr},
    {"categorize", "astype", Kind::kTypestr, "CATEGORIZE_ASTYPE", "|u1"},
    {"categorize", "labels", Kind::kTexts, "CATEGORIZE_LABELS"},
};
// clang-format on

Result<json::Value> ReadNumber(const char* option, const char* text, bool is_whole) {
    const char* const expected = is_whole ? "a whole number" : "a number";
    const CPLValueType type = text != nullptr ? CPLGetValueType(text) : CPL_VALUE_STRING;
    if (type == CPL_VALUE_REAL && !is_whole) return json::Value(CPLAtof(text));
    if (type == CPL_VALUE_INTEGER) {
        auto number = json::Parse(text[0] == '+' ? text + 1 : text);
        if (number.ok()) return number;
    }
    return RefuseOption(option, expected, text != nullptr ? text : "nothing");
}

// Returns the value of a configuration member for an array of `type`, from the option or its
// default.
Result<json::Value> ReadField(const CodecField& field, CSLConstList options,
                              const zarr::DataType& type) {
    const char* text = field.fallback;
    if (field.option != nullptr) text = CSLFetchNameValueDef(options, field.option, text);
    switch (field.kind) {
        case Kind::kInteger:
        case Kind::kReal:
            return ReadNumber(field.option, text, field.kind == Kind::kInteger);
        case Kind::kText:
            return json::Value(text);
        case Kind::kShuffle: {
            const std::size_t number = IndexOf(kShuffles, text);
            if (number < std::size(kShuffles))
                return json::Value(static_cast<std::int64_t>(number));
            return RefuseOption(field.option, "NONE, BYTE or BIT", text);
        }
        case Kind::kTypestr: {
            if (text == nullptr) return zarr::DataTypeToJson(type);
            const auto dtype = zarr::ParseTypestr(text);
            if (dtype.ok()) return zarr::DataTypeToJson(*dtype);
            return RefuseOption(field.option, "a dtype such as <i2", text);
        }
        case Kind::kTexts: {
            if (text == nullptr)
                return RefuseOption(field.option, "texts with commas between", "nothing");
            const CPLStringList items(CSLTokenizeString2(text, ",", CSLT_HONOURSTRINGS));
            json::Array array;
            for (int i = 0; i < items.size(); ++i) array.push_back(json::Value(items[i]));
            return json::Value(std::move(array));
        }
        case Kind::kJson:
            break;
    }
    return json::Parse(text);
}

// Replaces the preset in the configuration of lzma by a chain of two filters of liblzma. Filter 3
// is delta with the distance `delta`; filter 33 is LZMA2 with the preset.
Status AddLzmaDelta(const char* delta, json::Object& members) {
    ZARR_ASSIGN_OR_RETURN(json::Value distance, ReadNumber("LZMA_DELTA", delta, true));
    json::Value& preset = members[2].second;
    members[3].second = json::Value(json::Array{
        json::Value(
            json::Object{{"id", json::Value(std::int64_t{3})}, {"dist", std::move(distance)}}),
        json::Value(json::Object{{"id", json::Value(std::int64_t{33})}, {"preset", preset}})});
    preset = json::Value();
    return {};
}

bool IsCompressor(std::string_view id) { return zarr::IsCompressor({std::string(id), {}, {}}); }

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
    return ids;
}

Names UpperCase(Names ids) {
    for (std::string& id : ids) id = CPLString(id).toupper();
    return ids;
}

std::string Joined(const Names& names, const char* separator, const char* last_separator) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? separator : last_separator) + names[i];
    return text;
}

// Returns a <Value> element of an option list for each of `values`.
std::string ValueElements(const Names& values) {
    std::string text;
    for (const std::string& value : values)
        text += (value == "ZLIB" ? "<Value alias='DEFLATE'>" : "<Value>") + value + "</Value>";
    return text;
}

// Makes the codec that the user has chosen by `name`: a value of COMPRESS if `is_compressor` is
// true, else a name in FILTER.
Result<CodecSpec> MakeSpec(CSLConstList options, const char* name, const zarr::DataType& type,
                           bool is_compressor) {
    const std::string id = CPLString(name).tolower();
    if (!HasFields(id) || IsCompressor(id) != is_compressor) {
        const Names values = UpperCase(Ids(is_compressor));
        if (is_compressor)
            return RefuseOption("COMPRESS", "NONE, " + Joined(values, ", ", " or "), name);
        return RefuseOption("FILTER", "a list of " + Joined(values, ", ", " and ") + ", or NONE",
                            name);
    }
    if (id == "fixedscaleoffset" &&
        CPLAtof(CSLFetchNameValueDef(options, "FIXEDSCALEOFFSET_SCALE", "1")) == 0)
        return RefuseOption("FIXEDSCALEOFFSET_SCALE", "a number other than 0", "0");
    // Since version 0.5.1, numcodecs cannot read arrays of byte strings with the filter
    // "categorize".
    if (id == "categorize" && type.kind == zarr::DataKind::kBytes)
        return RefuseOption("FILTER",
                            "no CATEGORIZE for dtype " + type.ToString() +
                                ", which numcodecs would not read (STRING_FORMAT=UNICODE)",
                            name);
    json::Object members;
    for (CodecField field : kCodecFields) {
        if (id != field.codec || field.member == nullptr) continue;
        const std::string item_size = std::to_string(type.size);
        if (id == "shuffle") field.fallback = item_size.c_str();
        ZARR_ASSIGN_OR_RETURN(json::Value value, ReadField(field, options, type));
        members.emplace_back(field.member, std::move(value));
    }
    const char* const delta = CSLFetchNameValueDef(options, "LZMA_DELTA", "0");
    if (id == "lzma" && !EQUAL(delta, "0")) ZARR_RETURN_IF_ERROR(AddLzmaDelta(delta, members));
    if (id == "zstd" && CPLFetchBool(options, "ZSTD_CHECKSUM", false))
        members.emplace_back("checksum", json::Value(true));
    return CodecSpec{id, json::Value(std::move(members)), "creation options"};
}

// clang-format off
const char* const kCodecOptions =
    "  <Option name='BLOSC_CLEVEL' type='int' min='0' max='9' description='Level of COMPRESS=BLOSC' default='5'/>"
    "  <Option name='BLOSC_SHUFFLE' type='string-select' description='Shuffle of COMPRESS=BLOSC: none, or by bytes or bits of the elements' default='BYTE'>"
    "    <Value>NONE</Value><Value>BYTE</Value><Value>BIT</Value>"
    "  </Option>"
    "  <Option name='BLOSC_BLOCKSIZE' type='int' description='Size in bytes of the blocks of COMPRESS=BLOSC. With 0 blosc chooses' default='0'/>"
    "  <Option name='BLOSC_NUM_THREADS' type='string' description='Accepted and not used: chunks are compressed in parallel'/>"
    "  <Option name='ZLIB_LEVEL' type='int' min='1' max='9' description='Level of COMPRESS=ZLIB' default='6'/>"
    "  <Option name='GZIP_LEVEL' type='int' min='1' max='9' description='Level of COMPRESS=GZIP' default='6'/>"
    "  <Option name='BZ2_LEVEL' type='int' min='1' max='9' description='Level of COMPRESS=BZ2' default='9'/>"
    "  <Option name='LZMA_PRESET' type='int' min='0' max='9' description='Preset of COMPRESS=LZMA. A higher preset is slower and compresses better' default='6'/>"
    "  <Option name='LZMA_DELTA' type='int' description='Distance in bytes of the delta filter of COMPRESS=LZMA. With 0 there is no delta filter' default='0'/>"
    "  <Option name='ZSTD_LEVEL' type='int' min='1' max='22' description='Level of COMPRESS=ZSTD' default='9'/>"
    "  <Option name='ZSTD_CHECKSUM' type='boolean' description='Whether COMPRESS=ZSTD adds a checksum to each chunk. numcodecs before 0.13 cannot open such an array' default='NO'/>"
    "  <Option name='LZ4_ACCELERATION' type='int' min='1' description='Acceleration of COMPRESS=LZ4. A higher number is faster and compresses less' default='1'/>";
const char* const kFilterOptions =
    "  <Option name='DELTA_DTYPE' type='string' description='dtype of FILTER=DELTA. By default the dtype of the array'/>"
    "  <Option name='FIXEDSCALEOFFSET_SCALE' type='float' description='Scale of FILTER=FIXEDSCALEOFFSET, which stores (value - offset) * scale, rounded'/>"
    "  <Option name='FIXEDSCALEOFFSET_OFFSET' type='float' description='Offset of FILTER=FIXEDSCALEOFFSET, see FIXEDSCALEOFFSET_SCALE' default='0'/>"
    "  <Option name='FIXEDSCALEOFFSET_ASTYPE' type='string' description='dtype that FILTER=FIXEDSCALEOFFSET stores, such as &lt;i2. By default the dtype of the array'/>"
    "  <Option name='QUANTIZE_DIGITS' type='int' description='Decimal digits that FILTER=QUANTIZE keeps after the point'/>"
    "  <Option name='QUANTIZE_ASTYPE' type='string' description='dtype that FILTER=QUANTIZE stores. By default the dtype of the array'/>"
    "  <Option name='BITROUND_KEEPBITS' type='int' description='Bits of the mantissa that FILTER=BITROUND keeps'/>"
    "  <Option name='SHUFFLE_ELEMENTSIZE' type='int' description='Size in bytes of an element for FILTER=SHUFFLE. By default the size of an element of the array'/>"
    "  <Option name='ASTYPE_DTYPE' type='string' description='dtype that FILTER=ASTYPE stores'/>"
    "  <Option name='CATEGORIZE_LABELS' type='string' description='Texts that FILTER=CATEGORIZE stores as numbers, with commas between'/>"
    "  <Option name='CATEGORIZE_ASTYPE' type='string' description='dtype of the numbers that FILTER=CATEGORIZE stores' default='|u1'/>";
// clang-format on

}  // namespace

namespace {

// Removes options that belong to codecs left out of this build, for example LZMA_PRESET.
std::string WithoutLeftOut(std::string options) {
    for (const zarr::LeftOutCodec& codec : zarr::LeftOutCodecs()) {
        const std::string name = CPLString(std::string(codec.name)).toupper();
        const std::string option = "  <Option name='" + name + "_";
        for (std::size_t at = 0; (at = options.find(option)) != std::string::npos;)
            options.erase(at, options.find("/>", at) + 2 - at);
    }
    return options;
}

}  // namespace

bool IsCompressorOfOthers(const char* compressor) {
    return IndexOf(kCompressorsOfOthers, compressor) < std::size(kCompressorsOfOthers);
}

std::string CompressorIds() { return Joined(Ids(true), ",", ","); }

std::string FilterIds() { return Joined(Ids(false), ",", ","); }

std::string CodecOptions() {
    const CPLStringList in_blosc(CSLTokenizeString2(zarr::BloscCompressors(), ",", 0));
    const Names compressors = UpperCase(Ids(true));
    CPLString listed(Joined(compressors, ", ", ", "));
    listed.replaceAll("ZLIB", "ZLIB (or DEFLATE)");
    // The type of the option is string, because GDAL rejects unknown values of a string-select.
    // Programs pass on the COMPRESS of a GeoTIFF, which may be unknown here.
    return "  <Option name='COMPRESS' type='string' description='Compressor: NONE, " + listed +
           ". A compressor that only GeoTIFF has, such as LZW, gives a warning, and the default is "
           "used' default='BLOSC'>"
           "    <Value>NONE</Value>" +
           ValueElements(compressors) +
           "  </Option>"
           "  <Option name='BLOSC_CNAME' type='string-select' description='Compressor inside of "
           "COMPRESS=BLOSC' default='lz4'>    " +
           ValueElements(Names(in_blosc.List(), in_blosc.List() + in_blosc.size())) +
           "  </Option>" + WithoutLeftOut(kCodecOptions) +
           "  <Option name='FILTER' type='string' description='Filters that run before the "
           "compressor, "
           "with commas between: NONE, " +
           Joined(UpperCase(Ids(false)), ", ", ", ") + "' default='NONE'/>" + kFilterOptions;
}

Result<std::vector<CodecSpec>> MakeCodecSpecs(CSLConstList options, const zarr::DataType& dtype,
                                              std::vector<std::string>& warnings) {
    const char* const list = CSLFetchNameValueDef(options, "FILTER", "NONE");
    const CPLStringList names(CSLTokenizeString2(EQUAL(list, "NONE") ? "" : list, ",", 0));
    const char* compressor = CSLFetchNameValueDef(options, "COMPRESS", kDefaultCompressor);
    if (IsCompressorOfOthers(compressor)) {
        warnings.push_back(UnknownToZarr("COMPRESS", compressor, kDefaultCompressor));
        compressor = kDefaultCompressor;
    }
    if (EQUAL(compressor, "DEFLATE")) compressor = "ZLIB";  // DEFLATE is GeoTIFF's name of zlib
    std::vector<CodecSpec> codecs;
    std::optional<CodecSpec> last;
    if (!EQUAL(compressor, "NONE")) {
        ZARR_ASSIGN_OR_RETURN(last, MakeSpec(options, compressor, dtype, true));
    }
    const bool are_objects = dtype.kind == zarr::DataKind::kObject;
    if (are_objects && (names.empty() || !EQUAL(names[0], "CATEGORIZE")))
        codecs.push_back({"vlen-utf8", json::Value(json::Object{}), "creation options"});
    for (int i = 0; i < names.size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(CodecSpec filter, MakeSpec(options, names[i], dtype, false));
        codecs.push_back(std::move(filter));
    }
    if (last) codecs.push_back(std::move(*last));
    return codecs;
}

}  // namespace zarr_driver
