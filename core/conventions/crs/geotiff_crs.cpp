// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/conventions/crs/geotiff.h"
#include "core/conventions/facts/tiff_tags.h"
#include "core/dtype/element_text.h"

namespace zarr {

namespace {

constexpr std::int64_t kUserDefined = 32767;

// Projections of GeoTIFF (ProjCoordTransGeoKey) that have a grid mapping in CF.
struct GeoTiffMethod {
    std::int64_t code;
    const char* grid_mapping;
};
constexpr GeoTiffMethod kGeoTiffMethods[] = {{1, "transverse_mercator"},
                                             {7, "mercator"},
                                             {8, "lambert_conformal_conic"},
                                             {9, "lambert_conformal_conic"},
                                             {10, "lambert_azimuthal_equal_area"},
                                             {11, "albers_conical_equal_area"},
                                             {12, "azimuthal_equidistant"},
                                             {14, "stereographic"},
                                             {15, "polar_stereographic"},
                                             {21, "orthographic"},
                                             {24, "sinusoidal"},
                                             {28, "lambert_cylindrical_equal_area"},
                                             {9815, "oblique_mercator"}};
constexpr std::int64_t kMercator = 7;
constexpr std::int64_t kOneParallel = 9;  // Lambert's conic projection with one parallel
constexpr std::int64_t kPolar = 15;
constexpr std::int64_t kObliqueMercator = 9815;

// Units of length in EPSG's codes.
struct EpsgName {
    std::int64_t code;
    const char* name;
};
constexpr EpsgName kEpsgUnits[] = {{9001, "m"},     {9002, "foot"}, {9003, "US_survey_foot"},
                                   {9030, "nmile"}, {9036, "km"},   {9093, "mile"}};
constexpr std::int64_t kDegreeCode = 9102;
constexpr std::int64_t kOtherDegreeCode = 9122;  // "degree (supplier to define representation)"

// Ellipsoids in EPSG's codes.
constexpr EpsgName kEpsgEllipsoids[] = {
    {7001, "Airy 1830"}, {7004, "Bessel 1841"},        {7008, "Clarke 1866"},
    {7019, "GRS 1980"},  {7022, "International 1924"}, {7024, "Krassowsky 1940"},
    {7030, "WGS 84"}};

template <class Table>
const char* NameOf(const Table& table, std::int64_t code) {
    for (const EpsgName& item : table)
        if (item.code == code) return item.name;
    return nullptr;
}

// Builds the sources of the CRS from GeoKeys. The first GeoKey that is not supported stops the
// building: its text is then in `fault_`.
class GeoKeyReader {
  public:
    explicit GeoKeyReader(const GeoTiffTags& tags) : tags_(tags) {}

    std::vector<CrsSource> Read() {
        constexpr std::int64_t kProjected = 1;
        constexpr std::int64_t kGeographic = 2;
        const GeoTiffTag projected = Find("ProjectedCSType");
        const GeoTiffTag geographic = Find("GeographicType");
        const std::int64_t guess = projected.value != nullptr    ? kProjected
                                   : geographic.value != nullptr ? kGeographic
                                                                 : 0;
        const std::int64_t model = Code("GTModelType").value_or(guess);
        if (!fault_.empty()) return Broken();
        if (model == 0) return {};
        if (model != kProjected && model != kGeographic)
            return Broken(Find("GTModelType"), model == 3
                                                   ? "a geocentric CRS has no X and Y of a map"
                                                   : "a user-defined model is not supported");
        if (const std::string wkt = WktOfEsri(); !wkt.empty()) {
            CrsSource source = Source(Find("GTCitation"));
            source.text = wkt;
            return {std::move(source)};
        }
        const bool is_projected = model == kProjected;
        const auto code = Code(is_projected ? "ProjectedCSType" : "GeographicType");
        if (!fault_.empty()) return Broken();
        const GeoTiffTag& stating = is_projected ? projected : geographic;
        if (code.value_or(0) == 0 || *code == kUserDefined)
            return UserDefined(is_projected, stating);
        CrsSource source = Source(stating);
        source.text = "EPSG:" + std::to_string(*code);
        return {std::move(source)};
    }

  private:
    GeoTiffTag Find(std::string_view name) const { return FindGeoTiffTag(tags_.attributes, name); }

    // Returns the name of a GeoKey as the attributes spell it, for messages.
    std::string Label(const GeoTiffTag& tag, std::string_view name) const {
        return tags_.where + "attribute " +
               (tag.name.empty() ? std::string(name).append("GeoKey") : tag.name);
    }

    CrsSource Source(const GeoTiffTag& tag) const {
        CrsSource source;
        source.origin = Label(tag, "GTModelType");
        source.yields_to_degrees = true;
        return source;
    }

