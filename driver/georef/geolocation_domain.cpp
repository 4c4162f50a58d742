// SPDX-License-Identifier: MIT
#include "driver/georef/geolocation_domain.h"

#include <cpl_conv.h>

#include <algorithm>
#include <cmath>

#include "core/conventions/cf/cf_units.h"
#include "core/conventions/cf/coordinates.h"
#include "driver/base/gdal_types.h"
#include "driver/georef/cf_srs.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

namespace {

using zarr::GeolocationArray;
using Kind = zarr::Geolocation::Kind;

std::string WktOf(const OGRSpatialReference& srs) {
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    if (srs.exportToWkt(&wkt) != OGRERR_NONE || wkt == nullptr || wkt[0] == '\0') {
        CPLFree(wkt);
        wkt = nullptr;
        srs.exportToWkt(&wkt, options);
    }
    std::string text(wkt != nullptr ? wkt : "");
    CPLFree(wkt);
    return text;
}

std::string UnitsOfArray(const GeolocationArray& array) {
    const auto* units = zarr::StringAttribute(array.facts.attributes, "units");
    return units != nullptr ? *units : std::string();
}

// Returns the CRS of geolocation arrays: for longitudes and latitudes, `stated` if geographic, else
// WGS 84. For other coordinates, returns `stated`, or nullopt if its units differ.
std::optional<OGRSpatialReference> SrsOf(const zarr::Geolocation& geolocation,
                                         const OGRSpatialReference* stated) {
    if (geolocation.kind == Kind::kLongLat) {
        OGRSpatialReference srs;
        if (stated != nullptr && stated->IsGeographic() && !stated->IsDerivedGeographic())
            srs = *stated;
        else if (srs.importFromEPSG(4326) != OGRERR_NONE)
            return std::nullopt;
        return srs;
    }
    if (stated == nullptr) return std::nullopt;
    for (const GeolocationArray* array : {&geolocation.x, &geolocation.y}) {
        const auto unit = zarr::ParseSpaceUnit(UnitsOfArray(*array));
        if (!unit) continue;
        const bool is_angle = unit->kind == zarr::SpaceUnit::Kind::kAngle;
        const bool takes_angles = stated->IsGeographic() || SatelliteHeight(*stated) > 0;
        if (is_angle ? !takes_angles : stated->IsGeographic() != 0) return std::nullopt;
    }
    return *stated;
}

// Returns a VRT dataset (XML) whose only band is stored number * scale + offset. Nodata elements
// become the lowest double, which is no valid coordinate.
std::string UnpackedDataset(const std::string& name, const GeolocationArray& array, double scale,
                            double offset) {
    const auto& [x, y] = array.facts.axes;
    const auto& shape = array.facts.metadata.shape;
    const auto size = [&](const std::optional<std::size_t>& axis) {
        return std::to_string(axis ? shape[*axis] : 1);
    };
    constexpr const char* kNodata = "-1.7976931348623157e+308";
    char* const escaped = CPLEscapeString(name.c_str(), -1, CPLES_XML);
    const std::string source(escaped);
    CPLFree(escaped);
    return "<VRTDataset rasterXSize=\"" + size(x) + "\" rasterYSize=\"" + size(y) +
           "\"><VRTRasterBand dataType=\"Float64\" band=\"1\"><NoDataValue>" + kNodata +
           "</NoDataValue><ComplexSource><SourceFilename relativeToVRT=\"0\">" + source +
           "</SourceFilename><SourceBand>1</SourceBand><UseMaskBand>true</UseMaskBand>"
           "<ScaleOffset>" +
           CPLSPrintf("%.17g", offset) + "</ScaleOffset><ScaleRatio>" + CPLSPrintf("%.17g", scale) +
           "</ScaleRatio></ComplexSource></VRTRasterBand></VRTDataset>";
}

// Finds the 2-D slice of a coordinate array that belongs to a raster, and compares slices.
class Slices {
  public:
    Slices(const GeolocatedRaster& raster, const GeolocationArray& array)
        : raster_(raster), array_(array) {
        for (const GeolocationArray::Leading& leading : array.leading) {
            const auto& of_raster = leading.of_raster;
            const auto fixed = of_raster && *of_raster < raster.fixed.size()
                                   ? raster.fixed[*of_raster]
                                   : std::nullopt;
            indices_.push_back(fixed.value_or(0));
            last_.push_back(fixed.value_or(leading.size - 1));
        }
    }

