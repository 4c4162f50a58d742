// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/dtype/data_type.h"

namespace zarr_driver {

// Returns `value` as an element of `type`, in native byte order; for a float type, the nearest
// float. Returns nullopt if `type` cannot hold the value. T is double, std::int64_t or
// std::uint64_t.
template <class T>
std::optional<std::string> ElementOf(T value, const zarr::DataType& type);

// Returns an element of `type`, in native byte order, as GDAL's number. T is as above.
template <class T>
T NumberInElement(const std::string& element, const zarr::DataType& type);

}  // namespace zarr_driver
