// SPDX-License-Identifier: MIT
#include "driver/base/codec_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "driver/base/creation_options.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::CodecSpec;
using zarr::DataType;
using zarr::Result;
using zarr::Status;

namespace {

// The configuration of a codec, made of options that are checked as they are read. The first fault
// is kept.
class Config {
  public:
    Config(CSLConstList options, const char* id) : options_(options), id_(id) {}

    Config& Set(const char* member, json::Value value) {
        members_.emplace_back(member, std::move(value));
        return *this;
    }

    // A whole number. Without `fallback` the option must be given; so below.
    Config& Integer(const char* member, const char* option, const char* fallback = nullptr) {
        return Number(member, option, fallback, "a whole number", true);
    }
    Config& Real(const char* member, const char* option, const char* fallback = nullptr) {
        return Number(member, option, fallback, "a number", false);
    }

    Config& Typestr(const char* member, const char* option, const json::Value& fallback) {
        const char* text = CSLFetchNameValue(options_, option);
        if (text == nullptr) return Set(member, fallback);
        auto dtype = zarr::ParseTypestr(text);
        if (!dtype.ok()) return Refuse(option, "a dtype such as <i2", text);
        return Set(member, zarr::DataTypeToJson(*dtype));
    }

    Config& Strings(const char* member, const char* option) {
        const char* text = CSLFetchNameValue(options_, option);
        if (text == nullptr) return Refuse(option, "texts with commas between", "nothing");
        const CPLStringList items(CSLTokenizeString2(text, ",", CSLT_HONOURSTRINGS));
        json::Array array;
        for (int i = 0; i < items.size(); ++i) array.push_back(json::Value(items[i]));
        return Set(member, json::Value(std::move(array)));
    }

    Config& Refuse(const char* option, const char* expected, const char* got) {
        if (status_.ok()) status_ = RefuseOption(option, expected, got);
        return *this;
    }

    Result<CodecSpec> Finish() {
        ZARR_RETURN_IF_ERROR(status_);
        return CodecSpec{id_, json::Value(std::move(members_)), "creation options"};
    }

  private:
    Config& Number(const char* member, const char* option, const char* fallback,
                   const char* expected, bool whole) {
        const char* text = CSLFetchNameValueDef(options_, option, fallback);
        if (text == nullptr) return Refuse(option, expected, "nothing");
        const CPLValueType type = CPLGetValueType(text);
        if (type != CPL_VALUE_INTEGER && (whole || type != CPL_VALUE_REAL))
            return Refuse(option, expected, text);
        if (type == CPL_VALUE_REAL) return Set(member, json::Value(CPLAtof(text)));
        auto number = json::Parse(text[0] == '+' ? text + 1 : text);
        return number.ok() ? Set(member, number.Take()) : Refuse(option, expected, text);
    }

