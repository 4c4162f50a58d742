// SPDX-License-Identifier: MIT
#include "driver/base/creation_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "core/array/array.h"
#include "core/base/checked.h"
#include "core/base/text.h"
#include "core/codec/left_out.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_types.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// clang-format off
const char* const kDatasetOptions =
    "  <Option name='ARRAY_NAME' type='string' description='Name of the array; the file`s by default'/>"
    "  <Option name='APPEND_SUBDATASET' type='boolean' description='Whether to add the array to an existing store' default='NO'/>"
    "  <Option name='APPEND_DIM' type='string' description='Dimension of an array of an existing store that grows by the source`s bands'/>"
    "  <Option name='APPEND_DIM_VALUES' type='string' description='Coordinates of the new slices along APPEND_DIM, with commas between: numbers, ISO 8601 times or texts; what the bands` metadata say by default'/>"
    "  <Option name='BLOCKXSIZE' type='int' min='1' description='Columns of a chunk, where BLOCKSIZE is not given; not used with TILED=NO'/>"
    "  <Option name='BLOCKYSIZE' type='int' min='1' description='Rows of a chunk; see BLOCKXSIZE, without which it is of strips and not used'/>"
    "  <Option name='TILED' type='boolean' description='Accepted, as rasterio passes on what a source has: NO says that BLOCKXSIZE and BLOCKYSIZE are of strips' default='YES'/>"
    "  <Option name='SINGLE_ARRAY' type='boolean' description='Whether several bands are one array of three dimensions or an array each' default='YES'/>"
    // Not a selection, which GDAL would check: a profile of a GeoTIFF may have other values.
    "  <Option name='INTERLEAVE' type='string' description='Place of the bands in a single array: slowest (BAND) or fastest (PIXEL) dimension' default='BAND'>"
    // CreateCopy() of GDAL passes on what a source has where a value is listed plainly. A store is
    // (band, y, x) unless it is asked for.
    "    <Value>BAND</Value><Value alias='PIXELS'>PIXEL</Value>"
    "  </Option>"
    "  <Option name='PHOTOMETRIC' type='string-select' description='Whether the first three bands are red, green and blue where nothing else says what they are: RGB or YCBCR, by default in Create() of three or four bands of Byte. The other values of GeoTIFF say no'>"
    "    <Value>MINISBLACK</Value><Value>MINISWHITE</Value><Value>RGB</Value><Value>YCBCR</Value><Value>PALETTE</Value><Value>CMYK</Value><Value>CIELAB</Value><Value>ICCLAB</Value><Value>ITULAB</Value>"
    "  </Option>"
    "  <Option name='PIXELTYPE' type='string-select' description='Whether bytes are signed ones, as GDAL before 3.7 has them' default='DEFAULT'>"
    "    <Value>DEFAULT</Value><Value>SIGNEDBYTE</Value>"
    "  </Option>"
    "  <Option name='FORMAT' type='string-select' description='Version of Zarr' default='" ZARR_FORMAT_BY_DEFAULT "'>"
    "    <Value>ZARR_V2</Value><Value>ZARR_V3</Value>"
    "  </Option>"
    "  <Option name='CREATE_CONSOLIDATED_METADATA' alias='CREATE_ZMETADATA' type='boolean' description='Whether to write consolidated metadata: .zmetadata, or in Zarr v3 those in zarr.json' default='YES'/>"
    "  <Option name='OVERVIEWS' type='string' description='Overviews that are built at the end: NONE, AUTO (halves, until both sides are at most 256) or factors such as 2,4,8' default='NONE'/>"
    "  <Option name='OVERVIEW_RESAMPLING' type='string' description='Resampling method of OVERVIEWS, one of those of gdaladdo' default='NEAREST'/>"
    "  <Option name='SYNCHRONIZER' type='string' description='Folder of lock files, as in the open option'/>"
    "  <Option name='GEOREFERENCING_CONVENTION' type='string-select' description='How CRS and geotransform are written; by default as CF has it, and as GDAL of any version, xarray and rioxarray find it'>"
    "    <Value>GDAL</Value><Value>SPATIAL_PROJ</Value><Value>CF</Value>"
    "  </Option>";
