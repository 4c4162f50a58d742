// SPDX-License-Identifier: MIT
// NumPy 1's arithmetic of an array of numbers with a Python number, in the types that NumPy gives
// its results (https://numpy.org/doc/1.26/reference/generated/numpy.result_type.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/codec/numeric.h"

namespace zarr {

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