    CSLConstList options_;
    const char* id_;
    json::Object members_;
    Status status_;
};

Result<CodecSpec> MakeBlosc(CSLConstList options) {
    Config config(options, "blosc");
    config.Set("cname", json::Value(CSLFetchNameValueDef(options, "BLOSC_CNAME", "lz4")))
        .Integer("clevel", "BLOSC_CLEVEL", "5");
    static constexpr const char* kShuffles[] = {"NONE", "BYTE", "BIT"};
    const char* shuffle = CSLFetchNameValueDef(options, "BLOSC_SHUFFLE", "BYTE");
    const auto* found = std::find_if(std::begin(kShuffles), std::end(kShuffles),
                                     [&](const char* name) { return EQUAL(name, shuffle); });
    if (found == std::end(kShuffles)) config.Refuse("BLOSC_SHUFFLE", "NONE, BYTE or BIT", shuffle);
    return config.Set("shuffle", json::Value(std::int64_t{found - kShuffles}))
        .Integer("blocksize", "BLOSC_BLOCKSIZE", "0")
        .Finish();
}

Result<CodecSpec> MakeLzma(CSLConstList options) {
    Config config(options, "lzma");
    config.Set("format", json::Value(std::int64_t{1})).Set("check", json::Value(std::int64_t{-1}));
    if (EQUAL(CSLFetchNameValueDef(options, "LZMA_DELTA", "0"), "0"))
        return config.Integer("preset", "LZMA_PRESET", "6").Set("filters", json::Value()).Finish();
    // The filters by liblzma's ids: 3 is delta, 33 is LZMA2.
    const auto filter = [&](std::int64_t id, const char* member, const char* option,
                            const char* fallback) {
        return Config(options, "lzma")
            .Set("id", json::Value(id))
            .Integer(member, option, fallback)
            .Finish();
    };
    ZARR_ASSIGN_OR_RETURN(CodecSpec delta, filter(3, "dist", "LZMA_DELTA", "0"));
    ZARR_ASSIGN_OR_RETURN(CodecSpec lzma2, filter(33, "preset", "LZMA_PRESET", "6"));
    return config.Set("preset", json::Value())
        .Set("filters", json::Value(json::Array{std::move(delta.configuration),
                                                std::move(lzma2.configuration)}))
        .Finish();
}

Result<CodecSpec> MakeFilter(CSLConstList options, const char* name, const DataType& type) {
    const json::Value dtype = zarr::DataTypeToJson(type);
    if (EQUAL(name, "DELTA")) {
        // One option for both, as GDAL's own driver has it.
        return Config(options, "delta")
            .Typestr("dtype", "DELTA_DTYPE", dtype)
            .Typestr("astype", "DELTA_DTYPE", dtype)
            .Finish();
    }
    if (EQUAL(name, "FIXEDSCALEOFFSET") &&
        CPLAtof(CSLFetchNameValueDef(options, "FIXEDSCALEOFFSET_SCALE", "1")) == 0)
        return RefuseOption("FIXEDSCALEOFFSET_SCALE", "a number other than 0", "0");
    if (EQUAL(name, "FIXEDSCALEOFFSET"))
        return Config(options, "fixedscaleoffset")
            .Real("scale", "FIXEDSCALEOFFSET_SCALE")
            .Real("offset", "FIXEDSCALEOFFSET_OFFSET", "0")
            .Set("dtype", dtype)
            .Typestr("astype", "FIXEDSCALEOFFSET_ASTYPE", dtype)
            .Finish();
    if (EQUAL(name, "QUANTIZE"))
        return Config(options, "quantize")
            .Integer("digits", "QUANTIZE_DIGITS")
            .Set("dtype", dtype)
            .Typestr("astype", "QUANTIZE_ASTYPE", dtype)
            .Finish();
    if (EQUAL(name, "BITROUND"))
        return Config(options, "bitround").Integer("keepbits", "BITROUND_KEEPBITS").Finish();
    if (EQUAL(name, "SHUFFLE"))
        return Config(options, "shuffle")
            .Integer("elementsize", "SHUFFLE_ELEMENTSIZE", std::to_string(type.size).c_str())
            .Finish();
    if (EQUAL(name, "PACKBITS")) return Config(options, "packbits").Finish();
    if (EQUAL(name, "ASTYPE"))
        return Config(options, "astype")
            .Typestr("encode_dtype", "ASTYPE_DTYPE", dtype)
            .Set("decode_dtype", dtype)
            .Finish();
    // Such arrays are read and written on, but numcodecs has not opened them since its version
    // 0.5.1.
    if (EQUAL(name, "CATEGORIZE") && type.kind == zarr::DataKind::kBytes)
        return RefuseOption("FILTER",
                            "no CATEGORIZE for dtype " + type.ToString() +
                                ", which numcodecs would not read (STRING_FORMAT=UNICODE)",
                            name);
    if (EQUAL(name, "CATEGORIZE"))
        return Config(options, "categorize")
            .Set("dtype", dtype)
            .Typestr("astype", "CATEGORIZE_ASTYPE", json::Value("|u1"))
            .Strings("labels", "CATEGORIZE_LABELS")
            .Finish();
    return RefuseOption("FILTER",
                        "a list of DELTA, FIXEDSCALEOFFSET, QUANTIZE, BITROUND, SHUFFLE, PACKBITS, "
                        "ASTYPE and CATEGORIZE, or NONE",
                        name);
}

Result<CodecSpec> MakeCompressor(CSLConstList options, const char* name) {
    if (EQUAL(name, "BLOSC")) return MakeBlosc(options);
    if (EQUAL(name, "LZMA")) return MakeLzma(options);
    struct Plain {
        const char* name;
        const char* id;
        const char* member;
        const char* option;
        const char* fallback;
    };
    static constexpr Plain kPlain[] = {
        {"ZLIB", "zlib", "level", "ZLIB_LEVEL", "6"},
        {"GZIP", "gzip", "level", "GZIP_LEVEL", "6"},
        {"BZ2", "bz2", "level", "BZ2_LEVEL", "9"},
        {"ZSTD", "zstd", "level", "ZSTD_LEVEL", "9"},
        {"LZ4", "lz4", "acceleration", "LZ4_ACCELERATION", "1"},
    };
    for (const Plain& codec : kPlain)
        if (EQUAL(name, codec.name))
            return Config(options, codec.id)
                .Integer(codec.member, codec.option, codec.fallback)
                .Finish();
    return RefuseOption("COMPRESS", "NONE, BLOSC, ZLIB, GZIP, LZMA, ZSTD, LZ4 or BZ2", name);
}

}  // namespace

Result<std::vector<CodecSpec>> MakeCodecSpecs(CSLConstList options, const DataType& dtype) {
    const char* const list = CSLFetchNameValueDef(options, "FILTER", "NONE");
    const CPLStringList names(CSLTokenizeString2(EQUAL(list, "NONE") ? "" : list, ",", 0));
    const char* const compressor = CSLFetchNameValueDef(options, "COMPRESS", "BLOSC");
    std::vector<CodecSpec> codecs;
    Status status;
    const auto add = [&](Result<CodecSpec> codec) {
        if (codec.ok())
            codecs.push_back(codec.Take());
        else if (status.ok())
            status = codec.status();
    };
    if (!EQUAL(compressor, "NONE")) add(MakeCompressor(options, compressor));
    const bool are_objects = dtype.kind == zarr::DataKind::kObject;
    if (are_objects && (names.empty() || !EQUAL(names[0], "CATEGORIZE")))
        add(Config(options, "vlen-utf8").Finish());
    for (int i = 0; i < names.size(); ++i) add(MakeFilter(options, names[i], dtype));
    ZARR_RETURN_IF_ERROR(status);
    // The compressor is the first to be checked, and the last to encode.
    if (!EQUAL(compressor, "NONE")) std::rotate(codecs.begin(), codecs.begin() + 1, codecs.end());
    return codecs;
}

}  // namespace zarr_driver
