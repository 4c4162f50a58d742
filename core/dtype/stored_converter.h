// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/row_converter.h"
#include "core/dtype/data_type.h"

namespace zarr {

// Returns the converter from stored elements (type `stored`, in its byte order) to elements in
// memory (type `target`, in the host's byte order). Booleans become 0 or 1. `target` is
// stored.Native() or a wider type that represents every stored value. Wider types are int16 for
// int8, float32 for float16, and complex64 for complex numbers of float16. For times `target` may
// be PlainTimeType(). For narrow types `target` may be int8 or int16, uint8, float32 or complex64.
// Fails with kInvalidArgument for other pairs. `stored` must outlive the converter.
Result<Converter> ReadConverter(const DataType& stored, const DataType& target);

// Returns the converter from elements in memory (type `source`) to stored elements; the inverse of
// ReadConverter(). Values out of int8's range are clamped; float32 is rounded to the nearest
// float16. Any byte except 0 is true. Narrow types are rounded as by DoubleToNarrow(). `stored`
// must outlive the converter.
Result<Converter> WriteConverter(const DataType& source, const DataType& stored);

}  // namespace zarr
