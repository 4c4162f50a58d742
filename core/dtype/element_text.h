// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/dtype/data_type.h"

namespace zarr {

// One element, in the host's byte order, as text: numbers with the fewest digits that read back to
// the same value, times as their tick count, strings as UTF-8, raw bytes and structures in base64.
// Not for kObject.
std::string ElementText(const DataType& type, const std::uint8_t* element);

// An element of a numeric or time type as a double; real part for complex. NaN for other types.
double ElementDouble(const DataType& type, const std::uint8_t* element);

// A double with the fewest digits that read back to it: "0.1", "1e+30", "nan".
std::string DoubleText(double number);

}  // namespace zarr
