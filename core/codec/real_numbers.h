// SPDX-License-Identifier: MIT
// What the codecs of Zarr v3 that calculate share: integers and floats, also those of fewer bits
// than C++ has a type for, as types and scalars of `zarr.json`, and a loop over them that may fail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/codec/codec.h"
#include "core/codec/numeric.h"

namespace zarr {

// Of a number, or of one part of a complex one; a byte in memory may have more.
unsigned BitsOf(const DataType& type);

// The name that Zarr v3 and its extensions have for a type of numbers; NumPy's spelling of others.
std::string NumberTypeName(const DataType& type);

// Fails with kUnsupported where `type` is none of the types of real numbers that C++ calculates in:
// integers, and float16, float32 and float64.
Status CheckRealType(const DataType& type);

// The type that `value` names as Zarr v3's "data_type" does, in the host's byte order. kCorrupt
// where it names none of real numbers, kUnsupported as CheckRealType() says.
Result<DataType> ParseRealType(const json::Value& value, std::string_view place);

// A scalar as Zarr v3's "fill_value" spells it, of a type for which CheckRealType() is ok: the
// bytes of one element in the host's byte order. Errors are kCorrupt.
Result<std::string> ParseRealScalar(const DataType& type, const json::Value& value,
                                    std::string_view place);

// Calls `visit` as VisitNumber() does, with the type of a real number whatever `type` is.
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

// An element in the host's byte order, as messages show it.
std::string RealNumberText(const DataType& type, const std::uint8_t* element);

// The low `bits` of `number` as a number of that many bits.
template <class Int>
Int OfBits(std::uint64_t number, unsigned bits) {
    if (bits >= sizeof(Int) * 8) return static_cast<Int>(number);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const bool is_negative = std::is_signed_v<Int> && ((number >> (bits - 1)) & 1) != 0;
    return static_cast<Int>(is_negative ? number | ~mask : number & mask);
}

// The least and the largest integer of a type.
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

// A filter that turns real numbers of one type into as many of another, or fails where it cannot.
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
    // Elements in the host's byte order on both sides. The status is kCorrupt of the first, and
    // kInvalidArgument of the second.
    virtual Status DecodeItems(const ItemRun& run) const = 0;
    virtual Status EncodeItems(const ItemRun& run) const = 0;

    DataType decoded_type_;
    DataType encoded_type_;

  private:
    using Work = Status (RealFilter::*)(const ItemRun& run) const;
    Status Run(ItemRun run, const DataType& from, const DataType& to, Work work) const;
};

}  // namespace zarr
