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

// Description of a new array, as input for MakeArrayMetadata().
struct ArraySpec {
    Format format = Format::kV2;        // kV2 or kV3
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // elements per dimension of a chunk, each >= 1
    // Zarr v3 only: elements per dimension of a shard, each a multiple of the chunk size. Empty if
    // the array has no shards.
    std::vector<std::uint64_t> shard;
    DataType dtype;
    std::optional<std::string> fill_value;  // one element in the host's byte order, or nullopt
    bool fortran_order = false;
    char dimension_separator = '.';
    bool has_key_prefix = false;    // v3 only: chunk keys begin with "c"
    std::vector<CodecSpec> codecs;  // in encoding order; an object codec comes first
};

// A level of sharding (Zarr v3 specification, "Sharding codec"). A shard of this level contains
// chunks, or shards of the next level, and an index of their byte ranges.
struct Sharding {
    std::vector<std::uint64_t> shape;     // elements per dimension of a shard
    AxisOrder order;                      // order of the dimensions in the shard index
    std::vector<CodecSpec> index_codecs;  // codecs that encode the shard index, in encoding order
    bool index_at_end = true;
    std::vector<CodecSpec> codecs;  // codecs that encode the whole shard, in encoding order
};

// Whether the fill value means missing data, in an array whose attributes name no nodata value.
// Zarr v3 arrays may state this by `gdal_has_nodata`; see core/metadata/fill_meaning.h.
enum class FillMeaning : std::uint8_t {
    kUnstated,
    kNodata,
    kData,
};

// Validated metadata of an array of any Zarr version, in the terms of the Zarr v2 specification
// ("Arrays"). Read and written by the other files of core/metadata.
struct ArrayMetadata {
    Format format = Format::kV2;
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // elements per dimension of a chunk, each >= 1
    DataType dtype;
    // Fixed-width text type that the document states, although the chunks contain objects; see
    // IsTextStoredAsObjects(). nullopt for all other arrays.
    std::optional<DataType> text_type;
    // For a rectilinear grid of Zarr v3: by dimension, the ends of its chunks (or shards) as
    // ascending element indices, up to the dimension's size or beyond. Empty for a regular
    // dimension; `edges` is empty for a regular grid.
    std::vector<std::vector<std::uint64_t>> edges;
    std::vector<Sharding> shards;  // outermost shards first; empty if not sharded
    AxisOrder axis_order;          // order of the elements in a chunk
    char dimension_separator = '.';
    bool has_key_prefix = false;  // v3 only: chunk keys begin with "c"
    bool has_separator = false;   // true if the document states the separator
    bool has_fill_value = false;  // false if "fill_value" is null
    FillValue fill_value;         // zeros if "fill_value" is null
    FillMeaning fill_meaning = FillMeaning::kUnstated;
    // True if GDAL's built-in driver wrote the Zarr v3 document, see IsV3TextOfGdal(). Its fill
    // values other than null mean missing data.
    bool is_of_gdal = false;
    // true if the document lacks "fill_value", which counts as null
    bool is_fill_value_missing = false;
    bool has_characters = false;  // true: netCDF characters, whose last dimension forms strings
    // Codecs in encoding order. In v3, leading transpose codecs are left out (see `axis_order`),
    // and so is a "bytes" codec that only states the byte order of `dtype`.
    std::vector<CodecSpec> codecs;
    // Every stored member of `.zarray`, or of `zarr.json` without its attributes, including unknown
    // members. For Zarr v1, the equivalent members of v2. Used only in core/metadata.
    json::Object document;

    std::size_t rank() const { return shape.size(); }
    ChunkKeyEncoding key_encoding() const { return {dimension_separator, has_key_prefix}; }
    // Returns the shape of the elements that are stored under one key: the shape of the outermost
    // shard, or of a chunk if the array is not sharded.
    const std::vector<std::uint64_t>& stored_chunks() const {
        return shards.empty() ? chunks : shards.front().shape;
    }
    // Return the grid along dimension `axis`: ChunkAxis() that of the inner chunks, which is always
    // regular (Zarr v3 specification, "Sharding codec"); StoredAxis() that of the shards or chunks
    // under one key. The result refers to this object.
    GridAxis ChunkAxis(std::size_t axis) const {
        return shards.empty() ? StoredAxis(axis) : GridAxis(shape[axis], chunks[axis]);
    }
    GridAxis StoredAxis(std::size_t axis) const {
        return edges.empty() || edges[axis].empty() ? GridAxis(shape[axis], stored_chunks()[axis])
                                                    : GridAxis(shape[axis], edges[axis]);
    }
};

// True if `a` and `b` were read from documents with equal members, in any order. Programs that
// write consolidated metadata may reorder members.
bool SameMetadata(const ArrayMetadata& a, const ArrayMetadata& b);

// True if the chunks of `a` and `b` have equal keys, shapes, types and codecs, and absent chunks
// have equal values. The metadata documents may differ in other members.
bool StoreEqualChunks(const ArrayMetadata& a, const ArrayMetadata& b);

// True if an array that was opened with the metadata `opened` reads the right values from the
// chunks of an array with the metadata `stored`: keys, chunk shapes, types, codecs and fill values
// are equal. `stored` may have a larger shape.
bool HasChunksOf(const ArrayMetadata& stored, const ArrayMetadata& opened);

// Returns the metadata of a new array. Returns kInvalidArgument or kLimit with the name of the
// invalid member. Does not check the codecs; binding them to the array does.
Result<ArrayMetadata> MakeArrayMetadata(const ArraySpec& spec);

// Returns `metadata` with another shape of equal rank. Returns kInvalidArgument or kLimit if the
// array cannot have that shape.
Result<ArrayMetadata> WithShape(const ArrayMetadata& metadata, std::vector<std::uint64_t> shape);

// Returns `metadata` with another fill value. `element` is one element in the host's byte order;
// nullopt for no fill value.
Result<ArrayMetadata> WithFillValue(const ArrayMetadata& metadata,
                                    const std::optional<std::string>& element);

// True if an array needs its new nodata value `element` as fill value, too: readers of Zarr v2 take
// the fill value for nodata, even if `_FillValue` differs. `element` is in the host's byte order.
bool FillValueMustFollow(const ArrayMetadata& metadata, const std::string& element);

// True if the codecs fit only the chunk size of this array. Example: a shuffle codec whose
// "elementsize" is the size of a whole plane, not of an element.
bool NeedsChunkSize(const ArrayMetadata& metadata);

// Returns the metadata of a new array of `shape` in chunks of shape `chunks`, with the data type
// and codecs of `metadata`. Omits members that other software has added, such as those of NCZarr.
Result<ArrayMetadata> WithGrid(const ArrayMetadata& metadata,
                               const std::vector<std::uint64_t>& shape,
                               const std::vector<std::uint64_t>& chunks, char separator);

// Returns a text that identifies the metadata: equal metadata gives equal text.
std::string MetadataText(const ArrayMetadata& metadata);

// Returns the fill value as JSON, for messages and users.
std::string FillValueText(const ArrayMetadata& metadata);

// Return the compressor and the filters as JSON, for users; empty if the array has none.
std::string CompressorText(const ArrayMetadata& metadata);
std::string FiltersText(const ArrayMetadata& metadata);

// Returns the JSON of all codecs. For Zarr v3 the JSON is the list "codecs". For v1 and v2 the JSON
// is an object with the members "filters" and "compressor" of v2.
std::string CodecsText(const ArrayMetadata& metadata);

}  // namespace zarr
