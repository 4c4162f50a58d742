// SPDX-License-Identifier: MIT
// Parses and checks shapes in metadata documents of all Zarr versions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Returns kCorrupt if the product of all `factors` and of `unit`, the element size in bytes,
// exceeds 2^63 - 1. A `unit` of 0 (dtype S0) counts as 1. The message names the document's member
// `member`.
Status CheckProduct(const std::vector<std::uint64_t>& factors, std::uint64_t unit,
                    std::string_view member);

// Returns the member "shape" of a document; sizes may be 0. Returns kCorrupt if the product of all
// sizes and of `element_size`, in bytes, exceeds 2^63 - 1. Returns kLimit for too many dimensions.
Result<std::vector<std::uint64_t>> ReadShape(const json::Value& document, std::size_t element_size);

// Returns the sizes as a JSON array.
json::Value SizesToJson(const std::vector<std::uint64_t>& sizes);

// Changes errors other than kLimit and kUnsupported to kInvalidArgument. Used for documents that
// are written, because their errors come from the caller's arguments.
Status ToInvalidArgument(const Status& status);

}  // namespace zarr