// clang-format on

// Where gdaladdo stops.
constexpr int kSmallestSide = 256;
constexpr int kLargestFactor = 1 << 20;

Status Refuse(const char* text) {
    return Status::Invalid(
        "creation option OVERVIEWS: expected NONE, AUTO or factors from 2 on with commas between, "
        "got " +
        zarr::Quoted(text));
}

// Values that GDAL's other drivers take, GeoTIFF above all, and Zarr has no counterpart for:
// rasterio and rioxarray pass on what a source has.
constexpr const char* kCompressorsOfOthers[] = {
    "LZW",  "JPEG",         "PACKBITS",  "CCITTRLE", "CCITTFAX3", "CCITTFAX4",  "LERC",
    "WEBP", "LERC_DEFLATE", "LERC_ZSTD", "JPEG2000", "JXL",       "JXL_DNG_1_7"};
constexpr const char* kInterleavesOfOthers[] = {"LINE", "TILE"};
constexpr const char* kDefaultCompressor = "BLOSC";

template <std::size_t Size>
bool IsOneOf(const char* const (&names)[Size], const char* name) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* other) { return EQUAL(name, other); });
}

std::string UnknownToZarr(const char* option, const char* value, const char* used) {
    return std::string("creation option ") + option + ": Zarr has no " + value + ", so it is " +
           used + ", the default";
}

constexpr const char* kFormats = "ZARR_V2 or ZARR_V3";

std::optional<zarr::Format> FormatCalled(const char* text) {
    if (EQUAL(text, "ZARR_V2")) return zarr::Format::kV2;
    if (EQUAL(text, "ZARR_V3")) return zarr::Format::kV3;
    return std::nullopt;
}

// BLOCKXSIZE or BLOCKYSIZE; 0 where it is not given, or is of strips.
Result<std::uint64_t> ParseBlockSide(CSLConstList options, const char* name) {
    const char* const text = CSLFetchNameValue(options, name);
    if (text == nullptr || !CPLFetchBool(options, "TILED", true)) return std::uint64_t{0};
    const GIntBig size = CPLAtoGIntBig(text);
    if (size < 1 || CPLGetValueType(text) != CPL_VALUE_INTEGER)
        return RefuseOption(name, "a number >= 1", text);
    return static_cast<std::uint64_t>(size);
}

}  // namespace

std::string CreationOptionList() {
    return "<CreationOptionList>" + ArrayOptionList() + kDatasetOptions + "</CreationOptionList>";
}

Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback) {
    const char* convention = CSLFetchNameValue(options, "GEOREFERENCING_CONVENTION");
    if (convention == nullptr) return fallback;
    if (EQUAL(convention, "GDAL")) return Georeferenced::kGdal;
    if (EQUAL(convention, "SPATIAL_PROJ")) return Georeferenced::kSpatialProj;
    if (EQUAL(convention, "CF")) return Georeferenced::kCf;
    return RefuseOption("GEOREFERENCING_CONVENTION", "GDAL, SPATIAL_PROJ or CF", convention);
}

Result<zarr::DataType> StoredTypeFor(GDALDataType type, const char* pixel_type) {
    ZARR_ASSIGN_OR_RETURN(zarr::DataType dtype, StoredTypeOf(type));
    if (pixel_type == nullptr || EQUAL(pixel_type, "DEFAULT")) return dtype;
    const bool is_byte = type == GDT_Byte || type == kGdalInt8;
    if (!is_byte || !EQUAL(pixel_type, "SIGNEDBYTE"))
        return RefuseOption("PIXELTYPE", "SIGNEDBYTE, of data type Byte", pixel_type);
    return zarr::ParseTypestr("|i1");
}

