// SPDX-License-Identifier: MIT
// Conversion between Zarr's data types and GDAL's raster data types.
#pragma once

#include <gdal.h>

#include <string>

#include "core/base/converter.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// Returns the GDAL type that holds every value of `type`. Booleans become Byte and times Int64.
// Narrow types become Int8, Byte, Float32 or CFloat32. Returns GDT_Unknown for strings, raw bytes,
// structures and objects.
GDALDataType GdalTypeOf(const zarr::DataType& type);

// Returns the little-endian dtype that holds every value of a GDAL type; kUnsupported for complex
// integers.
zarr::Result<zarr::DataType> StoredTypeOf(GDALDataType type);

// Returns the dtype, in the host's byte order, of elements in memory with the type
// GdalTypeOf(type). That GDAL type must not be GDT_Unknown.
zarr::DataType MemoryTypeOf(const zarr::DataType& type);

// Returns the name of the GDAL type, such as "Float64", or the dtype if GDAL has no such raster
// type.
std::string TypeText(const zarr::DataType& type);

// Returns the warning that the nodata value `value` does not fit `type`.
std::string NodataOutOfRange(const std::string& value, const zarr::DataType& type);

// Converts stored elements to any GDAL type, by GDAL's conversion rules. op() borrows this object
// and the stored type.
class BufferConverter {
  public:
    BufferConverter(const zarr::DataType& stored, GDALDataType buffer_type);
    const zarr::Converter& op() const { return op_; }

  private:
    static void ConvertRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    zarr::Converter op_;
    zarr::Converter to_native_;
    GDALDataType native_type_;
    GDALDataType buffer_type_;
};

// Converts elements of any GDAL type to a stored type, by GDAL's conversion rules. op() borrows
// this object and the stored type.
class BufferWriteConverter {
  public:
    BufferWriteConverter(const zarr::DataType& stored, GDALDataType buffer_type);
    const zarr::Converter& op() const { return op_; }

  private:
    static void ConvertRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    zarr::Converter op_;
    zarr::Converter from_native_;
    GDALDataType native_type_;
    GDALDataType buffer_type_;
};

}  // namespace zarr_driver
