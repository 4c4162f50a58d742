// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/axis_order.h"
#include "core/base/status.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/grid/chunk_grid.h"
#include "core/grid/grid_axis.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"

namespace zarr {

// What a new array is to be.
struct ArraySpec {
    Format format = Format::kV2;        // or kV3
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // likewise, each >= 1
    // Of v3: the elements per dimension of a shard, multiples of the chunks; empty without shards.
    std::vector<std::uint64_t> shard;
    DataType dtype;
    std::optional<std::string> fill_value;  // one element in the host's byte order; null without
    bool fortran_order = false;
    char dimension_separator = '.';
    bool has_key_prefix = false;    // of v3: chunk keys begin with "c"
    std::vector<CodecSpec> codecs;  // in encoding order; of kObject the codec of objects first
};

// One level of Zarr v3's sharding (its specification, "Sharding codec"): chunks, or the shards of
// the next level, in one value with an index of their places.
struct Sharding {
    std::vector<std::uint64_t> shape;     // of a shard: elements per dimension of the array
    AxisOrder order;                      // of the dimensions in the index
    std::vector<CodecSpec> index_codecs;  // from the bytes of the index to what is stored
    bool index_at_end = true;
    std::vector<CodecSpec> codecs;  // from the bytes of the whole shard to what is stored
};

// The meaning of an array's fill value where no attribute names a nodata value. In Zarr v3 the
// attribute `gdal_has_nodata` states it. See core/metadata/fill_meaning.h.
enum class FillMeaning : std::uint8_t {
    kUnstated,
    kNodata,
    kData,
};

// The validated description of an array, of any format and in the words of Zarr v2's specification
// ("Arrays"). The other files of this folder read and write it.
struct ArrayMetadata {
    Format format = Format::kV2;
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // likewise, each >= 1
    DataType dtype;
    std::optional<DataType> text_type;  // of kObject: the fixed width that longer texts exceed
    // Of v3's rectilinear grid: along each dimension the end of each chunk (of each shard, where
    // there are some) from element 0 on, ascending, the last >= shape; empty where a dimension is
    // regular. Empty for a regular grid. `chunks` are then the largest sizes.
    std::vector<std::vector<std::uint64_t>> edges;
    std::vector<Sharding> shards;  // outermost first; empty without
    AxisOrder axis_order;          // of the elements in a chunk
    char dimension_separator = '.';
    bool has_key_prefix = false;  // of v3: chunk keys begin with "c"
    bool has_separator = false;   // the metadata say which
    bool has_fill_value = false;  // false where "fill_value" is null
    FillValue fill_value;         // zeros where null
    FillMeaning fill_meaning = FillMeaning::kUnstated;
    bool lacks_fill_value = false;  // "fill_value", which has to be there, is not: null is meant
    bool has_characters = false;    // netCDF's, of which the last dimension makes texts
    // In encoding order. Of v3 without transpositions that `axis_order` says, and without "bytes"
    // where that says no more than the dtype's byte order.
    std::vector<CodecSpec> codecs;
    // Every member of `.zarray`, or of v3's document without its attributes, as it is stored,
    // unknown ones too; of v1 the members that say the same in v2. For this folder alone.
    json::Object document;

    std::size_t rank() const { return shape.size(); }
    ChunkKeyEncoding key_encoding() const { return {dimension_separator, has_key_prefix}; }
    // What is stored as one value: the shape of the outermost shard, else of a chunk.
    const std::vector<std::uint64_t>& stored_chunks() const {
        return shards.empty() ? chunks : shards.front().shape;
    }
    // The grid along a dimension, which borrows from this: of the chunks, and of what is stored as
    // one value. Chunks in shards are regular throughout the array, as their size divides that of
    // each shard (Zarr v3 specification, "Sharding codec").
    GridAxis ChunkAxis(std::size_t axis) const {
        return shards.empty() ? StoredAxis(axis) : GridAxis(shape[axis], chunks[axis]);
    }
    GridAxis StoredAxis(std::size_t axis) const {
        return edges.empty() || edges[axis].empty() ? GridAxis(shape[axis], stored_chunks()[axis])
                                                    : GridAxis(shape[axis], edges[axis]);
    }
};

// True where both were read from the same members, in any order: those who write consolidated
// metadata anew order them in their own way.
bool SameMetadata(const ArrayMetadata& a, const ArrayMetadata& b);

// The metadata of a new array, of v2. Errors are kInvalidArgument or kLimit and name the member.
// Whether the codecs exist and fit is checked where they are bound.
Result<ArrayMetadata> MakeArrayMetadata(const ArraySpec& spec);

// The metadata of the same array with another shape. kInvalidArgument or kLimit where it cannot
// have this one.
Result<ArrayMetadata> WithShape(const ArrayMetadata& metadata, std::vector<std::uint64_t> shape);

// The metadata of the same array with another fill value: one element in the host's byte order;
// null without.
Result<ArrayMetadata> WithFillValue(const ArrayMetadata& metadata,
                                    const std::optional<std::string>& element);

// True where the fill value has to follow a nodata value, one element in the host's byte order:
// readers of Zarr v2 take the fill value for nodata, whatever `_FillValue` says.
bool IsFillToFollow(const ArrayMetadata& metadata, const std::string& element);

// The metadata of a new array of the same type and codecs, without what other software has added.
Result<ArrayMetadata> WithGrid(const ArrayMetadata& metadata,
                               const std::vector<std::uint64_t>& shape,
                               const std::vector<std::uint64_t>& chunks, char separator);

// A text that is the same for arrays of the same metadata.
std::string MetadataText(const ArrayMetadata& metadata);

// How messages and users see the fill value: as JSON.
std::string FillValueText(const ArrayMetadata& metadata);

// The compressor and the filters as users see them: as JSON; empty without.
std::string CompressorText(const ArrayMetadata& metadata);
std::string FiltersText(const ArrayMetadata& metadata);

// Returns the JSON of all codecs: of Zarr v3 the list "codecs", of v1 and v2 an object with the
// members "filters" and "compressor" of v2.
std::string CodecsText(const ArrayMetadata& metadata);

}  // namespace zarr
