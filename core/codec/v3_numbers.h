// SPDX-License-Identifier: MIT
// Shared parts of Zarr v3 codecs that calculate with integers and floats. Parses data types and
// scalars of `zarr.json`, and converts numbers. Numbers may have fewer bits than any C++ type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/codec/codec.h"
#include "core/codec/numpy_numbers.h"

namespace zarr {

// Returns the number of significant bits of a number of the type `type`. For a complex type,
// returns the bits of one part. A number may take more bits in memory.
unsigned BitsOf(const DataType& type);

// Returns the Zarr v3 name of a number type. For any other type, returns NumPy's name.
std::string NumberTypeName(const DataType& type);

// Returns kUnsupported unless `type` is an integer, float16, float32 or float64.
Status CheckRealType(const DataType& type);

// Parses `value`, a data type written as in "data_type", and returns the type in the host's byte
// order. Returns kCorrupt if `value` names no type of real numbers, and kUnsupported if
// CheckRealType() rejects it. `place` is the path of `value`, for messages.
Result<DataType> ParseRealType(const json::Value& value, std::string_view place);

// Parses `value`, a scalar of `type` written as in "fill_value", into the bytes of one element in
// the host's byte order. `type` must satisfy CheckRealType(). Returns kCorrupt for any other
// `value`. `place` is the path of `value`, for messages.
Result<std::string> ParseRealScalar(const DataType& type, const json::Value& value,
                                    std::string_view place);

// Calls `visit` with the NumberTag of `type`. If `type` is not a real number type, the tag is
// NumberTag<double>.
template <class Visit>
auto VisitReal(const DataType& type, Visit&& visit) {
    return VisitNumber(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, Half>)
            return visit(tag);
        else
            return visit(NumberTag<double>());
    });
}

// Returns the text of an element in the host's byte order, for messages.
std::string RealNumberText(const DataType& type, const std::uint8_t* element);

// Returns the low `bits` bits of `number` as an integer of that width, with sign extension if Int
// is signed.
template <class Int>
Int TruncateToBits(std::uint64_t number, unsigned bits) {
    if (bits >= sizeof(Int) * 8) return static_cast<Int>(number);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const bool is_negative = std::is_signed_v<Int> && ((number >> (bits - 1)) & 1) != 0;
    return static_cast<Int>(is_negative ? number | ~mask : number & mask);
}

// Range of the values of an integer type.
struct IntegerRange {
    std::int64_t least = 0;
    std::uint64_t largest = 0;

    static IntegerRange Of(const DataType& type);

    template <class Int>
    bool Has(Int number) const {
        if (std::is_signed_v<Int> && number < 0) return static_cast<std::int64_t>(number) >= least;
        return static_cast<std::uint64_t>(number) <= largest;
    }
};

// A filter that converts each real number to another type, and returns an error if a number cannot
// be converted.
class RealFilter : public Codec {
  public:
    RealFilter(DataType decoded_type, DataType encoded_type);

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, decoded_type_.size, encoded_type_.size);
    }
    Status Decode(ByteSpan encoded, Output& decoded) const override;
    Status CheckWritable(SizeBound decoded) const override {
        return CheckWholeItems(decoded, decoded_type_.size);
    }
    Status Encode(ByteSpan decoded, Buffer& encoded) const override;
    DataType EncodedType() const override { return encoded_type_; }
    bool KeepsShape() const override { return true; }

  protected:
    // DecodeItems() and EncodeItems() convert elements in the host's byte order. If an element
    // cannot be converted, DecodeItems() returns kCorrupt, and EncodeItems() returns
    // kInvalidArgument.
    virtual Status DecodeItems(const ItemRun& run) const = 0;
    virtual Status EncodeItems(const ItemRun& run) const = 0;

    DataType decoded_type_;
    DataType encoded_type_;

  private:
    using Work = Status (RealFilter::*)(const ItemRun& run) const;
    Status Run(ItemRun run, const DataType& from, const DataType& to, Work work) const;
};

}  // namespace zarr