Result<CreationOptions> CreationOptions::Parse(CSLConstList options, const zarr::DataType& dtype) {
    CreationOptions parsed;
    ZARR_ASSIGN_OR_RETURN(parsed.format, ParseFormat(options));
    ZARR_ASSIGN_OR_RETURN(parsed.new_format, FormatOfNewStore(parsed.format));
    ZARR_ASSIGN_OR_RETURN(parsed.array, ArrayCreationOptions::Parse(options, dtype));
    parsed.synchronizer = CSLFetchNameValueDef(options, "SYNCHRONIZER", "");
    parsed.array_name = CSLFetchNameValueDef(options, "ARRAY_NAME", "");
    ZARR_ASSIGN_OR_RETURN(parsed.block_x, ParseBlockSide(options, "BLOCKXSIZE"));
    ZARR_ASSIGN_OR_RETURN(parsed.block_y, ParseBlockSide(options, "BLOCKYSIZE"));
    // Rows alone are a strip's, as rasterio passes them on without its columns.
    if (parsed.block_x == 0) parsed.block_y = 0;
    parsed.append_subdataset = CPLFetchBool(options, "APPEND_SUBDATASET", false);
    parsed.append_dim = CSLFetchNameValueDef(options, "APPEND_DIM", "");
    parsed.append_dim_values = CSLFetchNameValueDef(options, "APPEND_DIM_VALUES", "");
    // GDAL from 3.13 on deletes what a copy is made in unless both are given.
    if (!parsed.append_dim.empty()) parsed.append_subdataset = false;
    parsed.single_array = CPLFetchBool(options, "SINGLE_ARRAY", true);
    const char* interleave = CSLFetchNameValueDef(options, "INTERLEAVE", "BAND");
    if (IsOneOf(kInterleavesOfOthers, interleave))
        parsed.array.warnings.push_back(UnknownToZarr("INTERLEAVE", interleave, "BAND"));
    else if (!EQUAL(interleave, "BAND") && !EQUAL(interleave, "PIXEL"))
        return RefuseOption("INTERLEAVE", "BAND or PIXEL", interleave);
    parsed.interleave_pixel = EQUAL(interleave, "PIXEL");
    if (const char* const photometric = CSLFetchNameValue(options, "PHOTOMETRIC"))
        parsed.is_rgb = EQUAL(photometric, "RGB") || EQUAL(photometric, "YCBCR");
    // GDAL passes on INTERLEAVE=BAND of the source, which arrays for each band have, too.
    parsed.may_split = CSLFetchNameValue(options, "SINGLE_ARRAY") == nullptr &&
                       !parsed.interleave_pixel && parsed.array_name.empty() &&
                       parsed.array.chunks.size() <= 2 && parsed.array.shard_chunks.size() <= 2;
    const bool consolidate = CPLFetchBool(options, "CREATE_ZMETADATA", true);
    parsed.consolidate = CPLFetchBool(options, "CREATE_CONSOLIDATED_METADATA", consolidate);
    ZARR_ASSIGN_OR_RETURN(parsed.overviews, OverviewPlan::Parse(options));
    if (!parsed.append_dim.empty() && !parsed.overviews.IsEmpty())
        return Status::Unsupported(
            "creation option OVERVIEWS: not with APPEND_DIM; gdaladdo builds them afterwards");
    ZARR_ASSIGN_OR_RETURN(parsed.georeferenced,
                          ParseConvention(options, Georeferenced::kEveryReader));
    return parsed;
}

