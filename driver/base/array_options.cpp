// SPDX-License-Identifier: MIT
#include "driver/base/array_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>

#include "core/array/array.h"
#include "core/grid/chunk_grid.h"
#include "driver/base/codec_options.h"
#include "driver/base/filter_loss.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/option_values.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// clang-format off
const char* const kLayoutOptions =
    "  <Option name='BLOCKSIZE' type='string' description='Chunk size, slowest dimension first: height,width or bands,height,width. In the multidimensional API a number for each dimension'/>"
    "  <Option name='CHUNK_MEMORY_LAYOUT' type='string-select' description='Order of elements in a chunk: row-major (C) or column-major (F)' default='C'>"
    "    <Value>C</Value><Value>F</Value>"
    "  </Option>"
    "  <Option name='ENDIAN' type='string-select' description='Byte order of elements' default='LITTLE'>"
    "    <Value>LITTLE</Value><Value>BIG</Value>"
    "  </Option>"
    "  <Option name='DIM_SEPARATOR' type='string' description='Character between the numbers in the key of a chunk: . or /. By default . in Zarr v2, and / (after c/) in Zarr v3'/>"
    "  <Option name='CHUNK_KEY_ENCODING' type='string-select' description='For Zarr v3, form of chunk keys: DEFAULT, such as c/0/1, or V2, such as 0.1' default='DEFAULT'>"
    "    <Value>DEFAULT</Value><Value>V2</Value>"
    "  </Option>"
    "  <Option name='SHARD_CHUNK_SHAPE' type='string' description='For Zarr v3, size of the chunks in a shard, in the form of BLOCKSIZE. BLOCKSIZE is then the size of the shard. Without BLOCKSIZE a shard has as many chunks as take 64 MiB'/>"
    "  <Option name='SHARD' type='boolean' description='For Zarr v3, whether chunks are stored in shards. Implied by SHARD_CHUNK_SHAPE. SHARD=YES alone makes shards of up to 64 MiB from chunks of BLOCKSIZE' default='NO'/>";
// clang-format on

constexpr const char* kFormats = "ZARR_V2 or ZARR_V3";

std::optional<zarr::Format> FormatCalled(const char* text) {
    if (EQUAL(text, "ZARR_V2")) return zarr::Format::kV2;
    if (EQUAL(text, "ZARR_V3")) return zarr::Format::kV3;
    return std::nullopt;
}

Status CheckCount(const char* name, const std::vector<std::uint64_t>& sizes, std::size_t rank) {
    if (sizes.empty() || sizes.size() == rank) return {};
    return Status::Invalid(std::string("creation option ") + name + ": expected " +
                           std::to_string(rank) + " numbers, one for each dimension, got " +
                           std::to_string(sizes.size()));
}

}  // namespace

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

std::string ArrayOptions() { return CodecOptions() + kLayoutOptions; }

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
    // GDAL's built-in driver calls the option ENDIAN "@ENDIAN", so both names are accepted.
    for (const char* const name : {"ENDIAN", "@ENDIAN"}) {
        const char* const endian = CSLFetchNameValue(options, name);
        if (endian == nullptr) continue;
        if (!EQUAL(endian, "LITTLE") && !EQUAL(endian, "BIG"))
            return RefuseOption(name, "LITTLE or BIG", endian);
        array.byte_order = EQUAL(endian, "BIG") ? zarr::ByteOrder::kBig : zarr::ByteOrder::kLittle;
    }
    // ENDIAN=BIG is refused together with a filter, because Zarr v2 and v3 differ. A filter of Zarr
    // v2 gets elements in the stored byte order. A filter of Zarr v3 gets numbers, which have no
    // byte order.
    const bool has_filter = !EQUAL(CSLFetchNameValueDef(options, "FILTER", "NONE"), "NONE");
    if (has_filter && array.byte_order == zarr::ByteOrder::kBig)
        return RefuseOption("ENDIAN", "LITTLE, because FILTER is set", "BIG");
    ZARR_ASSIGN_OR_RETURN(array.codecs, MakeCodecSpecs(options, dtype, array.warnings));
    if (std::string warning = FilterWarning(array.codecs, dtype); !warning.empty())
        array.warnings.push_back(std::move(warning));
    ZARR_ASSIGN_OR_RETURN(array.chunks, ParseSizes(options, "BLOCKSIZE"));
    ZARR_ASSIGN_OR_RETURN(array.shard_chunks, ParseSizes(options, "SHARD_CHUNK_SHAPE"));
    array.is_sharded = CPLFetchBool(options, "SHARD", !array.shard_chunks.empty());
    if (!array.is_sharded && !array.shard_chunks.empty())
        return RefuseOption("SHARD", "YES, because SHARD_CHUNK_SHAPE is set", "NO");
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
                               ": requires Zarr v3 (FORMAT=ZARR_V3)");
    }
    std::copy(options.chunks.begin(), options.chunks.end(), spec.chunks.begin());
    if (options.is_sharded && !options.shard_chunks.empty()) {
        if (!options.chunks.empty()) spec.shard = spec.chunks;
        spec.chunks = options.shard_chunks;
    }
    constexpr std::size_t kBytesOfText = 16;
    if (options.is_sharded && spec.shard.empty())
        spec.shard = zarr::DefaultShard(
            spec.shape, spec.chunks,
            spec.dtype.kind == zarr::DataKind::kObject ? kBytesOfText : spec.dtype.size);
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

}  // namespace zarr_driver
