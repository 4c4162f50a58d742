// SPDX-License-Identifier: MIT
// Time types for programs that read times by the CF conventions. No CF calendar counts months,
// years or multiples of a unit, such as NumPy's datetime64[M] and datetime64[25s].
#pragma once

#include <cstdint>

#include "core/base/row_converter.h"
#include "core/dtype/data_type.h"

namespace zarr {

// Returns the type, in the host's byte order, in which elements of `type` are shown. Types of times
// count one unit per tick, and other types are Native(). Days replace weeks, and the months and
// years of datetime64. Months and years of timedelta64 have no fixed length, and stay.
DataType PlainTimeType(const DataType& type);

// True if elements of `type` are shown as they are stored, apart from byte order. True for all
// types that are no times.
bool IsPlain(const DataType& type);

// Returns ticks of `type` as ticks of PlainTimeType(): the first day of a month or year. Returns
// kNotATime if the result overflows.
std::int64_t ToPlainTicks(const DataType& type, std::int64_t ticks);

// Returns ticks of PlainTimeType() as ticks of `type`, rounded down as by NumPy.
std::int64_t FromPlainTicks(const DataType& type, std::int64_t ticks);

// Return the converters from stored elements to PlainTimeType(), and back. `stored` must be a time
// type and must outlive the converter.
Converter PlainTimeReadConverter(const DataType& stored);
Converter PlainTimeWriteConverter(const DataType& stored);

}  // namespace zarr