namespace {

// clang-format off
const char* const kArrayOptions =
    // Not a selection, which GDAL would check: a profile of a GeoTIFF may have other values.
    "  <Option name='COMPRESS' type='string' description='Compression method: NONE, BLOSC, ZLIB (or DEFLATE), GZIP, LZMA, ZSTD, LZ4, BZ2. Those that only GeoTIFF has give a warning and the default' default='BLOSC'>"
    "    <Value>NONE</Value><Value>BLOSC</Value><Value alias='DEFLATE'>ZLIB</Value><Value>GZIP</Value>"
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
    "  <Option name='ZSTD_CHECKSUM' type='boolean' description='Whether ZSTD adds a checksum to each chunk; other software needs numcodecs 0.13 to open the array then' default='NO'/>"
    "  <Option name='LZ4_ACCELERATION' type='int' min='1' description='Acceleration of LZ4' default='1'/>"
    "  <Option name='FILTER' type='string' description='Filters in front of the compressor, with commas between: NONE, DELTA, FIXEDSCALEOFFSET, QUANTIZE, BITROUND, SHUFFLE, PACKBITS, ASTYPE, CATEGORIZE' default='NONE'/>"
    "  <Option name='DELTA_DTYPE' type='string' description='dtype of FILTER=DELTA; the array`s by default'/>"
    "  <Option name='FIXEDSCALEOFFSET_SCALE' type='float' description='FILTER=FIXEDSCALEOFFSET stores (value - offset) * scale, rounded'/>"
    "  <Option name='FIXEDSCALEOFFSET_OFFSET' type='float' description='See FIXEDSCALEOFFSET_SCALE' default='0'/>"
    "  <Option name='FIXEDSCALEOFFSET_ASTYPE' type='string' description='dtype that FILTER=FIXEDSCALEOFFSET stores, such as &lt;i2; the array`s by default'/>"
    "  <Option name='QUANTIZE_DIGITS' type='int' description='Decimal digits that FILTER=QUANTIZE keeps after the point'/>"
    "  <Option name='QUANTIZE_ASTYPE' type='string' description='dtype that FILTER=QUANTIZE stores; the array`s by default'/>"
    "  <Option name='BITROUND_KEEPBITS' type='int' description='Bits of the mantissa that FILTER=BITROUND keeps'/>"
    "  <Option name='SHUFFLE_ELEMENTSIZE' type='int' description='Bytes of an element for FILTER=SHUFFLE; the array`s by default'/>"
    "  <Option name='ASTYPE_DTYPE' type='string' description='dtype that FILTER=ASTYPE stores'/>"
    "  <Option name='CATEGORIZE_LABELS' type='string' description='Texts that FILTER=CATEGORIZE stores as numbers, with commas between'/>"
    "  <Option name='CATEGORIZE_ASTYPE' type='string' description='dtype of these numbers' default='|u1'/>"
    "  <Option name='BLOCKSIZE' type='string' description='Chunk size, slowest dimension first: height,width or bands,height,width; in the multidimensional API a number for each dimension'/>"
    "  <Option name='CHUNK_MEMORY_LAYOUT' type='string-select' description='Order of elements in a chunk' default='C'>"
    "    <Value>C</Value><Value>F</Value>"
    "  </Option>"
    "  <Option name='ENDIAN' type='string-select' description='Byte order of elements' default='LITTLE'>"
    "    <Value>LITTLE</Value><Value>BIG</Value>"
    "  </Option>"
    "  <Option name='DIM_SEPARATOR' type='string' description='Between the numbers of a chunk`s key: . or /; by default . in Zarr v2 and /, after c/, in Zarr v3'/>"
    "  <Option name='CHUNK_KEY_ENCODING' type='string-select' description='Of Zarr v3: whether the keys of chunks begin with c, or are those of Zarr v2' default='DEFAULT'>"
    "    <Value>DEFAULT</Value><Value>V2</Value>"
    "  </Option>"
    "  <Option name='SHARD_CHUNK_SHAPE' type='string' description='Of Zarr v3: size of the chunks in a shard, as BLOCKSIZE, which is the size of a shard then; by default a shard has as many chunks as take 64 MiB'/>"
    "  <Option name='SHARD' type='boolean' description='Of Zarr v3: whether chunks are stored in shards, of as many chunks as take 64 MiB unless SHARD_CHUNK_SHAPE and BLOCKSIZE say' default='NO'/>";
// clang-format on

// Removes every `text` from `list`.
void EraseAll(std::string& list, const std::string& text) {
    for (std::size_t at = 0; (at = list.find(text)) != std::string::npos;)
        list.erase(at, text.size());
}

}  // namespace

