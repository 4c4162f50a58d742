// SPDX-License-Identifier: MIT
// Shapes as documents have them, which all versions of the format share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// kCorrupt unless the product of `factors` and `unit` fits 63 bits. Elements without a size (S0)
// count as 1.
Status CheckProduct(const std::vector<std::uint64_t>& factors, std::uint64_t unit,
                    std::string_view member);

// The member "shape" of a document: sizes that may be 0, whose product with `element_size`, in
// bytes, fits 63 bits. kLimit for too many dimensions.
Result<std::vector<std::uint64_t>> ReadShape(const json::Value& document, std::size_t element_size);

// A list of sizes as JSON.
json::Value SizesToJson(const std::vector<std::uint64_t>& sizes);

// What is damage in a document that is read is an invalid argument in one that is written.
Status AsArgument(const Status& status);

}  // namespace zarr