    // Returns the indices, along the leading dimensions, of the slice that belongs to the raster.
    const std::vector<std::uint64_t>& indices() const { return indices_; }

    // Returns the name of the first leading dimension along which coordinates differ, or "".
    // Compares only the first and the last slice.
    std::string FirstChangingDimension() const {
        if (indices_ == last_) return {};
        const auto first = Read(indices_);
        const auto last = Read(last_);
        const auto is_same = [](double a, double b) {
            return a == b || (std::isnan(a) && std::isnan(b));
        };
        if (first.ok() && last.ok() &&
            std::equal(first->values.begin(), first->values.end(), last->values.begin(),
                       last->values.end(), is_same))
            return {};
        const auto differing = std::mismatch(indices_.begin(), indices_.end(), last_.begin());
        return array_.leading[static_cast<std::size_t>(differing.first - indices_.begin())].name;
    }

  private:
    zarr::Result<zarr::Coordinates> Read(const std::vector<std::uint64_t>& indices) const {
        zarr::Region region = zarr::Region::All(array_.facts.metadata.shape);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            region.start[i] = indices[i];
            region.count[i] = 1;
        }
        return zarr::ReadCoordinates(raster_.hierarchy, array_.facts.path, array_.facts.attributes,
                                     region, raster_.threads);
    }

    const GeolocatedRaster& raster_;
    const GeolocationArray& array_;
    std::vector<std::uint64_t> indices_;
    std::vector<std::uint64_t> last_;
};

// Returns the name of a GDAL dataset whose first band is X or Y of each pixel, in units of `srs`.
std::string CoordinateDataset(const GeolocatedRaster& raster, const GeolocationArray& array,
                              const OGRSpatialReference& srs, zarr::Warnings& warnings) {
    const Slices slices(raster, array);
    const std::string changing = slices.FirstChangingDimension();
    if (!changing.empty())
        warnings.push_back("GEOLOCATION: /" + array.facts.path + " changes along " + changing +
                           ", and the first slice is used; open a slice of the array by its index");
    const std::string name =
        FormatConnectionString(raster.store_path, array.facts.path, slices.indices());
    const zarr::Packing packing = zarr::ReadPacking(array.facts.attributes).Report(warnings);
    const double factor = CoordinateScale(srs, UnitsOfArray(array));
    const double scale = packing.scale.value_or(1) * factor;
    const double offset = packing.offset.value_or(0) * factor;
    return scale == 1 && offset == 0 ? name : UnpackedDataset(name, array, scale, offset);
}

bool IsRasterOfNumbers(const GeolocationArray& array) {
    const zarr::DataType& type = array.facts.metadata.dtype;
    return type.is_numeric() && type.kind != zarr::DataKind::kComplex &&
           GdalTypeOf(type) != GDT_Unknown;
}

}  // namespace

CPLStringList GeolocationDomain(const GeolocatedRaster& raster,
                                const zarr::Geolocation& geolocation, zarr::Warnings& warnings) {
    CPLStringList list;
    const auto srs = SrsOf(geolocation, raster.srs);
    if (!srs || !IsRasterOfNumbers(geolocation.x) || !IsRasterOfNumbers(geolocation.y)) return list;
    const auto set = [&list](const char* name, const std::string& value) {
        list.SetNameValue(name, value.c_str());
    };
    set("SRS", WktOf(*srs));
    set("X_DATASET", CoordinateDataset(raster, geolocation.x, *srs, warnings));
    set("X_BAND", "1");
    set("Y_DATASET", CoordinateDataset(raster, geolocation.y, *srs, warnings));
    set("Y_BAND", "1");
    set("PIXEL_OFFSET", "0");
    set("PIXEL_STEP", "1");
    set("LINE_OFFSET", "0");
    set("LINE_STEP", "1");
    set("GEOREFERENCING_CONVENTION", "PIXEL_CENTER");
    return list;
}

}  // namespace zarr_driver
