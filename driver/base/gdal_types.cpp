// SPDX-License-Identifier: MIT
#include "driver/base/gdal_types.h"

#include <algorithm>
#include <climits>

#include "core/base/endian.h"
#include "core/dtype/stored_converter.h"
#include "core/dtype/time_types.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

namespace {

using zarr::DataKind;

GDALDataType IntegerType(bool is_signed, std::size_t size) {
    switch (size) {
        case 1:
            return !is_signed ? GDT_Byte : kGdalInt8 != GDT_Unknown ? kGdalInt8 : GDT_Int16;
        case 2:
            return is_signed ? GDT_Int16 : GDT_UInt16;
        case 4:
            return is_signed ? GDT_Int32 : GDT_UInt32;
        default:
            return is_signed ? GDT_Int64 : GDT_UInt64;
    }
}

GDALDataType FloatType(std::size_t size) {
    if (size == 2 && kGdalFloat16 != GDT_Unknown) return kGdalFloat16;
    return size == 8 ? GDT_Float64 : GDT_Float32;
}

// Calls GDALCopyWords64(). Also accepts strides that exceed the range of int, the type of
// GDALCopyWords64()'s strides.
void CopyWords(const void* src, GDALDataType src_type, std::ptrdiff_t src_stride, void* dst,
               GDALDataType dst_type, std::ptrdiff_t dst_stride, std::size_t count) {
    const auto fits = [](std::ptrdiff_t stride) { return stride >= INT_MIN && stride <= INT_MAX; };
    if (fits(src_stride) && fits(dst_stride)) {
        GDALCopyWords64(src, src_type, static_cast<int>(src_stride), dst, dst_type,
                        static_cast<int>(dst_stride), static_cast<GPtrDiff_t>(count));
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        GDALCopyWords64(
            static_cast<const GByte*>(src) + static_cast<std::ptrdiff_t>(i) * src_stride, src_type,
            0, static_cast<GByte*>(dst) + static_cast<std::ptrdiff_t>(i) * dst_stride, dst_type, 0,
            1);
}

}  // namespace

GDALDataType GdalTypeOf(const zarr::DataType& type) {
    switch (type.kind) {
        case DataKind::kBool:
            return GDT_Byte;
        case DataKind::kInt:
            return IntegerType(true, type.size);
        case DataKind::kUint:
            return IntegerType(false, type.size);
        case DataKind::kFloat:
            return type.narrow == zarr::NarrowType::kNone ? FloatType(type.size) : GDT_Float32;
        case DataKind::kComplex:
            return type.size == 16 ? GDT_CFloat64 : GDT_CFloat32;
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return GDT_Int64;
        default:
            return GDT_Unknown;
    }
}

zarr::Result<zarr::DataType> StoredTypeOf(GDALDataType type) {
    struct Pair {
        GDALDataType type;
        const char* typestr;
    };
    static const Pair kPairs[] = {
        {GDT_Byte, "|u1"},     {GDT_UInt16, "<u2"},   {GDT_Int16, "<i2"},     {GDT_UInt32, "<u4"},
        {GDT_Int32, "<i4"},    {GDT_UInt64, "<u8"},   {GDT_Int64, "<i8"},     {GDT_Float32, "<f4"},
        {GDT_Float64, "<f8"},  {GDT_CFloat32, "<c8"}, {GDT_CFloat64, "<c16"}, {kGdalInt8, "|i1"},
        {kGdalFloat16, "<f2"},
    };
    for (const Pair& pair : kPairs)
        if (type == pair.type && type != GDT_Unknown) return zarr::ParseTypestr(pair.typestr);
    return zarr::Status::Unsupported(std::string("data type ") + GDALGetDataTypeName(type) +
                                     " is not supported by Zarr; use CFloat32 or CFloat64");
}

zarr::DataType MemoryTypeOf(const zarr::DataType& type) {
    zarr::DataType memory = zarr::PlainTimeType(type);
    const auto size = static_cast<std::size_t>(GDALGetDataTypeSizeBytes(GdalTypeOf(type)));
    memory.narrow = zarr::NarrowType::kNone;
    if (memory.size != size) {  // GDAL has no type of this size, and uses a larger type
        memory.size = size;
        memory.order =
            zarr::HostIsLittleEndian() ? zarr::ByteOrder::kLittle : zarr::ByteOrder::kBig;
    }
    return memory;
}

std::string TypeText(const zarr::DataType& type) {
    const GDALDataType gdal_type = GdalTypeOf(type);
    return gdal_type != GDT_Unknown ? GDALGetDataTypeName(gdal_type) : type.ToString();
}

std::string NodataOutOfRange(const std::string& value, const zarr::DataType& type) {
    const bool is_narrow = type.narrow != zarr::NarrowType::kNone;
    return "nodata value " + value + " does not fit " +
           (is_narrow || type.is_time() ? type.ToString() : TypeText(type)) +
           (type.kind == DataKind::kInt && type.size == 1 && !is_narrow ? " with 8 bits" : "") +
           "; no nodata value is set";
}

BufferConverter::BufferConverter(const zarr::DataType& stored, GDALDataType buffer_type)
    : native_type_(GdalTypeOf(stored)), buffer_type_(buffer_type) {
    auto to_native = zarr::ReadConverter(stored, MemoryTypeOf(stored));
    CPLAssert(to_native.ok());
    to_native_ = *to_native;
    op_ = to_native_;
    if (buffer_type == native_type_) return;
    op_.row = ConvertRow;
    op_.dst_size = static_cast<std::size_t>(GDALGetDataTypeSizeBytes(buffer_type));
    op_.context = this;
    op_.is_copy = false;
}

void BufferConverter::ConvertRow(const zarr::Converter& op, std::uint8_t* dst,
                                 std::ptrdiff_t dst_stride, const std::uint8_t* src,
                                 std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const BufferConverter*>(op.context);
    if (self.to_native_.is_copy)
        return CopyWords(src, self.native_type_, src_stride, dst, self.buffer_type_, dst_stride,
                         count);
    alignas(16) std::uint8_t native[4096];
    const std::size_t size = self.to_native_.dst_size;
    const std::size_t batch = sizeof native / size;
    while (count > 0) {
        const std::size_t n = std::min(count, batch);
        self.to_native_.row(self.to_native_, native, static_cast<std::ptrdiff_t>(size), src,
                            src_stride, n);
        CopyWords(native, self.native_type_, static_cast<std::ptrdiff_t>(size), dst,
                  self.buffer_type_, dst_stride, n);
        src += static_cast<std::ptrdiff_t>(n) * src_stride;
        dst += static_cast<std::ptrdiff_t>(n) * dst_stride;
        count -= n;
    }
}

BufferWriteConverter::BufferWriteConverter(const zarr::DataType& stored, GDALDataType buffer_type)
    : native_type_(GdalTypeOf(stored)), buffer_type_(buffer_type) {
    auto from_native = zarr::WriteConverter(MemoryTypeOf(stored), stored);
    CPLAssert(from_native.ok());
    from_native_ = *from_native;
    op_ = from_native_;
    if (buffer_type == native_type_) return;
    op_.row = ConvertRow;
    op_.src_size = static_cast<std::size_t>(GDALGetDataTypeSizeBytes(buffer_type));
    op_.context = this;
    op_.is_copy = false;
}

void BufferWriteConverter::ConvertRow(const zarr::Converter& op, std::uint8_t* dst,
                                      std::ptrdiff_t dst_stride, const std::uint8_t* src,
                                      std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const BufferWriteConverter*>(op.context);
    alignas(16) std::uint8_t native[4096];
    const std::size_t size = self.from_native_.src_size;
    const std::size_t batch = sizeof native / size;
    while (count > 0) {
        const std::size_t n = std::min(count, batch);
        CopyWords(src, self.buffer_type_, src_stride, native, self.native_type_,
                  static_cast<std::ptrdiff_t>(size), n);
        self.from_native_.row(self.from_native_, dst, dst_stride, native,
                              static_cast<std::ptrdiff_t>(size), n);
        src += static_cast<std::ptrdiff_t>(n) * src_stride;
        dst += static_cast<std::ptrdiff_t>(n) * dst_stride;
        count -= n;
    }
}

}  // namespace zarr_driver
