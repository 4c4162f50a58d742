// SPDX-License-Identifier: MIT
// Fill values: conversion between JSON and the bytes of one element. Values are not converted to
// double on the way, which would round large integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype/data_type.h"

namespace zarr {

// Fill value: the bytes of one element in the host's byte order. Trailing zeros are not stored,
// because a dtype may claim very large elements (`|V999999999`).
class FillValue {
  public:
    FillValue() = default;
    // Creates a fill value of `size` bytes: `bytes`, followed by zeros.
    FillValue(std::string bytes, std::size_t size);
    // Creates a fill value of kObject with the string or bytes `text`. The size is the size of
    // `text`.
    static FillValue OfObject(std::string text);

    std::size_t size() const { return size_; }
    bool is_zero() const { return trimmed_.empty(); }
    // Returns a copy of `size` bytes of the element, beginning at `offset`. The range must be
    // inside the element.
    std::string Part(std::size_t offset, std::size_t size) const;
    std::string Bytes() const { return Part(0, size_); }
    // Writes the size() bytes of the element to `to`.
    void CopyTo(std::uint8_t* to) const;
    // Returns the element's bytes without trailing zeros. For kObject, returns all bytes.
    const std::string& TrimmedBytes() const { return trimmed_; }

  private:
    std::string trimmed_;
    std::size_t size_ = 0;
};

// Parses the "fill_value" of a `.zarray` document (Zarr v2 specification, "Fill value encoding")
// into one element of `type`. `value` must not be null. For kObject the result is the string or the
// bytes.
// Also accepts values that zarr-python writes: 0 and "" for S, U, V and structured types; booleans
// and numbers for each other; integral floats for integers. Complex numbers may be one number,
// "NaN" or [re, im]. Numbers may be decimal text, as written by n5-zarr, early bioformats2raw, and
// GDAL's built-in driver for large uint64.
Result<FillValue> ParseFillValue(const DataType& type, const json::Value& value);

// Returns the "fill_value" in the form that zarr-python writes. `element` is one element of `type`
// in the host's byte order. Floats are JSON numbers or "NaN", "Infinity", "-Infinity". Times are
// ticks, also for NaT. S (without padding), V and structured types are base64. U and objects are
// text. ParseFillValue() restores the element, except that all NaNs become one NaN. Fails with
// kInvalidArgument if `element` has a wrong size, or is text that UTF-8 cannot represent.
Result<json::Value> FillValueToJson(const DataType& type, std::string_view element);

}  // namespace zarr
