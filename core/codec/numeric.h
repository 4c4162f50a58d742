// SPDX-License-Identifier: MIT
// What the filters on numbers share: one visit from a DataType to a C++ type, NumPy's conversion
// and promotion of numbers, and the checks on configuration and size. Numbers are bool, integers,
// floats, complex numbers, and times as their int64 ticks.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/codec/codec.h"

namespace zarr {

// Elements that C++ has no arithmetic type for.
struct BoolByte {
    std::uint8_t byte;  // true where not 0
};
struct Half {
    std::uint16_t bits;
};

// Carries a type into a generic lambda.
template <class T>
struct NumberTag {
    using type = T;
};

// Calls `visit(NumberTag<T>())` for the T that holds a number of `type` in the host's byte order.
// `type` must be a number type as NumberMember() returns it.
template <class Visit>
auto VisitNumber(const DataType& type, Visit&& visit) {
    switch (type.kind) {
        case DataKind::kBool:
            return visit(NumberTag<BoolByte>());
        case DataKind::kInt:
            if (type.size == 1) return visit(NumberTag<std::int8_t>());
            if (type.size == 2) return visit(NumberTag<std::int16_t>());
            if (type.size == 4) return visit(NumberTag<std::int32_t>());
            return visit(NumberTag<std::int64_t>());
        case DataKind::kUint:
            if (type.size == 1) return visit(NumberTag<std::uint8_t>());
            if (type.size == 2) return visit(NumberTag<std::uint16_t>());
            if (type.size == 4) return visit(NumberTag<std::uint32_t>());
            return visit(NumberTag<std::uint64_t>());
        case DataKind::kFloat:
            if (type.size == 2) return visit(NumberTag<Half>());
            if (type.size == 4) return visit(NumberTag<float>());
            return visit(NumberTag<double>());
        case DataKind::kComplex:
            if (type.size == 8) return visit(NumberTag<std::complex<float>>());
            return visit(NumberTag<std::complex<double>>());
        default:
            return visit(NumberTag<std::int64_t>());
    }
}

// A native number type.
DataType MakeNumberType(DataKind kind, std::size_t size);

// The native type that NumPy computes in when numbers of both types meet (numpy.promote_types).
DataType PromoteNumbers(const DataType& a, const DataType& b);

// The compulsory member `key` of `config`, a typestr of a number type. Errors are kCorrupt.
Result<DataType> NumberMember(const json::Value& config, std::string_view key);
// The same for a member that may be missing or null and then is `fallback`.
Result<DataType> OptionalNumberMember(const json::Value& config, std::string_view key,
                                      const DataType& fallback);

// Converts numbers from one stored type to another, byte order included, as NumPy's astype() does:
// integers wrap; floats are cut towards zero, and out of range give what x86 gives; the imaginary
// part is dropped.
class NumberConversion {
  public:
    NumberConversion() = default;

    // kUnsupported for times that would be read as anything but integers.
    static Result<NumberConversion> Make(const DataType& from, const DataType& to);

    // `src` and `dst` must not overlap and may have any alignment.
    void Run(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) const;

  private:
    using Rows = void (*)(const std::uint8_t* src, std::uint8_t* dst, std::size_t count);

    DataType from_;
    DataType to_;
    Rows rows_ = nullptr;  // native to native; nullptr where nothing but byte order changes
};

// Elements that filters work on at a time in memory of their own, so that it stays in the cache.
inline constexpr std::size_t kNumberBlock = 512;
struct NumberBlock {
    alignas(16) std::uint8_t bytes[kNumberBlock * 16];
};

// Elements in one form and room for the other.
struct ItemRun {
    const std::uint8_t* src = nullptr;
    std::uint8_t* dst = nullptr;
    std::size_t count = 0;
};

// Calls work(src, dst, n) on the elements of `run`, at most kNumberBlock at a time; `src_size` and
// `dst_size` are bytes of an element.
template <class Work>
void ForEachBlock(ItemRun run, std::size_t src_size, std::size_t dst_size, Work&& work) {
    while (run.count > 0) {
        const std::size_t n = run.count < kNumberBlock ? run.count : kNumberBlock;
        work(run.src, run.dst, n);
        run.src += n * src_size;
        run.dst += n * dst_size;
        run.count -= n;
    }
}

// Prepares `decoded` for the elements of `encoded`; fails where these are not whole.
Result<ItemRun> PrepareItems(ByteSpan encoded, std::size_t encoded_item, std::size_t decoded_item,
                             Output& decoded);
// The same for the other direction.
Result<ItemRun> PrepareItems(ByteSpan decoded, std::size_t decoded_item, std::size_t encoded_item,
                             Buffer& encoded);

// CheckWritable() of a codec of items of `decoded_item` bytes.
Status CheckWholeItems(SizeBound decoded, std::size_t decoded_item);

// The size of elements that have `decoded_item` bytes decoded and `encoded_item` encoded.
SizeBound EncodedItems(SizeBound decoded, std::size_t decoded_item, std::size_t encoded_item);

// A filter that turns numbers of one type into as many of another.
class NumberFilter : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, decoded_type_.size, encoded_type_.size);
    }
    Status Decode(ByteSpan encoded, Output& decoded) const override;
    Status CheckWritable(SizeBound decoded) const override;
    Status Encode(ByteSpan decoded, Buffer& encoded) const override;
    DataType EncodedType() const override { return encoded_type_; }

  protected:
    virtual void DecodeItems(const ItemRun& run) const = 0;
    // Called where `writable_` is ok.
    virtual void EncodeItems(const ItemRun& run) const = 0;

    DataType decoded_type_;
    DataType encoded_type_;
    Status writable_;  // why nothing can be encoded
};

// NumPy 1's arithmetic of an array of numbers with a Python number, in the types that NumPy gives
// its results (https://numpy.org/doc/1.26/reference/generated/numpy.result_type.html).

// A number that the configuration of a codec gives.
struct Scalar {
    // The compulsory member `key` of `config`.
    static Result<Scalar> Member(const json::Value& config, std::string_view key);
    static Scalar Float(double number);

    double number = 0;
    std::uint64_t bits = 0;  // of an integer, in two's complement
    bool is_integer = false;
    DataType smallest;  // the smallest type that holds it (numpy.min_scalar_type)
};

// The type of what becomes of an array of `array` and `scalar`.
DataType ResultType(const DataType& array, const Scalar& scalar);

enum class Operation { kAdd, kSubtract, kMultiply, kDivide, kRound };

// A calculation on each of `count` native numbers, in place. kRound is to the nearest integer, ties
// to even, and has no use for `scalar`.
using Calculation = void (*)(std::uint8_t* numbers, std::size_t count, const Scalar& scalar);

// `type` must be what ResultType() gave; kDivide needs a float or complex type. Integers wrap.
Calculation MakeCalculation(Operation operation, const DataType& type);

}  // namespace zarr
