// SPDX-License-Identifier: MIT
// The metadata of a new array from the texts that a program gives.
#pragma once

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/library/zarr_core/array.h"
#include "core/metadata/array_metadata.h"

namespace zarr_core {

// The attribute that holds the names of dimensions in Zarr v2 (a convention of xarray), and by
// which the core shows those of Zarr v3.
inline constexpr const char* kDimensionsAttribute = "_ARRAY_DIMENSIONS";

// Parses an object from the text of the caller; an empty text is an empty object. `what` names the
// text in messages.
zarr::Result<zarr::json::Value> ParseObject(std::string_view text, std::string_view what);

// Arguments of HierarchyWriter::CreateArray().
struct NewArray {
    zarr::ArrayMetadata metadata;
    zarr::json::Object attributes;
};

// Returns the metadata and attributes of a new array. Errors are kInvalidArgument, kUnsupported or
// kLimit, and name the member of the options. The codecs exist and can encode.
zarr::Result<NewArray> MakeNewArray(zarr::Format format, const ArrayOptions& options);

}  // namespace zarr_core
