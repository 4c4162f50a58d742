// SPDX-License-Identifier: MIT
// Parses and checks shapes in the metadata documents of all Zarr versions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Returns kCorrupt if the product of `factors` and the element size `unit`, in bytes, exceeds 2^63
// - 1. An element size of 0 (dtype S0) counts as 1. Messages name the member `member`.
Status CheckProduct(const std::vector<std::uint64_t>& factors, std::uint64_t unit,
                    std::string_view member);

// Returns the member "shape" of an array's document; sizes may be 0. Returns kCorrupt if the array
// would have more than 2^63 - 1 bytes, and kLimit for too many dimensions.
Result<std::vector<std::uint64_t>> ReadShape(const json::Value& document, std::size_t element_size);

// Returns the sizes as a JSON array.
json::Value SizesToJson(const std::vector<std::uint64_t>& sizes);

// Turns errors other than kLimit and kUnsupported into kInvalidArgument. In a document to be
// written, such errors come from the caller's arguments.
Status ToInvalidArgument(const Status& status);

}  // namespace zarr