    std::vector<CrsSource> Broken() const {
        CrsSource source;
        source.kind = CrsSource::Kind::kBroken;
        source.text = fault_;
        return {std::move(source)};
    }
    std::vector<CrsSource> Broken(const GeoTiffTag& tag, const std::string& why) {
        Fail(tag, "GTModelType", why);
        return Broken();
    }

    void Fail(const GeoTiffTag& tag, std::string_view name, const std::string& why) {
        if (!fault_.empty()) return;
        fault_ = Label(tag, name) + ": " +
                 (tag.value != nullptr ? json::Brief(*tag.value) + ": " : std::string()) + why;
    }

    // Returns the code in a GeoKey; nullopt if the GeoKey is absent.
    std::optional<std::int64_t> Code(std::string_view name) {
        const GeoTiffTag tag = Find(name);
        std::int64_t code = 0;
        if (tag.value == nullptr) return std::nullopt;
        constexpr std::int64_t kLargest = 65535;
        if (tag.value->GetInt64(code) && code >= 0 && code <= kLargest) return code;
        Fail(tag, name, "expected a code from 0 to 65535");
        return std::nullopt;
    }

    // Returns the number in the first of these GeoKeys that exists.
    std::optional<double> Number(std::initializer_list<std::string_view> names) {
        for (const std::string_view name : names) {
            const GeoTiffTag tag = Find(name);
            if (tag.value == nullptr) continue;
            double number = 0;
            if (tag.value->GetDouble(number) && std::isfinite(number)) return number;
            Fail(tag, name, "expected a number");
        }
        return std::nullopt;
    }

    // Returns the WKT that ESRI's programs store in the citation; empty if there is none.
    std::string WktOfEsri() const {
        constexpr std::string_view kBegin = "ESRI PE String = ";
        const GeoTiffTag citation = Find("GTCitation");
        const std::string* const text =
            citation.value != nullptr ? citation.value->as_string() : nullptr;
        return text != nullptr && text->compare(0, kBegin.size(), kBegin) == 0
                   ? text->substr(kBegin.size())
                   : std::string();
    }

    std::vector<CrsSource> UserDefined(bool is_projected, const GeoTiffTag& stating) {
        CrsSource source = Source(stating);
        source.kind = CrsSource::Kind::kGridMapping;
        json::Object members;
        AddEarth(members);
        if (is_projected) {
            AddProjection(members);
            source.units = LinearUnits();
        } else {
            members.emplace_back("grid_mapping_name", json::Value("latitude_longitude"));
        }
        if (!fault_.empty()) return Broken();
        source.attributes = json::Value(std::move(members));
        return {std::move(source)};
    }

    static void AddNumber(json::Object& members, const char* name, std::optional<double> number) {
        if (number) members.emplace_back(name, json::Value(*number));
    }

    // Adds the geographic CRS: its EPSG code, else its ellipsoid and prime meridian.
    void AddEarth(json::Object& members) {
        const auto unit = Code("GeogAngularUnits");
        if (unit.value_or(kDegreeCode) != kDegreeCode && *unit != kOtherDegreeCode)
            Fail(Find("GeogAngularUnits"), "GeogAngularUnits",
                 "angles in another unit than degrees are not supported");
        const auto code = Code("GeographicType");
        if (code && *code != 0 && *code != kUserDefined) {
            members.emplace_back("geographic_crs_name",
                                 json::Value("EPSG:" + std::to_string(*code)));
            return;
        }
        const auto major = Number({"GeogSemiMajorAxis"});
        const auto minor = Number({"GeogSemiMinorAxis"});
        const auto flattening = Number({"GeogInvFlattening"});
        const char* const ellipsoid = NameOf(kEpsgEllipsoids, Code("GeogEllipsoid").value_or(0));
        if (major && (minor || flattening)) {
            AddNumber(members, "semi_major_axis", major);
            if (flattening)
                AddNumber(members, "inverse_flattening", flattening);
            else
                AddNumber(members, "semi_minor_axis", minor);
        } else if (ellipsoid != nullptr) {
            members.emplace_back("reference_ellipsoid_name", json::Value(ellipsoid));
        } else {
            Fail(Find("GeographicType"), "GeographicType",
                 "a user-defined CRS without GeogSemiMajorAxis and GeogInvFlattening is not "
                 "supported");
        }
        AddNumber(members, "longitude_of_prime_meridian", Number({"GeogPrimeMeridianLong"}));
    }

