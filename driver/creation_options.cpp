// SPDX-License-Identifier: MIT
#include "driver/creation_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include "core/base/text.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

// clang-format off
const char* const kCreationOptionList =
    "<CreationOptionList>"
    "  <Option name='COMPRESS' type='string-select' description='Compression method' default='BLOSC'>"
    "    <Value>NONE</Value><Value>BLOSC</Value><Value>ZLIB</Value><Value>GZIP</Value>"
    "    <Value>LZMA</Value><Value>ZSTD</Value><Value>LZ4</Value><Value>BZ2</Value>"
    "  </Option>"
    "  <Option name='BLOSC_CNAME' type='string-select' description='Compressor inside of BLOSC' default='lz4'>"
    "    <Value>blosclz</Value><Value>lz4</Value><Value>lz4hc</Value><Value>snappy</Value>"
    "    <Value>zlib</Value><Value>zstd</Value>"
    "  </Option>"
    "  <Option name='BLOSC_CLEVEL' type='int' min='0' max='9' description='Level of BLOSC' default='5'/>"
    "  <Option name='BLOSC_SHUFFLE' type='string-select' description='What BLOSC shuffles' default='BYTE'>"
    "    <Value>NONE</Value><Value>BYTE</Value><Value>BIT</Value>"
    "  </Option>"
    "  <Option name='BLOSC_BLOCKSIZE' type='int' description='Block size of BLOSC; 0: by itself' default='0'/>"
    "  <Option name='BLOSC_NUM_THREADS' type='string' description='Accepted and not used: chunks are compressed in parallel'/>"
    "  <Option name='ZLIB_LEVEL' type='int' min='1' max='9' description='Level of ZLIB' default='6'/>"
    "  <Option name='GZIP_LEVEL' type='int' min='1' max='9' description='Level of GZIP' default='6'/>"
    "  <Option name='BZ2_LEVEL' type='int' min='1' max='9' description='Level of BZ2' default='9'/>"
    "  <Option name='LZMA_PRESET' type='int' min='0' max='9' description='Preset of LZMA' default='6'/>"
    "  <Option name='LZMA_DELTA' type='int' description='Distance of the delta filter of LZMA; 0: none' default='0'/>"
    "  <Option name='ZSTD_LEVEL' type='int' min='1' max='22' description='Level of ZSTD' default='9'/>"
    "  <Option name='LZ4_ACCELERATION' type='int' min='1' description='Acceleration of LZ4' default='1'/>"
    "  <Option name='FILTER' type='string-select' description='Filter in front of the compressor' default='NONE'>"
    "    <Value>NONE</Value><Value>DELTA</Value><Value>SHUFFLE</Value>"
    "  </Option>"
    "  <Option name='DELTA_DTYPE' type='string' description='dtype of FILTER=DELTA; the array`s by default'/>"
    "  <Option name='BLOCKSIZE' type='string' description='Chunk size, slowest dimension first: height,width or bands,height,width'/>"
    "  <Option name='CHUNK_MEMORY_LAYOUT' type='string-select' description='Order of elements in a chunk' default='C'>"
    "    <Value>C</Value><Value>F</Value>"
    "  </Option>"
    "  <Option name='DIM_SEPARATOR' type='string' description='Between the numbers of a chunk`s key: . or /' default='.'/>"
    "  <Option name='ARRAY_NAME' type='string' description='Name of the array; the file`s by default'/>"
    "  <Option name='APPEND_SUBDATASET' type='boolean' description='Whether to add the array to an existing store' default='NO'/>"
    "  <Option name='SINGLE_ARRAY' type='boolean' description='Whether several bands are one array of three dimensions or an array each' default='YES'/>"
    "  <Option name='INTERLEAVE' type='string-select' description='Place of the bands in a single array: slowest or fastest dimension' default='BAND'>"
    "    <Value>BAND</Value><Value>PIXEL</Value>"
    "  </Option>"
    "  <Option name='FORMAT' type='string-select' description='Version of Zarr; ZARR_V3 is written by GDAL`s built-in driver' default='ZARR_V2'>"
    "    <Value>ZARR_V2</Value><Value>ZARR_V3</Value>"
    "  </Option>"
    "  <Option name='CREATE_CONSOLIDATED_METADATA' alias='CREATE_ZMETADATA' type='boolean' description='Whether to write .zmetadata' default='YES'/>"
    "  <Option name='GEOREFERENCING_CONVENTION' type='string-select' description='How CRS and geotransform are written; GDAL and CF both by default'>"
    "    <Value>GDAL</Value><Value>SPATIAL_PROJ</Value><Value>CF</Value>"
    "  </Option>"
    "</CreationOptionList>";
