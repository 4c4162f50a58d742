// SPDX-License-Identifier: MIT
#include "driver/create/append_pixels.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "driver/base/gdal_compat.h"
#include "driver/create/band_nodata.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

struct Range {
    double least;
    double greatest;
};

template <class T>
constexpr Range RangeOf() {
    return {static_cast<double>(std::numeric_limits<T>::lowest()),
            static_cast<double>(std::numeric_limits<T>::max())};
}

// Returns the smallest and largest finite number of `type`, a type whose numbers a double
// represents exactly.
Range RangeOf(GDALDataType type) {
    switch (type) {
        case GDT_Byte:
            return RangeOf<std::uint8_t>();
        case GDT_UInt16:
            return RangeOf<std::uint16_t>();
        case GDT_Int16:
            return RangeOf<std::int16_t>();
        case GDT_UInt32:
            return RangeOf<std::uint32_t>();
        case GDT_Int32:
            return RangeOf<std::int32_t>();
        case GDT_Float32:
            return RangeOf<float>();
        case GDT_Float64:
            return RangeOf<double>();
        default:
            break;
    }
    if (type == kGdalInt8) return RangeOf<std::int8_t>();
    return {-65504, 65504};  // range of Float16, the only type left
}

using Complex = std::complex<double>;

bool HoldsWideIntegers(GDALDataType type) { return type == GDT_Int64 || type == GDT_UInt64; }

// True if a double cannot represent all pixels of the band.
bool IsWide(GDALRasterBand& band) {
    const GDALDataType type = band.GetRasterDataType();
    return GDALDataTypeIsComplex(type) != 0 || HoldsWideIntegers(type);
}

bool AreSame(const std::optional<long double>& a, const std::optional<long double>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return *a == *b || (std::isnan(*a) && std::isnan(*b));
}

template <class T>
constexpr GDALDataType BufferType() {
    if (std::is_same_v<T, std::int64_t>) return GDT_Int64;
    if (std::is_same_v<T, std::uint64_t>) return GDT_UInt64;
    return std::is_same_v<T, Complex> ? GDT_CFloat64 : GDT_Float64;
}

bool HasNan(double number) { return std::isnan(number); }
bool HasNan(const Complex& number) {
    return std::isnan(number.real()) || std::isnan(number.imag());
}
bool HasNan(std::int64_t) { return false; }
bool HasNan(std::uint64_t) { return false; }

// Returns the number of `type` that is nearest to `number`, and clears `fits` if `number` is out of
// the range of the type. `type` must not be complex or hold integers of 64 bits.
double Nearest(double number, GDALDataType type, bool& fits) {
    const bool is_integer = GDALDataTypeIsInteger(type) != 0;
    if (std::isnan(number)) return number;
    if (is_integer) number = std::round(number);
    if (std::isinf(number) && !is_integer) return number;
    const Range range = RangeOf(type);
    if (number >= range.least && number <= range.greatest) return number;
    fits = false;
    return std::clamp(number, range.least, range.greatest);
}

// Returns the integer that is nearest to `number`, which is not NaN.
template <class T, class From>
T NearestInteger(From number, bool& fits) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<From, double>) {
        number = std::round(number);
        if (number >= std::ldexp(1.0, Limits::digits)) return fits = false, Limits::max();
        if (number < static_cast<double>(Limits::min())) return fits = false, Limits::min();
    } else if constexpr (std::is_same_v<T, std::uint64_t> && std::is_signed_v<From>) {
        if (number < 0) return fits = false, Limits::min();
    } else if constexpr (std::is_same_v<T, std::int64_t> && !std::is_signed_v<From>) {
        if (number > static_cast<std::uint64_t>(Limits::max())) return fits = false, Limits::max();
    }
    return static_cast<T>(number);
}

