// SPDX-License-Identifier: MIT
#include "driver/cf_geographic.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/conventions/cf_units.h"
#include "core/conventions/name_key.h"

namespace zarr_driver {

using zarr::CfEarth;
using zarr::Ellipsoid;
using zarr::Result;
using zarr::Status;

namespace {

struct KnownDatum {
    std::string_view key;  // NameKey() of the datum's or the geographic CRS's name
    int crs;               // EPSG code of the geographic CRS
};

constexpr int kWgs84 = 4326;

// Names of EPSG, OGC (the same with underscores), ESRI (that with D_ in front) and in short.
constexpr KnownDatum kDatums[] = {
    {"wgs84", kWgs84},
    {"wgs1984", kWgs84},
    {"worldgeodeticsystem1984", kWgs84},
    {"worldgeodeticsystem1984ensemble", kWgs84},
    {"wgs72", 4322},
    {"wgs1972", 4322},
    {"worldgeodeticsystem1972", 4322},
    {"nad83", 4269},
    {"northamericandatum1983", 4269},
    {"northamerican1983", 4269},
    {"nad27", 4267},
    {"northamericandatum1927", 4267},
    {"northamerican1927", 4267},
    {"etrs89", 4258},
    {"etrs1989", 4258},
    {"europeanterrestrialreferencesystem1989", 4258},
    {"europeanterrestrialreferencesystem1989ensemble", 4258},
    {"ed50", 4230},
    {"europeandatum1950", 4230},
    {"european1950", 4230},
    {"osgb36", 4277},
    {"osgb1936", 4277},
    {"ordnancesurveyofgreatbritain1936", 4277},
    {"amersfoort", 4289},
    {"dhdn", 4314},
    {"deutscheshauptdreiecksnetz", 4314},
    {"mgi", 4312},
    {"militargeographischeinstitut", 4312},
    {"militargeographischesinstitut", 4312},
    {"ch1903", 4149},
    {"ntf", 4275},
    {"nouvelletriangulationfrancaise", 4275},
    {"ntfparis", 4807},
    {"nouvelletriangulationfrancaiseparis", 4807},
    {"rgf93", 4171},
    {"rgf93v1", 4171},
    {"reseaugeodesiquefrancais1993", 4171},
    {"reseaugeodesiquefrancais1993v1", 4171},
    {"pulkovo1942", 4284},
    {"gda94", 4283},
    {"gda1994", 4283},
    {"geocentricdatumofaustralia1994", 4283},
    {"gda2020", 7844},
    {"geocentricdatumofaustralia2020", 7844},
    {"nzgd2000", 4167},
    {"newzealandgeodeticdatum2000", 4167},
    {"tokyo", 4301},
    {"jgd2000", 4612},
    {"japanesegeodeticdatum2000", 4612},
    {"jgd2011", 6668},
    {"japanesegeodeticdatum2011", 6668},
    {"cgcs2000", 4490},
    {"china2000", 4490},
    {"chinageodeticcoordinatesystem2000", 4490},
    {"sirgas2000", 4674},
    {"sistemadereferenciageocentricoparalasamericas2000", 4674},
    {"sad69", 4618},
    {"southamericandatum1969", 4618},
    {"hartebeesthoek94", 4148},
};

// EPSG's code for a name of a datum or a geographic CRS, 0 where it is not known.
int KnownCode(const std::string& name) {
    std::string key = zarr::NameKey(name);
    if (name.compare(0, 2, "D_") == 0) key.erase(0, 1);
    const auto* const found =
        std::find_if(std::begin(kDatums), std::end(kDatums),
                     [&key](const KnownDatum& datum) { return datum.key == key; });
    return found == std::end(kDatums) ? 0 : found->crs;
}

bool SayNothing(const std::string& name) {
    const std::string key = zarr::NameKey(name);
    return key.empty() || key == "unknown" || key == "undefined" || key == "unnamed" ||
           key.rfind("unknownbasedon", 0) == 0 || key.rfind("notspecified", 0) == 0;
}

bool IsWgs84(const Ellipsoid& ellipsoid) {
    return zarr::SameEllipsoid(ellipsoid, {6378137, 298.257223563}, 5e-5);
}

// The code of the CRS that the names, or the ellipsoid, mean; 0 where they mean none.
int MeantCode(const CfEarth& earth) {
    if (!SayNothing(earth.datum_name)) return KnownCode(earth.datum_name);
    if (!SayNothing(earth.geographic_crs_name)) {
        const int code = KnownCode(earth.geographic_crs_name);
        if (code != 0) return code;
    }
    return !earth.ellipsoid || IsWgs84(*earth.ellipsoid) ? kWgs84 : 0;
}

// Takes EPSG's CRS, in degrees, where it does not contradict the numbers.
bool TakeKnown(const CfEarth& earth, OGRSpatialReference& srs, zarr::Warnings& warnings) {
    const int code = MeantCode(earth);
    OGRSpatialReference known;
    if (code == 0 || known.importFromEPSG(code) != OGRERR_NONE) return false;
    const Ellipsoid its_own{known.GetSemiMajor(), known.GetInvFlattening()};
    const bool is_named = !SayNothing(earth.datum_name) || !SayNothing(earth.geographic_crs_name);
    if (earth.ellipsoid && !zarr::SameEllipsoid(*earth.ellipsoid, its_own, zarr::kRoundedAxes)) {
        if (is_named)
            warnings.push_back("attribute " +
                               std::string(SayNothing(earth.datum_name) ? "geographic_crs_name"
                                                                        : "horizontal_datum_name") +
                               ": " +
                               zarr::Quoted(SayNothing(earth.datum_name) ? earth.geographic_crs_name
                                                                         : earth.datum_name) +
                               " has another ellipsoid than the attributes say, which count");
        return false;
    }
    const double meridian =
        known.GetPrimeMeridian() * known.GetAngularUnits() / zarr::kRadiansPerDegree;
    const double degrees = earth.prime_meridian;
    if (std::fabs(meridian - degrees) > 1e-6 && (earth.prime_meridian_is_given || code == kWgs84))
        return false;
    srs = known;
    // CF's coordinates are degrees, also where EPSG's are grads.
    constexpr double kNegligible = 1e-12;
    if (std::fabs(srs.GetAngularUnits() - zarr::kRadiansPerDegree) > kNegligible)
        return srs.SetAngularUnits(SRS_UA_DEGREE, zarr::kRadiansPerDegree) == OGRERR_NONE;
    return true;
}

}  // namespace

Result<OGRSpatialReference> MakeGeographicSrs(const CfEarth& earth, zarr::Warnings& warnings) {
    OGRSpatialReference srs;
    if (!TakeKnown(earth, srs, warnings)) {
        // PROJ reads "unknown" as any datum of this ellipsoid.
        const auto name_or = [](const std::string& name, const char* otherwise) {
            return SayNothing(name) ? std::string(otherwise) : name;
        };
        const Ellipsoid ellipsoid = earth.ellipsoid.value_or(Ellipsoid{6378137, 298.257223563});
        const std::string datum =
            KnownCode(earth.datum_name) != 0 ? "unknown" : name_or(earth.datum_name, "unknown");
        const std::string name = KnownCode(earth.geographic_crs_name) != 0
                                     ? "unknown"
                                     : name_or(earth.geographic_crs_name, "unknown");
        const bool greenwich = earth.prime_meridian == 0;
        if (srs.SetGeogCS(
                name.c_str(), datum.c_str(), name_or(earth.ellipsoid_name, "unknown").c_str(),
                ellipsoid.semi_major_axis, ellipsoid.inverse_flattening,
                name_or(earth.prime_meridian_name, greenwich ? "Greenwich" : "unknown").c_str(),
                earth.prime_meridian) != OGRERR_NONE)
            return Status::Corrupt("GDAL refuses the ellipsoid, prime meridian or datum");
    }
    return srs;
}

}  // namespace zarr_driver
