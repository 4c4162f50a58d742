// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype/data_type.h"

namespace zarr {

// Returns an element, given in the host's byte order, as text. Numbers have the fewest digits that
// read back exactly; times are tick counts; strings are UTF-8. Raw bytes and structures are base64.
// Not for kObject.
std::string ElementText(const DataType& type, const std::uint8_t* element);

// Returns an element of a numeric or time type as double. For a complex type, returns the real
// part. Returns NaN for all other types.
double ElementDouble(const DataType& type, const std::uint8_t* element);

// Returns the error for a `text` that is too long for an element of fixed length (kBytes or
// kUnicode).
Status TooLong(const DataType& type, std::string_view text);
// Returns the longest prefix of `text`, in whole UTF-8 characters, that fits an element of kBytes
// or kUnicode.
std::string_view TruncatedText(const DataType& type, std::string_view text);
// Returns ok if `text` fits an element of `type`, else TooLong(). Fails with kCorrupt if the type
// is kUnicode and `text` is not UTF-8.
Status CheckTextFits(const DataType& type, std::string_view text);

// Returns a double with the fewest digits that read back exactly: "0.1", "1e+30", "nan".
std::string DoubleText(double number);

// The following functions make text for APIs whose strings are UTF-8 and end at the first NUL.
// Bytes that such a string cannot hold are encoded, so that nothing is lost.

// Prefix that marks text as base64 of bytes that are not plain UTF-8 text.
inline constexpr std::string_view kBase64Prefix = "base64:";

// Returns `bytes` unchanged if possible, else kBase64Prefix followed by base64. Base64 is used if
// `bytes` contain NUL, are not UTF-8, or begin with kBase64Prefix. Different values never give
// equal texts.
std::string BytesToText(std::string_view bytes);

// Returns `bytes` in an unknown text encoding as text, like BytesToText(). However, invalid UTF-8
// becomes U+FFFD instead of base64.
std::string RawTextToText(std::string_view text);

// Returns the bytes from which BytesToText() made `text`. Text that BytesToText() cannot have made
// is returned unchanged.
std::string TextToBytes(std::string_view text);

}  // namespace zarr
