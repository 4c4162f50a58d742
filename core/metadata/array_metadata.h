// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"

namespace zarr {

// What a new array is to be.
struct ArraySpec {
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // likewise, each >= 1
    DataType dtype;
    std::optional<std::string> fill_value;  // one element in the host's byte order; null without
    bool fortran_order = false;
    char dimension_separator = '.';
    std::vector<CodecSpec> codecs;  // in encoding order; of kObject the codec of objects first
};

// The validated description of an array, of any format and in the words of Zarr v2's specification
// ("Arrays"). The other files of this folder read and write it.
struct ArrayMetadata {
    Format format = Format::kV2;
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // likewise, each >= 1
    DataType dtype;
    std::optional<DataType> text_type;  // of kObject: the fixed width that longer texts exceed
    bool fortran_order = false;         // elements in a chunk are column-major
    char dimension_separator = '.';
    bool has_separator = false;     // the metadata say which
    bool has_fill_value = false;    // false where "fill_value" is null
    FillValue fill_value;           // zeros where null
    bool lacks_fill_value = false;  // "fill_value", which has to be there, is not: null is meant
    bool has_characters = false;    // netCDF's, of which the last dimension makes texts
    std::vector<CodecSpec> codecs;  // in encoding order
    // Every member of `.zarray` as it is stored, unknown ones too; of v1 the members that say the
    // same in v2. For this folder alone.
    json::Object document;

    std::size_t rank() const { return shape.size(); }
};

// True where both were read from the same members, in the same order.
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

}  // namespace zarr
