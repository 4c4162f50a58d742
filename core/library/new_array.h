// SPDX-License-Identifier: MIT
// Makes the metadata of a new array from a program's ArrayOptions.
#pragma once

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/library/zarr_core/array.h"
#include "core/metadata/array_metadata.h"

namespace zarr_core {

// Attribute with the dimension names of an array in Zarr v2 (a convention of xarray). The core
// reports the dimension names of Zarr v3 under this name, too.
inline constexpr const char* kDimensionsAttribute = "_ARRAY_DIMENSIONS";

// Parses `text`, which the caller passed, as a JSON object; an empty text is an empty object.
// `what` names the text in error messages.
zarr::Result<zarr::json::Value> ParseObject(std::string_view text, std::string_view what);

// Arguments of HierarchyWriter::CreateArray().
struct NewArray {
    zarr::ArrayMetadata metadata;
    zarr::json::Object attributes;
};

// Returns the metadata and attributes of a new array. Checks that every codec exists and can
// encode. Errors are kInvalidArgument, kUnsupported or kLimit, and name the invalid member of
// `options`.
zarr::Result<NewArray> MakeNewArray(zarr::Format format, const ArrayOptions& options);

}  // namespace zarr_core
