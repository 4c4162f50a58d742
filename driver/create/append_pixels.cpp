// SPDX-License-Identifier: MIT
#include "driver/create/append_pixels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

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
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
    if (type == GDT_Int8) return RangeOf<std::int8_t>();
#endif
    return {-65504, 65504};  // range of Float16, the only type left
}

// True if pixels of the band cannot be converted, because a double cannot represent complex numbers
// or all 64-bit integers. Before GDAL 3.7, bytes with the item PIXELTYPE cannot be converted
// either.
bool IsNotConvertible(GDALRasterBand& band) {
    const GDALDataType type = band.GetRasterDataType();
    return GDALDataTypeIsComplex(type) != 0 || type == GDT_Int64 || type == GDT_UInt64 ||
           HasSignedPixelType(band);
}

bool AreSame(const std::optional<double>& a, const std::optional<double>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return *a == *b || (std::isnan(*a) && std::isnan(*b));
}

}  // namespace

PixelCopy::Storage::Storage(GDALRasterBand& band) : type(band.GetRasterDataType()) {
    int is_set = FALSE;
    if (const double stated = band.GetScale(&is_set); is_set != FALSE && stated != 0)
        scale = stated;
    if (const double stated = band.GetOffset(&is_set); is_set != FALSE) offset = stated;
    if (type == GDT_Int64) {
        if (const auto stated = band.GetNoDataValueAsInt64(&is_set); is_set != FALSE)
            nodata = static_cast<double>(stated);
        return;
    }
    if (type == GDT_UInt64) {
        if (const auto stated = band.GetNoDataValueAsUInt64(&is_set); is_set != FALSE)
            nodata = static_cast<double>(stated);
        return;
    }
    if (const double stated = band.GetNoDataValue(&is_set); is_set != FALSE)
        nodata = type == GDT_Float32 && std::abs(stated) <= RangeOf<float>().greatest
                     ? static_cast<double>(static_cast<float>(stated))
                     : stated;
}

bool PixelCopy::Storage::IsNodata(double number) const {
    return nodata && (number == *nodata || (std::isnan(number) && std::isnan(*nodata)));
}

PixelCopy::PixelCopy(GDALRasterBand& from, GDALRasterBand& to)
    : from_(&from), to_(&to), source_(from), target_(to) {
    rescales_ = source_.scale != target_.scale || source_.offset != target_.offset;
    converts_ = rescales_ || !AreSame(source_.nodata, target_.nodata) ||
                GDALDataTypeUnion(source_.type, target_.type) != target_.type;
}

Result<PixelCopy> PixelCopy::Between(GDALRasterBand& from, GDALRasterBand& to) {
    const std::string unit = from.GetUnitType();
    const std::string array_unit = to.GetUnitType();
    if (!unit.empty() && !array_unit.empty() && unit != array_unit)
        return Status::Invalid("band " + std::to_string(from.GetBand()) +
                               " of the source has the unit " + unit + ", the array has " +
                               array_unit);
    PixelCopy copy(from, to);
    if (!IsNotConvertible(from) && !IsNotConvertible(to)) return copy;
    copy.converts_ = false;
    const bool have_nodata = copy.source_.nodata && copy.target_.nodata;
    if (copy.rescales_ || (have_nodata && !AreSame(copy.source_.nodata, copy.target_.nodata)))
        return Status::Unsupported(
            "band " + std::to_string(from.GetBand()) +
            " of the source has another scale, offset or nodata value than the array; these are "
            "not converted for 64-bit integers and complex numbers");
    return copy;
}

double PixelCopy::Convert(double number) {
    if (source_.IsNodata(number)) {
        if (target_.nodata) return *target_.nodata;
        ++changed_.shown;
        if (std::isnan(number) && GDALDataTypeIsInteger(target_.type) != 0) return 0;
    }
    if (rescales_)
        number = (number * source_.scale + source_.offset - target_.offset) / target_.scale;
    if (std::isnan(number)) {
        if (GDALDataTypeIsInteger(target_.type) == 0) return number;
        ++changed_.clamped;
        return target_.nodata.value_or(0);
    }
    if (GDALDataTypeIsInteger(target_.type) != 0) number = std::round(number);
    const Range range = RangeOf(target_.type);
    const bool is_infinite = std::isinf(number) && GDALDataTypeIsInteger(target_.type) == 0;
    if (!is_infinite && (number < range.least || number > range.greatest)) {
        ++changed_.clamped;
        number = std::clamp(number, range.least, range.greatest);
    }
    if (target_.IsNodata(number)) ++changed_.hidden;
    return number;
}

Status PixelCopy::Run(GDALProgressFunc progress, void* progress_data) {
    const auto emitted = [] { return Status(zarr::StatusCode::kCancelled, ""); };
    if (!converts_)
        return GDALRasterBandCopyWholeRaster(from_, to_, nullptr, progress, progress_data) ==
                       CE_None
                   ? Status()
                   : emitted();
    const int width = from_->GetXSize();
    const int height = from_->GetYSize();
    // Copies one row of chunks at a time, or fewer lines if a row of chunks has more than
    // kMaxPixels pixels.
    constexpr int kMaxPixels = 1 << 21;
    int block_x = 0;
    int block_y = 0;
    to_->GetBlockSize(&block_x, &block_y);
    const int rows = std::clamp(kMaxPixels / width, 1, std::max(block_y, 1));
    std::vector<double> numbers;
    for (int y = 0; y < height; y += rows) {
        const int count = std::min(rows, height - y);
        numbers.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(count));
        const auto move = [&](GDALRasterBand& band, GDALRWFlag flag) {
            return band.RasterIO(flag, 0, y, width, count, numbers.data(), width, count,
                                 GDT_Float64, 0, 0, nullptr);
        };
        if (move(*from_, GF_Read) != CE_None) return emitted();
        for (double& number : numbers) number = Convert(number);
        if (move(*to_, GF_Write) != CE_None) return emitted();
        if (progress(static_cast<double>(y + count) / height, "", progress_data) == FALSE)
            return {zarr::StatusCode::kCancelled, "the copy was cancelled"};
    }
    return {};
}

}  // namespace zarr_driver