// clang-format on

namespace {

Status Refuse(const char* name, const char* expected, const char* got) {
    return Status::Invalid(std::string("creation option ") + name + ": expected " + expected +
                           ", got " + zarr::Quoted(got));
}

// Writes the configuration of a codec as JSON text, options checked as it goes.
class CodecText {
  public:
    CodecText(CSLConstList options, const char* id) : options_(options) { String("id", id); }

    CodecText& String(const char* member, const std::string& value) {
        return Raw(member, json::Dump(json::Value(value)));
    }
    // A whole number: an option, else `fallback`.
    CodecText& Number(const char* member, const char* option, const char* fallback) {
        const char* text = CSLFetchNameValueDef(options_, option, fallback);
        if (CPLGetValueType(text) != CPL_VALUE_INTEGER && status_.ok())
            status_ = Refuse(option, "a whole number", text);
        return Raw(member, text);
    }
    CodecText& Raw(const char* member, const std::string& text) {
        text_ += (text_.empty() ? "\"" : ", \"") + std::string(member) + "\": " + text;
        return *this;
    }
    Result<json::Value> Parse() const {
        ZARR_RETURN_IF_ERROR(status_);
        return json::Parse("{" + text_ + "}");
    }

  private:
    CSLConstList options_;
    std::string text_;
    Status status_;
};

Result<json::Value> MakeBlosc(CSLConstList options) {
    const char* shuffle = CSLFetchNameValueDef(options, "BLOSC_SHUFFLE", "BYTE");
    const bool bits = EQUAL(shuffle, "BIT");
    if (!bits && !EQUAL(shuffle, "BYTE") && !EQUAL(shuffle, "NONE"))
        return Refuse("BLOSC_SHUFFLE", "NONE, BYTE or BIT", shuffle);
    return CodecText(options, "blosc")
        .String("cname", CSLFetchNameValueDef(options, "BLOSC_CNAME", "lz4"))
        .Number("clevel", "BLOSC_CLEVEL", "5")
        .Raw("shuffle", bits                     ? "2"
                        : EQUAL(shuffle, "NONE") ? "0"
                                                 : "1")
        .Number("blocksize", "BLOSC_BLOCKSIZE", "0")
        .Parse();
}

Result<json::Value> MakeLzma(CSLConstList options) {
    CodecText text(options, "lzma");
    text.Raw("format", "1").Raw("check", "-1");
    const std::string delta = CSLFetchNameValueDef(options, "LZMA_DELTA", "0");
    if (delta == "0")
        return text.Number("preset", "LZMA_PRESET", "6").Raw("filters", "null").Parse();
    if (CPLGetValueType(delta.c_str()) != CPL_VALUE_INTEGER)
        return Refuse("LZMA_DELTA", "a whole number", delta.c_str());
    // The filters by liblzma's ids: 3 is delta, 33 is LZMA2.
    const std::string preset = CSLFetchNameValueDef(options, "LZMA_PRESET", "6");
    if (CPLGetValueType(preset.c_str()) != CPL_VALUE_INTEGER)
        return Refuse("LZMA_PRESET", "a whole number", preset.c_str());
    return text.Raw("preset", "null")
        .Raw("filters",
             R"([{"id": 3, "dist": )" + delta + R"(}, {"id": 33, "preset": )" + preset + "}]")
        .Parse();
}

Result<json::Value> MakeCompressor(CSLConstList options) {
    const char* name = CSLFetchNameValueDef(options, "COMPRESS", "BLOSC");
    if (EQUAL(name, "NONE")) return json::Parse("null");
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
            return CodecText(options, codec.id)
                .Number(codec.member, codec.option, codec.fallback)
                .Parse();
    return Refuse("COMPRESS", "NONE, BLOSC, ZLIB, GZIP, LZMA, ZSTD, LZ4 or BZ2", name);
}

Result<json::Value> MakeFilters(CSLConstList options, const std::string& typestr) {
    const char* name = CSLFetchNameValueDef(options, "FILTER", "NONE");
    if (EQUAL(name, "NONE")) return json::Parse("null");
    if (EQUAL(name, "SHUFFLE"))
        return json::Parse(R"([{"id": "shuffle", "elementsize": )" + typestr.substr(2) + "}]");
    if (!EQUAL(name, "DELTA")) return Refuse("FILTER", "NONE, DELTA or SHUFFLE", name);
    const std::string dtype = json::Dump(
        json::Value(std::string(CSLFetchNameValueDef(options, "DELTA_DTYPE", typestr.c_str()))));
    return json::Parse(R"([{"id": "delta", "dtype": )" + dtype + R"(, "astype": )" + dtype + "}]");
}

Status ParseArray(CSLConstList options, const std::string& typestr, ArrayCreationOptions& array) {
    ZARR_ASSIGN_OR_RETURN(array.compressor, MakeCompressor(options));
    ZARR_ASSIGN_OR_RETURN(array.filters, MakeFilters(options, typestr));
    if (const char* text = CSLFetchNameValue(options, "BLOCKSIZE")) {
        const CPLStringList sizes(CSLTokenizeString2(text, ",x", 0));
        for (int i = 0; i < sizes.size(); ++i) {
            const GIntBig size = CPLAtoGIntBig(sizes[i]);
            if (size < 1 || CPLGetValueType(sizes[i]) != CPL_VALUE_INTEGER)
                return Refuse("BLOCKSIZE", "numbers >= 1, slowest dimension first", text);
            array.chunks.push_back(static_cast<std::uint64_t>(size));
        }
    }
    const char* order = CSLFetchNameValueDef(options, "CHUNK_MEMORY_LAYOUT", "C");
    if (!EQUAL(order, "C") && !EQUAL(order, "F"))
        return Refuse("CHUNK_MEMORY_LAYOUT", "C or F", order);
    array.fortran_order = EQUAL(order, "F");
    const std::string separator = CSLFetchNameValueDef(options, "DIM_SEPARATOR", ".");
    if (separator != "." && separator != "/")
        return Refuse("DIM_SEPARATOR", ". or /", separator.c_str());
    array.dimension_separator = separator[0];
    return {};
}

}  // namespace

