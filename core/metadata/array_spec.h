// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr {

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
