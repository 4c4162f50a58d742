// SPDX-License-Identifier: MIT
#include "driver/raster/nodata_element.h"

#include <gdal.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/dtype/narrow_types.h"
#include "driver/base/gdal_types.h"

namespace zarr_driver {

namespace {

template <class T>
constexpr GDALDataType kTypeOf = std::is_same_v<T, double>         ? GDT_Float64
                                 : std::is_same_v<T, std::int64_t> ? GDT_Int64
                                                                   : GDT_UInt64;

// Returns the largest float if `value` is up to half a float step larger, as for the rounded text
// 3.4028235e+38. Returns other values unchanged.
double ClampToFloat(double value) {
    constexpr double kLargest = FLT_MAX;
    const double half_a_step = std::ldexp(1.0, FLT_MAX_EXP - FLT_MANT_DIG - 1);
    const double size = std::abs(value);
    return size > kLargest && size < kLargest + half_a_step ? std::copysign(kLargest, value)
                                                            : value;
}

}  // namespace

template <class T>
std::optional<std::string> ElementOf(T value, const zarr::DataType& type) {
    const bool is_float =
        type.kind == zarr::DataKind::kFloat || type.kind == zarr::DataKind::kComplex;
    if constexpr (std::is_same_v<T, double>) {
        const GDALDataType real = GDALGetNonComplexDataType(GdalTypeOf(type));
        if (is_float && real == GDT_Float32) value = ClampToFloat(value);
        // Reject values out of range, because a float type without infinity would store its largest
        // number instead.
        if (type.narrow != zarr::NarrowType::kNone && !zarr::IsRepresentable(type.narrow, value))
            return std::nullopt;
    }
    std::string element(type.size, '\0');
    auto* const bytes = reinterpret_cast<std::uint8_t*>(element.data());
    const BufferWriteConverter write(type, kTypeOf<T>);
    write.op().row(write.op(), bytes, 0, reinterpret_cast<const std::uint8_t*>(&value), 0, 1);
    T converted{};
    const BufferConverter read(type, kTypeOf<T>);
    read.op().row(read.op(), reinterpret_cast<std::uint8_t*>(&converted), 0, bytes, 0, 1);
    if (converted == value) return element;
    if constexpr (std::is_same_v<T, double>) {
        if (is_float && (std::isnan(converted) ? std::isnan(value) : std::isfinite(converted)))
            return element;
    }
    return std::nullopt;
}

template <class T>
T NumberInElement(const std::string& element, const zarr::DataType& type) {
    T number{};
    const BufferConverter read(type, kTypeOf<T>);
    read.op().row(read.op(), reinterpret_cast<std::uint8_t*>(&number), 0,
                  reinterpret_cast<const std::uint8_t*>(element.data()), 0, 1);
    return number;
}

template double NumberInElement(const std::string&, const zarr::DataType&);
template std::int64_t NumberInElement(const std::string&, const zarr::DataType&);
template std::uint64_t NumberInElement(const std::string&, const zarr::DataType&);
template std::optional<std::string> ElementOf(double, const zarr::DataType&);
template std::optional<std::string> ElementOf(std::int64_t, const zarr::DataType&);
template std::optional<std::string> ElementOf(std::uint64_t, const zarr::DataType&);

}  // namespace zarr_driver
