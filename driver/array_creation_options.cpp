// SPDX-License-Identifier: MIT
#include "driver/array_creation_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>

#include "core/array/array.h"
#include "core/base/text.h"
#include "driver/codec_options.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

// clang-format off
const char* const kArrayOptions =
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
    "  <Option name='BLOCKSIZE' type='string' description='Chunk size, slowest dimension first: height,width or bands,height,width'/>"
    "  <Option name='CHUNK_MEMORY_LAYOUT' type='string-select' description='Order of elements in a chunk' default='C'>"
    "    <Value>C</Value><Value>F</Value>"
    "  </Option>"
    "  <Option name='DIM_SEPARATOR' type='string' description='Between the numbers of a chunk`s key: . or /' default='.'/>";
// clang-format on

Status RefuseOption(const char* name, const std::string& expected, const char* got) {
    return Status::Invalid(std::string("creation option ") + name + ": expected " + expected +
                           ", got " + zarr::Quoted(got));
}

Result<ArrayCreationOptions> ArrayCreationOptions::Parse(CSLConstList options,
                                                         const zarr::DataType& dtype) {
    ArrayCreationOptions array;
    ZARR_ASSIGN_OR_RETURN(array.compressor, MakeCompressor(options));
    ZARR_ASSIGN_OR_RETURN(array.filters, MakeFilters(options, dtype));
    if (const char* text = CSLFetchNameValue(options, "BLOCKSIZE")) {
        const CPLStringList sizes(CSLTokenizeString2(text, ",x", 0));
        for (int i = 0; i < sizes.size(); ++i) {
            const GIntBig size = CPLAtoGIntBig(sizes[i]);
            if (size < 1 || CPLGetValueType(sizes[i]) != CPL_VALUE_INTEGER)
                return RefuseOption("BLOCKSIZE", "numbers >= 1, slowest dimension first", text);
            array.chunks.push_back(static_cast<std::uint64_t>(size));
        }
    }
    const char* order = CSLFetchNameValueDef(options, "CHUNK_MEMORY_LAYOUT", "C");
    if (!EQUAL(order, "C") && !EQUAL(order, "F"))
        return RefuseOption("CHUNK_MEMORY_LAYOUT", "C or F", order);
    array.fortran_order = EQUAL(order, "F");
    const std::string separator = CSLFetchNameValueDef(options, "DIM_SEPARATOR", ".");
    if (separator != "." && separator != "/")
        return RefuseOption("DIM_SEPARATOR", ". or /", separator.c_str());
    array.dimension_separator = separator[0];
    return array;
}

Result<zarr::json::Object> MakeDocument(zarr::ArraySpec spec, const ArrayCreationOptions& options) {
    if (options.chunks.size() > spec.shape.size())
        return Status::Invalid(
            "creation option BLOCKSIZE: " + std::to_string(options.chunks.size()) +
            " numbers for " + std::to_string(spec.shape.size()) + " dimensions");
    // Fewer are those of the last dimensions.
    std::copy_backward(options.chunks.begin(), options.chunks.end(), spec.chunks.end());
    spec.compressor = options.compressor;
    spec.filters = options.filters;
    spec.fortran_order = options.fortran_order;
    spec.dimension_separator = options.dimension_separator;
    ZARR_ASSIGN_OR_RETURN(zarr::json::Object document, zarr::MakeArrayDocument(spec));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata,
                          zarr::ParseArrayMetadata(zarr::json::Dump(zarr::json::Value(document))));
    ZARR_RETURN_IF_ERROR(zarr::Array::CheckWritable(metadata));
    return document;
}

}  // namespace zarr_driver
