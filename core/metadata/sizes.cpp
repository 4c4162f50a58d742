// SPDX-License-Identifier: MIT
#include "core/metadata/sizes.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/checked.h"
#include "core/base/limits.h"

namespace zarr {

Status CheckProduct(const std::vector<std::uint64_t>& factors, std::uint64_t unit,
                    std::string_view member) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (std::find(factors.begin(), factors.end(), 0U) != factors.end()) return {};
    std::uint64_t product = std::max<std::uint64_t>(unit, 1);
    for (const std::uint64_t factor : factors) {
        const auto next = CheckedMul(product, factor);
        if (!next || *next > kMax)
            return Status::Corrupt(std::string(member) + ": the product of the sizes overflows");
        product = *next;
    }
    return {};
}

Result<std::vector<std::uint64_t>> ReadShape(const json::Value& document,
                                             std::size_t element_size) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* given, json::Require(document, "shape"));
    ZARR_ASSIGN_OR_RETURN(std::vector<std::uint64_t> shape, json::UintsAtLeast(*given, 0, "shape"));
    if (shape.size() > LimitOf(Limit::kDimensions))
        return OverLimit(Limit::kDimensions,
                         "shape: has " + std::to_string(shape.size()) + " dimensions");
    ZARR_RETURN_IF_ERROR(CheckProduct(shape, element_size, "shape"));
    return shape;
}

json::Value SizesToJson(const std::vector<std::uint64_t>& sizes) {
    json::Array array;
    for (const std::uint64_t size : sizes) array.emplace_back(size);
    return json::Value(std::move(array));
}

Status ToInvalidArgument(const Status& status) {
    if (status.ok() || status.code() == StatusCode::kLimit ||
        status.code() == StatusCode::kUnsupported)
        return status;
    return {StatusCode::kInvalidArgument, status.message()};
}

}  // namespace zarr