    void AddProjection(json::Object& members) {
        const auto projection = Code("Projection");
        constexpr std::int64_t kNorthernZones = 16000;  // 16001 to 16060: UTM zones in the north
        constexpr std::int64_t kSouthernZones = 16100;
        const std::int64_t zone = projection.value_or(0) % 100;
        const std::int64_t zones = projection.value_or(0) - zone;
        if ((zones == kNorthernZones || zones == kSouthernZones) && zone >= 1 && zone <= 60)
            return AddUtm(members, zone, zones == kSouthernZones);
        const auto code = Code("ProjCoordTrans");
        const GeoTiffMethod* method = nullptr;
        for (const GeoTiffMethod& item : kGeoTiffMethods)
            if (code == item.code) method = &item;
        if (method == nullptr)
            return Fail(Find("ProjCoordTrans"), "ProjCoordTrans",
                        code ? "this projection of a user-defined CRS is not supported"
                             : "a user-defined CRS without this GeoKey is not supported");
        members.emplace_back("grid_mapping_name", json::Value(method->grid_mapping));
        AddParameters(*code, members);
    }

    static void AddUtm(json::Object& members, std::int64_t zone, bool is_south) {
        const auto meridian = static_cast<double>(6 * zone - 183);
        members.emplace_back("grid_mapping_name", json::Value("transverse_mercator"));
        members.emplace_back("longitude_of_central_meridian", json::Value(meridian));
        members.emplace_back("latitude_of_projection_origin", json::Value(0.0));
        members.emplace_back("scale_factor_at_central_meridian", json::Value(0.9996));
        members.emplace_back("false_easting", json::Value(500000.0));
        members.emplace_back("false_northing", json::Value(is_south ? 1e7 : 0.0));
    }

    void AddParameters(std::int64_t code, json::Object& members) {
        const double latitude =
            Number({"ProjNatOriginLat", "ProjFalseOriginLat", "ProjCenterLat"}).value_or(0);
        const double longitude = Number({"ProjStraightVertPoleLong", "ProjNatOriginLong",
                                         "ProjFalseOriginLong", "ProjCenterLong"})
                                     .value_or(0);
        const auto first = Number({"ProjStdParallel1"});
        const auto second = Number({"ProjStdParallel2"});
        const double scale = Number({"ProjScaleAtNatOrigin", "ProjScaleAtCenter"}).value_or(1);
        json::Array parallels;
        bool has_scale = true;
        double origin = latitude;
        if (code == kOneParallel) {
            parallels.emplace_back(latitude);
        } else if (code == kPolar) {
            constexpr double kPole = 90;
            origin = std::copysign(kPole, latitude);
            has_scale = std::fabs(latitude) == kPole;
            if (!has_scale) parallels.emplace_back(latitude);
        } else if (first) {
            parallels.emplace_back(*first);
            if (second) parallels.emplace_back(*second);
            has_scale = false;
        }
        if (code == kMercator && latitude != 0)
            Fail(Find("ProjNatOriginLat"), "ProjNatOriginLat",
                 "Mercator's projection with an origin beside the equator is not supported");
        members.emplace_back("latitude_of_projection_origin", json::Value(origin));
        members.emplace_back("longitude_of_projection_origin", json::Value(longitude));
        if (!parallels.empty())
            members.emplace_back("standard_parallel", json::Value(std::move(parallels)));
        if (has_scale)
            members.emplace_back("scale_factor_at_projection_origin", json::Value(scale));
        if (code == kObliqueMercator) AddAzimuth(members);
        AddNumber(members, "false_easting",
                  Number({"ProjFalseEasting", "ProjFalseOriginEasting", "ProjCenterEasting"}));
        AddNumber(members, "false_northing",
                  Number({"ProjFalseNorthing", "ProjFalseOriginNorthing", "ProjCenterNorthing"}));
    }

    void AddAzimuth(json::Object& members) {
        const auto azimuth = Number({"ProjAzimuthAngle"});
        if (Number({"ProjRectifiedGridAngle"}).value_or(azimuth.value_or(0)) != azimuth)
            Fail(Find("ProjRectifiedGridAngle"), "ProjRectifiedGridAngle",
                 "an angle other than ProjAzimuthAngle is not supported");
        AddNumber(members, "azimuth_of_central_line", azimuth);
    }

    // Returns the unit of coordinates, false easting and false northing.
    std::string LinearUnits() {
        const auto code = Code("ProjLinearUnits");
        if (!code || *code == 0) return "m";
        if (const char* const name = NameOf(kEpsgUnits, *code)) return name;
        const auto size = Number({"ProjLinearUnitSize"});
        if (*code == kUserDefined && size && *size > 0) return DoubleText(*size) + " m";
        Fail(Find("ProjLinearUnits"), "ProjLinearUnits", "this unit of length is not supported");
        return {};
    }

    const GeoTiffTags& tags_;
    std::string fault_;
};

}  // namespace

std::vector<CrsSource> ReadGeoTiffCrs(const GeoTiffTags& tags) { return GeoKeyReader(tags).Read(); }

}  // namespace zarr
