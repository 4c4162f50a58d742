// SPDX-License-Identifier: MIT
// Fill values, from JSON to the bytes of one element and never through a double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype/data_type.h"

namespace zarr {

// One element, in the host's byte order. The zeros at its end are not held, as an element may have
// as many bytes as a dtype says (`|V999999999`).
class FillValue {
  public:
    FillValue() = default;
    // An element of `size` bytes, of which `bytes` are the first and zeros the others.
    FillValue(std::string bytes, std::size_t size);
    // An element of kObject, which has no other size: held as it is.
    static FillValue OfObject(std::string text);

    std::size_t size() const { return size_; }
    bool is_zero() const { return held_.empty(); }
    // `size` bytes from `offset` on, which lie within the element. Allocates them.
    std::string Part(std::size_t offset, std::size_t size) const;
    std::string Bytes() const { return Part(0, size_); }
    // Writes all bytes to `to`.
    void CopyTo(std::uint8_t* to) const;
    // What is held of it: all of it, of kObject.
    const std::string& held() const { return held_; }

  private:
    std::string held_;
    std::size_t size_ = 0;
};

// One element of `type` from the JSON of `.zarray`'s "fill_value" (Zarr v2 specification, "Fill
// value encoding"). `value` must not be null. For kObject the result is the string or the bytes
// themselves. Accepts besides the specification what zarr-python writes: 0 and "" for S, U, V and
// structured types, booleans and numbers for each other, integral floats for integers, complex
// numbers as one number, "NaN" or [re, im]; and for integers and floats decimal text, as n5-zarr,
// early bioformats2raw and, where a uint64 does not fit an int64, GDAL's own driver write it, and
// zarr-python 2 reads it.
Result<FillValue> ParseFillValue(const DataType& type, const json::Value& value);

// The JSON of "fill_value" as zarr-python spells it, from the bytes of one element of `type` in
// the host's byte order. ParseFillValue() takes the result back to them, except that every NaN
// becomes the same one. Floats are JSON numbers, or the strings "NaN", "Infinity" and "-Infinity";
// times their ticks, NaT too; S without its padding, V and structured types base64; U and objects
// text. kInvalidArgument where `element` has another size than the type, or is text (U, objects)
// that UTF-8 cannot hold.
Result<json::Value> FillValueToJson(const DataType& type, std::string_view element);

}  // namespace zarr