std::string ArrayOptionList() {
    std::string list = kArrayOptions;
    for (const zarr::LeftOutCodec& codec : zarr::LeftOutCodecs()) {
        const std::string name = CPLString(std::string(codec.name)).toupper();
        EraseAll(list, "<Value>" + name + "</Value>");
        EraseAll(list, ", " + name);
        const std::string option = "  <Option name='" + name + "_";
        for (std::size_t at = 0; (at = list.find(option)) != std::string::npos;)
            list.erase(at, list.find("/>", at) + 2 - at);
    }
    return list;
}

Status RefuseOption(const char* name, const std::string& expected, const char* got) {
    return Status::Invalid(std::string("creation option ") + name + ": expected " + expected +
                           ", got " + zarr::Quoted(got));
}

namespace {

// Sizes with commas between; none where the option is not given.
Result<std::vector<std::uint64_t>> ParseSizes(CSLConstList options, const char* name) {
    std::vector<std::uint64_t> sizes;
    const char* const text = CSLFetchNameValue(options, name);
    if (text == nullptr) return sizes;
    const CPLStringList parts(CSLTokenizeString2(text, ",x", 0));
    for (int i = 0; i < parts.size(); ++i) {
        const GIntBig size = CPLAtoGIntBig(parts[i]);
        if (size < 1 || CPLGetValueType(parts[i]) != CPL_VALUE_INTEGER)
            return RefuseOption(name, "numbers >= 1, slowest dimension first", text);
        sizes.push_back(static_cast<std::uint64_t>(size));
    }
    return sizes;
}

Status CheckCount(const char* name, const std::vector<std::uint64_t>& sizes, std::size_t rank) {
    if (sizes.empty() || sizes.size() == rank) return {};
    return Status::Invalid(std::string("creation option ") + name + ": " +
                           std::to_string(sizes.size()) + " numbers for " + std::to_string(rank) +
                           " dimensions");
}

// A shard of `chunks` that takes at most kDefaultShardBytes, or one chunk: it grows along the last
// two dimensions first, evenly, and along each not beyond the array.
std::vector<std::uint64_t> DefaultShard(const zarr::ArraySpec& spec) {
    constexpr std::uint64_t kBytesOfText = 16;
    std::vector<std::uint64_t> shard = spec.chunks;
    std::uint64_t bytes =
        spec.dtype.kind == zarr::DataKind::kObject ? kBytesOfText : spec.dtype.size;
    for (const std::uint64_t size : spec.chunks) bytes = zarr::SaturatingMul(bytes, size);
    const auto grow = [&](std::size_t first, std::size_t last) {
        for (bool has_grown = true; has_grown;) {
            has_grown = false;
            for (std::size_t i = last; i-- > first;) {
                if (shard[i] >= spec.shape[i] || bytes > kDefaultShardBytes / 2) continue;
                shard[i] *= 2;
                bytes *= 2;
                has_grown = true;
            }
        }
    };
    const std::size_t rank = shard.size();
    grow(rank > 2 ? rank - 2 : 0, rank);
    if (rank > 2) grow(0, rank - 2);
    return shard;
}

}  // namespace

Result<std::optional<zarr::Format>> ParseFormat(CSLConstList options) {
    const char* const text = CSLFetchNameValue(options, "FORMAT");
    if (text == nullptr) return std::optional<zarr::Format>();
    const auto format = FormatCalled(text);
    return format ? Result(format) : RefuseOption("FORMAT", kFormats, text);
}

Result<zarr::Format> FormatOfNewStore(std::optional<zarr::Format> stated) {
    if (stated) return *stated;
    const char* const text = CPLGetConfigOption("ZARR_DEFAULT_FORMAT", ZARR_FORMAT_BY_DEFAULT);
    if (const auto format = FormatCalled(text)) return *format;
    return Status::Invalid(std::string("configuration option ZARR_DEFAULT_FORMAT: expected ") +
                           kFormats + ", got " + zarr::Quoted(text));
}

