// SPDX-License-Identifier: MIT
// Shared parts of filters on numbers: calls with the C++ type of a DataType, NumPy's type
// conversion and type promotion, and checks. Numbers are booleans, integers, floats, complex
// numbers, and times as int64 ticks.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/codec/codec.h"

namespace zarr {

// Boolean element of one byte, which may have any value.
struct BoolByte {
    std::uint8_t byte;  // true if not 0
};
struct Half {
    std::uint16_t bits;
};

// Passes the type T to a generic lambda, as an object without members.
template <class T>
struct NumberTag {
    using type = T;
};

// Calls `visit(NumberTag<T>())`, where T is the C++ type of numbers of `type` in the host's byte
// order. `type` must be a number type that NumberMember() can return.
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

// Returns a number type in the host's byte order; `size` is in bytes.
DataType MakeNumberType(DataKind kind, std::size_t size);

// Returns the type, in the host's byte order, in which NumPy calculates with numbers of types `a`
// and `b` (numpy.promote_types).
DataType PromoteNumbers(const DataType& a, const DataType& b);

// Returns the number type that the required member `key` of `config` names as a NumPy typestr.
// Returns kCorrupt if the member is missing or names another type.
Result<DataType> NumberMember(const json::Value& config, std::string_view key);
// Returns the number type in the member `key` of `config`; `fallback` if the member is missing or
// null.
Result<DataType> OptionalNumberMember(const json::Value& config, std::string_view key,
                                      const DataType& fallback);

// Converts numbers from one stored type to another, including byte order, as NumPy's astype() does.
// Integers out of range wrap around. Floats are truncated towards zero; floats out of range give
// the results of x86 CPUs. Imaginary parts are dropped.
class NumberConversion {
  public:
    NumberConversion() = default;

    // Returns the conversion. Returns kUnsupported if `from` is a time type, unless `to` is an
    // integer type or the identical time type.
    static Result<NumberConversion> Make(const DataType& from, const DataType& to);

    // `src` and `dst` must not overlap and may have any alignment.
    void Run(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) const;

  private:
    using Rows = void (*)(const std::uint8_t* src, std::uint8_t* dst, std::size_t count);

    DataType from_;
    DataType to_;
    Rows rows_ = nullptr;  // converts native-endian numbers; nullptr if only byte order changes
};

// Number of elements that filters process at a time, in a block that fits the CPU cache.
inline constexpr std::size_t kNumberBlock = 512;
struct NumberBlock {
    alignas(16) std::uint8_t bytes[kNumberBlock * 16];
};

// Pointers to `count` source elements and to the memory for the converted elements.
struct ItemRun {
    const std::uint8_t* src = nullptr;
    std::uint8_t* dst = nullptr;
    std::size_t count = 0;
};

// Calls work(src, dst, n) for at most kNumberBlock elements of `run` at a time. `src_size` and
// `dst_size` are the sizes of an element in bytes.
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

// Allocates the decoded elements for `encoded`, and returns the run from the encoded to the decoded
// elements. Returns kCorrupt if `encoded` ends inside of an element.
Result<ItemRun> PrepareItems(ByteSpan encoded, std::size_t encoded_item, std::size_t decoded_item,
                             Output& decoded);
// Allocates the encoded elements for `decoded`, and returns the run from the decoded to the encoded
// elements. Returns kInvalidArgument if `decoded` ends inside of an element.
Result<ItemRun> PrepareItems(ByteSpan decoded, std::size_t decoded_item, std::size_t encoded_item,
                             Buffer& encoded);

// Returns an error if the size `decoded` is not a multiple of `decoded_item`, the bytes of one
// item. Filters on numbers call this function in CheckWritable().
Status CheckWholeItems(SizeBound decoded, std::size_t decoded_item);

// Returns the encoded size of `decoded` bytes. `decoded_item` and `encoded_item` are the bytes of
// one element.
SizeBound EncodedItems(SizeBound decoded, std::size_t decoded_item, std::size_t encoded_item);

// A filter that converts each number from one type to another.
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
    // Encodes the items of `run`. Called only if `writable_` is ok, that is, if the configuration
    // allows encoding.
    virtual void EncodeItems(const ItemRun& run) const = 0;

    DataType decoded_type_;
    DataType encoded_type_;
    Status writable_;  // error if encoding is impossible
};

// Types and calculations of NumPy 1 for an array and a Python number
// (https://numpy.org/doc/1.26/reference/generated/numpy.result_type.html).

// A number from a codec's configuration.
struct Scalar {
    // Returns the number in the required member `key` of `config`.
    static Result<Scalar> Member(const json::Value& config, std::string_view key);
    static Scalar Float(double number);

    double number = 0;
    std::uint64_t bits = 0;  // `number` in two's complement, if is_integer
    bool is_integer = false;
    DataType smallest;  // smallest type for `number` (numpy.min_scalar_type)
};

// Returns NumPy's result type for an array of type `array` and `scalar`.
DataType ResultType(const DataType& array, const Scalar& scalar);

enum class Operation { kAdd, kSubtract, kMultiply, kDivide, kRound };

// Function that replaces each of `count` numbers by the result of one operation with `scalar`.
// Numbers are in the host's byte order. kRound ignores `scalar` and rounds to the nearest integer,
// ties to even.
using Calculation = void (*)(std::uint8_t* numbers, std::size_t count, const Scalar& scalar);

// Returns the function for `operation`. `type` must be a result of ResultType(); kDivide needs a
// float or complex type. Integers that overflow wrap around.
Calculation MakeCalculation(Operation operation, const DataType& type);

}  // namespace zarr
