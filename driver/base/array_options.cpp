// SPDX-License-Identifier: MIT
#include "driver/base/array_options.h"

#include <algorithm>
#include <utility>

#include "core/array/array.h"
#include "core/grid/chunk_grid.h"
#include "driver/base/filter_loss.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// clang-format off
constexpr OptionRow<ArrayCreationOptions> kArrayRows[] = {
    {{"BLOCKSIZE", "string", "", "Chunk size, slowest dimension first: `height,width` or `bands,height,width`. In the multidimensional API a number for each dimension\n. By default 512 x 512 pixels of one band; in copies of more than 16 bands 128 x 128 pixels of 16 bands; in the multidimensional API up to 4 MiB"}, Into<&ArrayCreationOptions::chunks, ReadSizes>},
    {{"CHUNK_MEMORY_LAYOUT", "string-select", "C", "Order of elements in a chunk: row-major (`C`) or column-major (`F`)", "C|F"}, Into<&ArrayCreationOptions::fortran_order, ReadOneOf<false, true>>},
    // GDAL's own driver calls the option "@ENDIAN".
    {{"ENDIAN|@ENDIAN", "string-select", "LITTLE", "Byte order of elements: `LITTLE`, `BIG`. `BIG` cannot be combined with `FILTER`", "LITTLE|BIG"}, Into<&ArrayCreationOptions::byte_order, ReadOneOf<zarr::ByteOrder::kLittle, zarr::ByteOrder::kBig>>},
    {{"DIM_SEPARATOR", "string", "", "Character between the numbers of a chunk's key: `.` or `/`. By default `.` in Zarr v2, and `/` (after `c/`) in Zarr v3", ".|/"}, Into<&ArrayCreationOptions::dimension_separator, ReadOneOf<'.', '/'>>},
    {{"CHUNK_KEY_ENCODING", "string-select", "DEFAULT", "For Zarr v3, the form of chunk keys: `DEFAULT`, such as `c/0/1`, or `V2`, such as `0.1`", "DEFAULT|V2"}, Into<&ArrayCreationOptions::has_key_prefix, ReadOneOf<true, false>>},
    {{"SHARD_CHUNK_SHAPE", "string", "", "For Zarr v3, size of the chunks in a shard, in the form of `BLOCKSIZE`. `BLOCKSIZE` is then the size of the shard. Without `BLOCKSIZE` a shard has as many chunks as take 64 MiB"}, Into<&ArrayCreationOptions::shard_chunks, ReadSizes>},
    {{"SHARD", "boolean", "NO", "For Zarr v3, whether chunks are stored in shards. Implied by `SHARD_CHUNK_SHAPE`. `SHARD=YES` alone makes shards of up to 64 MiB from chunks of `BLOCKSIZE`"}, Into<&ArrayCreationOptions::shard, ReadBool>},
};
// clang-format on

Status CheckCount(const char* name, const std::vector<std::uint64_t>& sizes, std::size_t rank) {
    if (sizes.empty() || sizes.size() == rank) return {};
    return Status::Invalid(std::string("creation option ") + name + ": expected " +
                           std::to_string(rank) + " numbers, one for each dimension, got " +
                           std::to_string(sizes.size()));
}

// States the alpha channel of WebP images of four samples. Without it, a file of opaque pixels has
// three samples.
void StateAlpha(zarr::ArraySpec& spec) {
    constexpr std::uint64_t kColoursAndAlpha = 4;
    if (spec.codecs.empty() || spec.chunks.empty()) return;
    zarr::CodecSpec& last = spec.codecs.back();
    if (last.name != "imagecodecs_webp" || spec.chunks.back() != kColoursAndAlpha) return;
    zarr::json::Object members = *last.configuration.as_object();
    members.emplace_back("hasalpha", true);
    last.configuration = zarr::json::Value(std::move(members));
}

}  // namespace

std::string ArrayOptionList() { return CodecOptionList() + ListOf(kArrayRows); }

Result<ArrayCreationOptions> ArrayCreationOptions::Parse(CSLConstList options) {
    ArrayCreationOptions array;
    ZARR_ASSIGN_OR_RETURN(array.codec, CodecChoice::Parse(options));
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kArrayRows, array));
    return array;
}

Status ArrayCreationOptions::Complete(const zarr::DataType& dtype) {
    // ENDIAN=BIG is refused together with a filter, because Zarr v2 and v3 differ. A filter of Zarr
    // v2 gets elements in the stored byte order. A filter of Zarr v3 gets numbers, which have no
    // byte order.
    if (codec.filters && !codec.filters->empty() && byte_order == zarr::ByteOrder::kBig)
        return RefuseOption("ENDIAN", "LITTLE, because FILTER is set", "BIG");
    if (!IsSharded() && !shard_chunks.empty())
        return RefuseOption("SHARD", "YES, because SHARD_CHUNK_SHAPE is set", "NO");
    warnings.push_back(codec.UseDefault("blosc"));
    ZARR_RETURN_IF_ERROR(codec.CheckImage(dtype));
    ZARR_ASSIGN_OR_RETURN(codecs, MakeCodecSpecs(codec, dtype));
    warnings.push_back(FilterWarning(codecs, dtype));
    warnings.erase(std::remove(warnings.begin(), warnings.end(), ""), warnings.end());
    return {};
}

Result<zarr::ArrayMetadata> NewArrayMetadata(zarr::ArraySpec spec,
                                             const ArrayCreationOptions& options) {
    const bool is_v3 = spec.format == zarr::Format::kV3;
    ZARR_RETURN_IF_ERROR(CheckCount("BLOCKSIZE", options.chunks, spec.shape.size()));
    ZARR_RETURN_IF_ERROR(CheckCount("SHARD_CHUNK_SHAPE", options.shard_chunks, spec.shape.size()));
    if (!is_v3 && (options.IsSharded() || options.has_key_prefix)) {
        const char* const option = !options.shard_chunks.empty() ? "SHARD_CHUNK_SHAPE"
                                   : options.IsSharded()         ? "SHARD"
                                                                 : "CHUNK_KEY_ENCODING";
        return Status::Invalid("creation option " + std::string(option) +
                               ": requires Zarr v3 (FORMAT=ZARR_V3)");
    }
    std::copy(options.chunks.begin(), options.chunks.end(), spec.chunks.begin());
    if (options.IsSharded() && !options.shard_chunks.empty()) {
        if (!options.chunks.empty()) spec.shard = spec.chunks;
        spec.chunks = options.shard_chunks;
    }
    constexpr std::size_t kBytesOfText = 16;
    if (options.IsSharded() && spec.shard.empty())
        spec.shard = zarr::DefaultShard(
            spec.shape, spec.chunks,
            spec.dtype.kind == zarr::DataKind::kObject ? kBytesOfText : spec.dtype.size);
    spec.codecs = options.codecs;
    StateAlpha(spec);
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
