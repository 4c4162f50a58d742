// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/dtype/data_type.h"

namespace zarr_driver {

// The element of `type`, in the host's byte order, that is the value; none where `type` has no such
// value. Of a float it is the nearest. T is double, std::int64_t or std::uint64_t.
template <class T>
std::optional<std::string> ElementOf(T value, const zarr::DataType& type);

}  // namespace zarr_driver
