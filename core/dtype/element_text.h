// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype/data_type.h"

namespace zarr {

// One element, in the host's byte order, as text: numbers with the fewest digits that read back to
// the same value, times as their tick count, strings as UTF-8, raw bytes and structures in base64.
// Not for kObject.
std::string ElementText(const DataType& type, const std::uint8_t* element);

// An element of a numeric or time type as a double; real part for complex. NaN for other types.
double ElementDouble(const DataType& type, const std::uint8_t* element);

// That `text` is too long for an element of fixed width, kBytes or kUnicode.
Status TooLong(const DataType& type, std::string_view text);
// TooLong() where it is; kCorrupt where text for kUnicode is no UTF-8.
Status CheckTextFits(const DataType& type, std::string_view text);

// A double with the fewest digits that read back to it: "0.1", "1e+30", "nan".
std::string DoubleText(double number);

}  // namespace zarr
