// SPDX-License-Identifier: MIT
#include "driver/create/band_nodata.h"

#include "core/json/value.h"

namespace zarr_driver {

std::optional<Nodata> NodataOf(GDALRasterBand& band) {
    int is_known = FALSE;
    Nodata value;
    if (band.GetRasterDataType() == GDT_Int64)
        value = std::int64_t{band.GetNoDataValueAsInt64(&is_known)};
    else if (band.GetRasterDataType() == GDT_UInt64)
        value = std::uint64_t{band.GetNoDataValueAsUInt64(&is_known)};
    else
        value = band.GetNoDataValue(&is_known);
    return is_known != FALSE ? std::optional<Nodata>(value) : std::nullopt;
}

CPLErr SetNodata(GDALRasterBand& band, double value) { return band.SetNoDataValue(value); }
CPLErr SetNodata(GDALRasterBand& band, std::int64_t value) {
    return band.SetNoDataValueAsInt64(value);
}
CPLErr SetNodata(GDALRasterBand& band, std::uint64_t value) {
    return band.SetNoDataValueAsUInt64(value);
}

std::string NodataText(const std::optional<Nodata>& nodata) {
    if (!nodata) return {};
    return std::visit([](auto value) { return zarr::json::Dump(zarr::json::Value(value)); },
                      *nodata);
}

}  // namespace zarr_driver