Result<CreationOptions> CreationOptions::Parse(CSLConstList options, const std::string& typestr) {
    CreationOptions parsed;
    const char* format = CSLFetchNameValueDef(options, "FORMAT", "ZARR_V2");
    parsed.is_v3 = EQUAL(format, "ZARR_V3");
    if (parsed.is_v3) return parsed;
    if (!EQUAL(format, "ZARR_V2")) return Refuse("FORMAT", "ZARR_V2 or ZARR_V3", format);
    ZARR_RETURN_IF_ERROR(ParseArray(options, typestr, parsed.array));
    parsed.array_name = CSLFetchNameValueDef(options, "ARRAY_NAME", "");
    parsed.append_subdataset = CPLFetchBool(options, "APPEND_SUBDATASET", false);
    parsed.single_array = CPLFetchBool(options, "SINGLE_ARRAY", true);
    const char* interleave = CSLFetchNameValueDef(options, "INTERLEAVE", "BAND");
    if (!EQUAL(interleave, "BAND") && !EQUAL(interleave, "PIXEL"))
        return Refuse("INTERLEAVE", "BAND or PIXEL", interleave);
    parsed.interleave_pixel = EQUAL(interleave, "PIXEL");
    const bool consolidate = CPLFetchBool(options, "CREATE_ZMETADATA", true);
    parsed.consolidate = CPLFetchBool(options, "CREATE_CONSOLIDATED_METADATA", consolidate);
    if (const char* convention = CSLFetchNameValue(options, "GEOREFERENCING_CONVENTION")) {
        if (EQUAL(convention, "GDAL"))
            parsed.georeferenced = Georeferenced::kGdal;
        else if (EQUAL(convention, "SPATIAL_PROJ"))
            parsed.georeferenced = Georeferenced::kSpatialProj;
        else if (EQUAL(convention, "CF"))
            parsed.georeferenced = Georeferenced::kCf;
        else
            return Refuse("GEOREFERENCING_CONVENTION", "GDAL, SPATIAL_PROJ or CF", convention);
    }
    return parsed;
}

}  // namespace zarr_driver