// Returns the pixel of `type` that is nearest to `pixel`, as the type in which it is written.
template <class To, class From>
To NearestPixel(const From& pixel, GDALDataType type, bool& fits) {
    if constexpr (std::is_same_v<From, Complex> && !std::is_same_v<To, Complex>) {
        return NearestPixel<To>(pixel.real(), type, fits);
    } else if constexpr (std::is_same_v<To, Complex>) {
        const GDALDataType part = GDALGetNonComplexDataType(type);
        const Complex wide = [&] {
            if constexpr (std::is_same_v<From, Complex>)
                return pixel;
            else
                return Complex(static_cast<double>(pixel));
        }();
        return {Nearest(wide.real(), part, fits), Nearest(wide.imag(), part, fits)};
    } else if constexpr (std::is_same_v<To, double>) {
        return Nearest(static_cast<double>(pixel), type, fits);
    } else {
        return NearestInteger<To>(pixel, fits);
    }
}

// Returns the pixel's number, and nullopt for a complex pixel that is no real number. A pixel with
// a part that is NaN counts as NaN.
template <class From>
std::optional<long double> NumberInPixel(const From& pixel) {
    if constexpr (std::is_same_v<From, Complex>) {
        if (HasNan(pixel)) return std::numeric_limits<long double>::quiet_NaN();
        return pixel.imag() == 0 ? std::optional<long double>(pixel.real()) : std::nullopt;
    } else {
        return static_cast<long double>(pixel);
    }
}

// Returns `nodata` as the type in which a pixel is written.
template <class To>
To PixelOfNodata(long double nodata) {
    if constexpr (std::is_same_v<To, Complex>)
        return Complex(static_cast<double>(nodata));
    else
        return static_cast<To>(nodata);
}

}  // namespace

BandConversion::Storage::Storage(GDALRasterBand& band) : type(band.GetRasterDataType()) {
    int is_set = FALSE;
    if (const double stated = band.GetScale(&is_set); is_set != FALSE && stated != 0)
        scale = stated;
    if (const double stated = band.GetOffset(&is_set); is_set != FALSE) offset = stated;
    if (const auto stated = NodataOf(band))
        nodata = std::visit([](auto value) { return static_cast<long double>(value); }, *stated);
    if (nodata && type == GDT_Float32 && std::fabs(*nodata) <= RangeOf<float>().greatest)
        nodata = static_cast<float>(*nodata);
}

bool BandConversion::Storage::IsInteger() const {
    return GDALDataTypeIsInteger(GDALGetNonComplexDataType(type)) != 0;
}

bool BandConversion::Storage::IsNodata(long double number) const {
    return nodata && (number == *nodata || (std::isnan(number) && std::isnan(*nodata)));
}

BandConversion::BandConversion(GDALRasterBand& from, GDALRasterBand& to)
    : from_(&from), to_(&to), source_(from), target_(to) {
    rescales_ = source_.scale != target_.scale || source_.offset != target_.offset;
    converts_ = rescales_ || !AreSame(source_.nodata, target_.nodata) ||
                GDALDataTypeUnion(source_.type, target_.type) != target_.type;
}

Result<BandConversion> BandConversion::Between(GDALRasterBand& from, GDALRasterBand& to) {
    const std::string unit = from.GetUnitType();
    const std::string array_unit = to.GetUnitType();
    if (!unit.empty() && !array_unit.empty() && unit != array_unit)
        return Status::Invalid("band " + std::to_string(from.GetBand()) +
                               " of the source has the unit " + unit + ", the array has " +
                               array_unit);
    BandConversion copy(from, to);
    // Before GDAL 3.7, bytes with the item PIXELTYPE cannot be converted.
    const bool is_signed = HasSignedPixelType(from) || HasSignedPixelType(to);
    if (!IsWide(from) && !IsWide(to) && !is_signed) return copy;
    if (is_signed) copy.converts_ = false;
    const bool have_nodata = copy.source_.nodata && copy.target_.nodata;
    if (copy.rescales_ || (have_nodata && !AreSame(copy.source_.nodata, copy.target_.nodata)))
        return Status::Unsupported(
            "band " + std::to_string(from.GetBand()) +
            " of the source has another scale, offset or nodata value than the array; these are "
            "not converted for 64-bit integers and complex numbers");
    return copy;
}

