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
// As much of the beginning of `text`, in whole characters of UTF-8, as an element of kBytes or
// kUnicode holds.
std::string_view FittingText(const DataType& type, std::string_view text);
// TooLong() where it is; kCorrupt where text for kUnicode is not UTF-8.
Status CheckTextFits(const DataType& type, std::string_view text);

// A double with the fewest digits that read back to it: "0.1", "1e+30", "nan".
std::string DoubleText(double number);

// Text for those whose strings are UTF-8 and end at the first NUL, without losing what is neither.

// In front of the base64 of bytes that are no such text.
inline constexpr std::string_view kBase64Mark = "base64:";

// `bytes` as they are, or, where they hold NUL, are no UTF-8, or begin with the mark, the mark and
// their base64: so no two values become the same text.
std::string MarkedBytes(std::string_view bytes);

// The same of text in an unknown encoding: bytes that are not UTF-8 become U+FFFD, unless the
// text is marked for another reason.
std::string MarkedText(std::string_view text);

// The bytes of which MarkedBytes() makes `text`; any other text is returned as it is.
std::string UnmarkedBytes(std::string_view text);

}  // namespace zarr
