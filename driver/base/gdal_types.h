// SPDX-License-Identifier: MIT
// Conversion between Zarr's data types and GDAL's raster data types.
#pragma once

#include <gdal.h>

#include <string>

#include "core/base/row_converter.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// Returns a GDAL raster type that can represent all values of the Zarr data type `type`. Booleans
// become Byte, and times become Int64. Narrow types (zarr::NarrowType), which GDAL lacks, become
// Int8, Byte, Float32 or CFloat32. Returns GDT_Unknown for strings, raw bytes, structures and
// objects.
GDALDataType GdalTypeOf(const zarr::DataType& type);

// Returns the little-endian Zarr dtype that can represent all values of a GDAL type. Returns
// kUnsupported for complex integers.
zarr::Result<zarr::DataType> StoredTypeOf(GDALDataType type);

// Returns the dtype, in the host's byte order, of elements of the GDAL type GdalTypeOf(type). Times
// have zarr::PlainTimeType().
// GdalTypeOf(type) must not be GDT_Unknown.
zarr::DataType MemoryTypeOf(const zarr::DataType& type);

// Returns the name of the GDAL type for `type`, such as "Float64". Returns the dtype's name if GDAL
// has no raster type for `type`.
std::string TypeText(const zarr::DataType& type);

// Returns a warning that the nodata value `value` is out of the range of `type`.
std::string NodataOutOfRange(const std::string& value, const zarr::DataType& type);

// Converts elements of the dtype `stored` to elements of any GDAL type, by GDAL's conversion rules.
// The converter that op() returns refers to this object and to `stored`, which must outlive it.
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

// Converts elements of any GDAL type to elements of the dtype `stored`, by GDAL's conversion rules.
// The converter that op() returns refers to this object and to `stored`, which must outlive it.
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