Result<ArrayCreationOptions> ArrayCreationOptions::Parse(CSLConstList options,
                                                         const zarr::DataType& dtype) {
    ArrayCreationOptions array;
    // GDAL's own driver has it under the second name.
    for (const char* const name : {"ENDIAN", "@ENDIAN"}) {
        const char* const endian = CSLFetchNameValue(options, name);
        if (endian == nullptr) continue;
        if (!EQUAL(endian, "LITTLE") && !EQUAL(endian, "BIG"))
            return RefuseOption(name, "LITTLE or BIG", endian);
        array.byte_order = EQUAL(endian, "BIG") ? zarr::ByteOrder::kBig : zarr::ByteOrder::kLittle;
    }
    // Filters work on elements as they are stored in Zarr v2, and on numbers in v3.
    const bool has_filter = !EQUAL(CSLFetchNameValueDef(options, "FILTER", "NONE"), "NONE");
    if (has_filter && array.byte_order == zarr::ByteOrder::kBig)
        return RefuseOption("ENDIAN", "LITTLE with FILTER", "BIG");
    ZARR_ASSIGN_OR_RETURN(array.codecs, MakeCodecSpecs(options, dtype));
    const char* const compressor = CSLFetchNameValueDef(options, "COMPRESS", kDefaultCompressor);
    if (IsOneOf(kCompressorsOfOthers, compressor))
        array.warnings.push_back(UnknownToZarr("COMPRESS", compressor, kDefaultCompressor));
    ZARR_ASSIGN_OR_RETURN(array.chunks, ParseSizes(options, "BLOCKSIZE"));
    ZARR_ASSIGN_OR_RETURN(array.shard_chunks, ParseSizes(options, "SHARD_CHUNK_SHAPE"));
    array.is_sharded = CPLFetchBool(options, "SHARD", !array.shard_chunks.empty());
    if (!array.is_sharded && !array.shard_chunks.empty())
        return RefuseOption("SHARD", "YES with SHARD_CHUNK_SHAPE", "NO");
    const char* order = CSLFetchNameValueDef(options, "CHUNK_MEMORY_LAYOUT", "C");
    if (!EQUAL(order, "C") && !EQUAL(order, "F"))
        return RefuseOption("CHUNK_MEMORY_LAYOUT", "C or F", order);
    array.fortran_order = EQUAL(order, "F");
    if (const char* const separator = CSLFetchNameValue(options, "DIM_SEPARATOR")) {
        if (!EQUAL(separator, ".") && !EQUAL(separator, "/"))
            return RefuseOption("DIM_SEPARATOR", ". or /", separator);
        array.dimension_separator = separator[0];
    }
    if (const char* const encoding = CSLFetchNameValue(options, "CHUNK_KEY_ENCODING")) {
        if (!EQUAL(encoding, "DEFAULT") && !EQUAL(encoding, "V2"))
            return RefuseOption("CHUNK_KEY_ENCODING", "DEFAULT or V2", encoding);
        array.has_key_prefix = EQUAL(encoding, "DEFAULT");
    }
    return array;
}

Result<zarr::ArrayMetadata> NewArrayMetadata(zarr::ArraySpec spec,
                                             const ArrayCreationOptions& options) {
    const bool is_v3 = spec.format == zarr::Format::kV3;
    ZARR_RETURN_IF_ERROR(CheckCount("BLOCKSIZE", options.chunks, spec.shape.size()));
    ZARR_RETURN_IF_ERROR(CheckCount("SHARD_CHUNK_SHAPE", options.shard_chunks, spec.shape.size()));
    if (!is_v3 && (options.is_sharded || options.has_key_prefix)) {
        const char* const option = !options.shard_chunks.empty() ? "SHARD_CHUNK_SHAPE"
                                   : options.is_sharded          ? "SHARD"
                                                                 : "CHUNK_KEY_ENCODING";
        return Status::Invalid("creation option " + std::string(option) +
                               ": is of Zarr v3 (FORMAT=ZARR_V3)");
    }
    std::copy(options.chunks.begin(), options.chunks.end(), spec.chunks.begin());
    if (options.is_sharded && !options.shard_chunks.empty()) {
        if (!options.chunks.empty()) spec.shard = spec.chunks;
        spec.chunks = options.shard_chunks;
    }
    if (options.is_sharded && spec.shard.empty()) spec.shard = DefaultShard(spec);
    spec.codecs = options.codecs;
    if (options.byte_order) spec.dtype = zarr::WithByteOrder(spec.dtype, *options.byte_order);
    spec.fortran_order = options.fortran_order;
    spec.has_key_prefix = options.has_key_prefix.value_or(is_v3);
    spec.dimension_separator =
        options.dimension_separator.value_or(spec.has_key_prefix ? '/' : '.');
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayMetadata metadata, zarr::MakeArrayMetadata(spec));
    ZARR_RETURN_IF_ERROR(zarr::Array::CheckWritable(metadata));
    return metadata;
}