template <class To, class From>
To BandConversion::Convert(From pixel) {
    if (const auto number = NumberInPixel(pixel); number && source_.IsNodata(*number)) {
        if (target_.nodata) return PixelOfNodata<To>(*target_.nodata);
        ++changed_.shown;
        if (HasNan(pixel) && target_.IsInteger()) return To{};
    }
    if constexpr (std::is_same_v<From, double> && std::is_same_v<To, double>)
        if (rescales_)
            pixel = (pixel * source_.scale + source_.offset - target_.offset) / target_.scale;
    if constexpr (std::is_same_v<From, Complex> && !std::is_same_v<To, Complex>)
        if (pixel.imag() != 0) ++changed_.imaginary;
    if (HasNan(pixel) && target_.IsInteger()) {
        ++changed_.clamped;
        return PixelOfNodata<To>(target_.nodata.value_or(0));
    }
    bool fits = true;
    const To result = NearestPixel<To>(pixel, target_.type, fits);
    if (!fits) ++changed_.clamped;
    if constexpr (std::is_same_v<To, Complex>) {
        if (result.imag() == 0 && target_.IsNodata(result.real())) ++changed_.hidden;
    } else {
        if (target_.IsNodata(static_cast<long double>(result))) ++changed_.hidden;
    }
    return result;
}

template <class From, class To>
Status BandConversion::CopyRows(GDALProgressFunc progress, void* progress_data) {
    const int width = from_->GetXSize();
    const int height = from_->GetYSize();
    // Copies one row of chunks at a time, or fewer lines if a row of chunks has more than
    // kMaxPixels pixels.
    constexpr int kMaxPixels = 1 << 21;
    int block_x = 0;
    int block_y = 0;
    to_->GetBlockSize(&block_x, &block_y);
    const int rows = std::clamp(kMaxPixels / width, 1, std::max(block_y, 1));
    std::vector<From> read;
    std::vector<To> converted;
    for (int y = 0; y < height; y += rows) {
        const int count = std::min(rows, height - y);
        read.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(count));
        converted.resize(read.size());
        if (from_->RasterIO(GF_Read, 0, y, width, count, read.data(), width, count,
                            BufferType<From>(), 0, 0, nullptr) != CE_None)
            return {zarr::StatusCode::kCancelled, ""};
        std::transform(read.begin(), read.end(), converted.begin(),
                       [this](const From& pixel) { return Convert<To>(pixel); });
        if (to_->RasterIO(GF_Write, 0, y, width, count, converted.data(), width, count,
                          BufferType<To>(), 0, 0, nullptr) != CE_None)
            return {zarr::StatusCode::kCancelled, ""};
        if (progress(static_cast<double>(y + count) / height, "", progress_data) == FALSE)
            return {zarr::StatusCode::kCancelled, "the copy was cancelled"};
    }
    return {};
}

template <class From>
Status BandConversion::CopyRowsFrom(GDALProgressFunc progress, void* progress_data) {
    if (target_.type == GDT_Int64) return CopyRows<From, std::int64_t>(progress, progress_data);
    if (target_.type == GDT_UInt64) return CopyRows<From, std::uint64_t>(progress, progress_data);
    if (GDALDataTypeIsComplex(target_.type) != 0)
        return CopyRows<From, Complex>(progress, progress_data);
    return CopyRows<From, double>(progress, progress_data);
}

Status BandConversion::Run(GDALProgressFunc progress, void* progress_data) {
    if (!converts_)
        return GDALRasterBandCopyWholeRaster(from_, to_, nullptr, progress, progress_data) ==
                       CE_None
                   ? Status()
                   : Status(zarr::StatusCode::kCancelled, "");
    if (source_.type == GDT_Int64) return CopyRowsFrom<std::int64_t>(progress, progress_data);
    if (source_.type == GDT_UInt64) return CopyRowsFrom<std::uint64_t>(progress, progress_data);
    if (GDALDataTypeIsComplex(source_.type) != 0)
        return CopyRowsFrom<Complex>(progress, progress_data);
    return CopyRowsFrom<double>(progress, progress_data);
}

}  // namespace zarr_driver
