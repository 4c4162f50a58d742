// SPDX-License-Identifier: MIT
// Zarr's data types as GDAL's, and the other way round.
#pragma once

#include <gdal.h>

#include <string>

#include "core/base/converter.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// The GDAL type that holds every value of `type`: booleans are Byte, times Int64, narrow types
// Int8, Byte, Float32 or CFloat32; GDT_Unknown for strings, raw bytes, structures and objects.
GDALDataType GdalTypeOf(const zarr::DataType& type);

// The little-endian dtype that holds every value of a GDAL type; kUnsupported for the complex
// integers.
zarr::Result<zarr::DataType> StoredTypeOf(GDALDataType type);

// The in-memory type of that GDAL type; `type` must have one.
zarr::DataType MemoryTypeOf(const zarr::DataType& type);

// "Float64", or the dtype itself where GDAL has no raster type for it.
std::string TypeText(const zarr::DataType& type);

// The warning that a nodata value, as text, cannot be held by `type`.
std::string NodataOutside(const std::string& value, const zarr::DataType& type);

// Reads stored elements into memory of any GDAL type, with GDAL's rules of conversion. The op made
// borrows this object and the type it was made from.
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

// Writes elements of any GDAL type as stored ones, with GDAL's rules of conversion. The op made
// borrows this object and the type it was made from.
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