bool IsOverviewResampling(const std::string& method) {
    static constexpr const char* kStarts[] = {"NEAR", "AVER", "GAUSS", "MODE", "RMS"};
    static constexpr const char* kNames[] = {"NONE", "CUBIC", "CUBICSPLINE", "LANCZOS", "BILINEAR"};
    // As GDAL itself compares them.
    return std::any_of(std::begin(kStarts), std::end(kStarts),
                       [&](const char* start) { return STARTS_WITH_CI(method.c_str(), start); }) ||
           std::any_of(std::begin(kNames), std::end(kNames),
                       [&](const char* name) { return EQUAL(method.c_str(), name); });
}

Result<OverviewPlan> OverviewPlan::Parse(CSLConstList options) {
    OverviewPlan plan;
    plan.resampling = CSLFetchNameValueDef(options, "OVERVIEW_RESAMPLING", "NEAREST");
    if (!IsOverviewResampling(plan.resampling))
        return Status::Invalid(
            "creation option OVERVIEW_RESAMPLING: expected a method such as "
            "NEAREST, AVERAGE or CUBIC, got " +
            zarr::Quoted(plan.resampling));
    const char* text = CSLFetchNameValueDef(options, "OVERVIEWS", "NONE");
    plan.is_automatic = EQUAL(text, "AUTO");
    if (EQUAL(text, "NONE") || plan.is_automatic) return plan;
    const CPLStringList words(CSLTokenizeString2(text, ", ", 0));
    for (int i = 0; i < words.size(); ++i) {
        const double factor = CPLAtof(words[i]);
        if (CPLGetValueType(words[i]) != CPL_VALUE_INTEGER || factor < 2 || factor > kLargestFactor)
            return Refuse(text);
        plan.factors.push_back(static_cast<int>(factor));
    }
    if (plan.factors.empty()) return Refuse(text);
    return plan;
}

std::vector<int> OverviewPlan::FactorsFor(int width, int height) const {
    if (!is_automatic) return factors;
    std::vector<int> halves;
    for (int factor = 1;
         Reduced(width, factor) > kSmallestSide || Reduced(height, factor) > kSmallestSide;) {
        factor *= 2;
        halves.push_back(factor);
    }
    return halves;
}

namespace json = zarr::json;
using zarr::CodecSpec;
using zarr::DataType;

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
    if (EQUAL(name, "DEFLATE")) name = "ZLIB";  // as GeoTIFF calls it
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
        if (EQUAL(name, codec.name)) {
            Config config(options, codec.id);
            config.Integer(codec.member, codec.option, codec.fallback);
            if (EQUAL(name, "ZSTD") && CPLFetchBool(options, "ZSTD_CHECKSUM", false))
                config.Set("checksum", json::Value(true));
            return config.Finish();
        }
    return RefuseOption("COMPRESS", "NONE, BLOSC, ZLIB, GZIP, LZMA, ZSTD, LZ4 or BZ2", name);
}

}  // namespace

Result<std::vector<CodecSpec>> MakeCodecSpecs(CSLConstList options, const DataType& dtype) {
    const char* const list = CSLFetchNameValueDef(options, "FILTER", "NONE");
    const CPLStringList names(CSLTokenizeString2(EQUAL(list, "NONE") ? "" : list, ",", 0));
    const char* compressor = CSLFetchNameValueDef(options, "COMPRESS", kDefaultCompressor);
    if (IsOneOf(kCompressorsOfOthers, compressor)) compressor = kDefaultCompressor;
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
