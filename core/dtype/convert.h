// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/converter.h"
#include "core/dtype/data_type.h"

namespace zarr {

// The op that turns elements as stored (type `stored`, in its byte order) into elements in memory
// of type `target` in the host's byte order; booleans become 0 or 1. `target` is stored.Native(),
// or what represents every value of it: int16 for int8, float32 for float16, complex64 for complex
// numbers of float16; for narrow types int8 or int16, uint8, float32, complex64. kInvalidArgument
// for any other pair. The op borrows `stored`.
Result<Converter> ReadConverter(const DataType& stored, const DataType& target);

// The inverse: elements in memory of type `source` become elements as stored. What int8 does not
// hold becomes its nearest value, float32 the nearest float16; any byte but 0 is true. Narrow types
// round as DoubleToNarrow() does. The op borrows `stored`.
Result<Converter> WriteConverter(const DataType& source, const DataType& stored);

}  // namespace zarr
