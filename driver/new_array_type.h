// SPDX-License-Identifier: MIT
// The dtype that a new array of a type of GDAL's multidimensional API gets.
#pragma once

#include <gdal_priv.h>

#include "core/base/status.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// The option STRING_FORMAT; kAscii is the default, as it stores what has a maximum length, in
// bytes, as what it was read from.
enum class StringFormat : std::uint8_t { kAscii, kUnicode };
zarr::Result<StringFormat> ParseStringFormat(CSLConstList options);

// Numbers as StoredTypeOf() has them. Strings with a maximum length are S, with kUnicode and
// without a maximum kObject, for vlen-utf8. Compounds are structures without padding; strings in
// them need a maximum length and are S, with kUnicode U; members called name[0], name[1], ... of
// one type are a subarray.
zarr::Result<zarr::DataType> NewArrayType(const GDALExtendedDataType& type, StringFormat strings);

}  // namespace zarr_driver
