// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"

namespace zarr {

// The validated contents of `.zarray` (Zarr v2 specification, "Arrays"), of NCZarr's as
// AsSpecified() has them, of text that is stored as objects as AsObjects() has it.
struct ArrayMetadata {
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // likewise, each >= 1
    DataType dtype;
    std::optional<DataType> text_type;  // of kObject: the fixed width that longer texts exceed
    bool fortran_order = false;         // elements in a chunk are column-major
    char dimension_separator = '.';
    bool has_separator = false;   // "dimension_separator" says so
    bool has_fill_value = false;  // false where "fill_value" is null
    FillValue fill_value;         // zeros where null
    bool has_characters = false;  // netCDF's, of which the last dimension makes texts
    json::Value compressor;       // object or null
    json::Value filters;          // array or null
    json::Object document;        // every member as it was read, unknown ones too
    bool is_v1 = false;           // translated from Zarr v1, which is only read

    std::size_t rank() const { return shape.size(); }
};

// True where both were parsed from the same members, in the same order.
bool SameDocument(const ArrayMetadata& a, const ArrayMetadata& b);

// The attributes of the array, an object; null where they cannot be read.
using AttributesSource = std::function<json::Value()>;

// Parses and validates the text of `.zarray`. Where it may be netCDF-C's and mean something else
// than it says, `attributes` are asked, if given. Every compulsory member must be there; the
// product of the shape, of the chunk's sizes in bytes and the number of chunks must fit 63 bits.
// Errors name the member and its value.
Result<ArrayMetadata> ParseArrayMetadata(std::string_view text,
                                         const AttributesSource& attributes = {});

// Checks the text of `.zgroup`.
Status CheckGroupMetadata(std::string_view text);

// Parses the text of `.zattrs`: an object.
Result<json::Value> ParseAttributes(std::string_view text);

// What a new array is to be (Zarr v2 specification, "Arrays").
struct ArraySpec {
    std::vector<std::uint64_t> shape;   // elements per dimension
    std::vector<std::uint64_t> chunks;  // likewise, each >= 1
    DataType dtype;
    std::optional<std::string> fill_value;  // one element in the host's byte order; null without
    bool fortran_order = false;
    char dimension_separator = '.';
    json::Value compressor;  // object or null
    json::Value filters;     // array or null; for kObject it must hold the codec of the objects
};

// The members of `.zarray`, which ParseArrayMetadata() reads back as `spec`. Errors are
// kInvalidArgument or kLimit and name the member. Whether the codecs exist and fit is for whoever
// binds them.
Result<json::Object> MakeArrayDocument(const ArraySpec& spec);

}  // namespace zarr
