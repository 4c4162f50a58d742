// SPDX-License-Identifier: MIT
#include "core/conventions/cf/cf_grid_mapping.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace zarr {

namespace {

enum Needs : unsigned {
    kLatitude = 1,
    kLongitude = 2,
    kMeridian = 4,   // like kLongitude, but the attribute is longitude_of_central_meridian
    kParallels = 8,  // needs one or two standard parallels
    kScale = 16,
    kParallelOrScale = 32,
    kHeight = 64,
    kAzimuth = 128,
    kSweep = 256,
    kGridPole = 512,
    kPole = 1024,  // the latitude of the origin must be 90 or -90
};

struct Projection {
    std::string_view name;
    unsigned needs;
};

constexpr Projection kProjections[] = {
    {"albers_conical_equal_area", kParallels | kMeridian | kLatitude},
    {"azimuthal_equidistant", kLongitude | kLatitude},
    {"geostationary", kLongitude | kHeight | kSweep},
    {"lambert_azimuthal_equal_area", kLongitude | kLatitude},
    {"lambert_conformal_conic", kParallels | kMeridian | kLatitude},
    {"lambert_cylindrical_equal_area", kMeridian | kParallelOrScale},
    {"latitude_longitude", 0},
    {"mercator", kLongitude | kParallelOrScale},
    {"oblique_mercator", kAzimuth | kLongitude | kLatitude | kScale},
    {"orthographic", kLongitude | kLatitude},
    {"polar_stereographic", kLongitude | kPole | kParallelOrScale},
    {"rotated_latitude_longitude", kGridPole},
    {"sinusoidal", kLongitude},
    {"stereographic", kLongitude | kLatitude | kScale},
    {"transverse_mercator", kMeridian | kLatitude | kScale},
    {"vertical_perspective", kLongitude | kLatitude | kHeight},
};

constexpr std::string_view kLatitudeName = "latitude_of_projection_origin";
constexpr std::string_view kParallelName = "standard_parallel";
// Maximum height of a satellite, and maximum false easting or northing, in metres.
constexpr double kFarthest = 1e12;

std::string Label(std::string_view name) { return "attribute " + std::string(name) + ": "; }

class GridMappingReader {
  public:
    GridMappingReader(const json::Value& attributes, const Projection& projection,
                      Warnings& warnings)
        : attributes_(attributes), needs_(projection.needs), warnings_(warnings) {
        mapping_.name = projection.name;
    }

    Result<CfGridMapping> Read() {
        mapping_.earth = ParseCfEarth(attributes_, warnings_);
        if (const auto* name = StringAttribute(attributes_, "projected_crs_name"))
            mapping_.projected_crs_name = *name;
        ReadParallels();
        ZARR_RETURN_IF_ERROR(ReadOrigin());
        ReadScale();
        ReadFalseOrigin();
        if (Need(kSweep)) ReadSweep();
        ZARR_RETURN_IF_ERROR(ReadOthers());
        if (mapping_.name == "geostationary") CheckEquator();
        return std::move(mapping_);
    }

  private:
    bool Need(unsigned flags) const { return (needs_ & flags) != 0; }

    // Returns the attribute `name` as a number between `minimum` and `maximum`; nullopt if absent.
    // Warns about any other value, and returns nullopt.
    std::optional<double> Number(std::string_view name, double minimum, double maximum) {
        const auto number = NumberAttribute(attributes_, name).Report(warnings_);
        if (!number || (*number >= minimum && *number <= maximum)) return number;
        warnings_.push_back(
            Label(name) + "expected a number from " + json::Brief(json::Value(minimum)) + " to " +
            json::Brief(json::Value(maximum)) + ", got " + json::Brief(json::Value(*number)));
        return std::nullopt;
    }

    Status Require(std::string_view name, double minimum, double maximum, double& number) {
        const auto found = Number(name, minimum, maximum);
        if (!found) return Missing(name);
        number = *found;
        return {};
    }

    Status Missing(std::string_view name) const {
        return Status::Corrupt("grid_mapping_name " + mapping_.name + ": " + std::string(name) +
                               " is missing or invalid");
    }

    // Returns the value of the first attribute in `names`, a list of synonyms, that exists. Warns
    // if another of them has a different value.
    std::optional<double> FirstOf(std::initializer_list<std::string_view> names, double minimum,
                                  double maximum) {
        std::optional<double> first;
        std::string_view first_name;
        for (const std::string_view name : names) {
            const auto number = Number(name, minimum, maximum);
            if (!number) continue;
            if (!first) {
                first = number;
                first_name = name;
            } else if (std::fabs(*first - *number) > 1e-9) {
                warnings_.push_back(Label(name) + "contradicts " + std::string(first_name) +
                                    ", which is used");
            }
        }
        return first;
    }

    void ReadParallels() {
        std::vector<double> parallels =
            NumbersAttribute(attributes_, kParallelName).Report(warnings_);
        const bool good = parallels.size() <= 2 &&
                          std::all_of(parallels.begin(), parallels.end(),
                                      [](double latitude) { return std::fabs(latitude) <= 90; });
        if (good)
            mapping_.standard_parallels = std::move(parallels);
        else
            warnings_.push_back(Label(kParallelName) + "expected one or two latitudes, got " +
                                json::Brief(*attributes_.Find(kParallelName)));
    }

    void ReadScale() {
        constexpr double kSmallest = 1e-6;
        constexpr double kLargest = 1e6;
        const auto scale =
            Need(kMeridian)
                ? FirstOf({"scale_factor_at_central_meridian", "scale_factor_at_projection_origin"},
                          kSmallest, kLargest)
                : FirstOf({"scale_factor_at_projection_origin", "scale_factor_at_central_meridian"},
                          kSmallest, kLargest);
        mapping_.scale_factor = scale;
        const bool has_parallel = !mapping_.standard_parallels.empty();
        if (Need(kParallelOrScale) && has_parallel) {
            mapping_.scale_factor.reset();
            if (scale && *scale != 1)
                warnings_.push_back(Label("scale_factor_at_projection_origin") +
                                    "is ignored, because standard_parallel is stated");
        }
        if (scale || !(Need(kScale) || (Need(kParallelOrScale) && !has_parallel))) return;
        mapping_.scale_factor = 1;
        warnings_.push_back("grid_mapping_name " + mapping_.name + " without " +
                            (mapping_.name == "transverse_mercator"
                                 ? "scale_factor_at_central_meridian"
                                 : "scale_factor_at_projection_origin") +
                            ": 1 is assumed");
    }

    void ReadFalseOrigin() {
        mapping_.false_easting = Number("false_easting", -kFarthest, kFarthest).value_or(0);
        mapping_.false_northing = Number("false_northing", -kFarthest, kFarthest).value_or(0);
    }

    // Returns the axis that the attribute `name` states, 'x' or 'y'; 0 if the attribute is absent
    // or invalid.
    char Axis(std::string_view name) {
        const json::Value* value = attributes_.Find(name);
        if (value == nullptr || value->is_null()) return 0;
        const std::string* text = value->as_string();
        const std::string key = text != nullptr ? NameKey(*text) : std::string();
        if (key == "x" || key == "y") return key[0];
        warnings_.push_back(Label(name) + "expected \"x\" or \"y\", got " + json::Brief(*value));
        return 0;
    }

    void ReadSweep() {
        const char sweep = Axis("sweep_angle_axis");
        const char fixed = Axis("fixed_angle_axis");
        if (sweep != 0 && sweep == fixed)
            warnings_.push_back(Label("fixed_angle_axis") +
                                "contradicts sweep_angle_axis, which is used");
        if (sweep != 0)
            mapping_.sweep_angle_axis = sweep;
        else if (fixed != 0)
            mapping_.sweep_angle_axis = fixed == 'x' ? 'y' : 'x';
        else
            warnings_.push_back(
                "grid_mapping_name geostationary without sweep_angle_axis: \"y\" is assumed");
    }

    Status ReadOrigin() {
        std::optional<double> longitude;
        if (Need(kMeridian))
            longitude = FirstOf({"longitude_of_central_meridian", "longitude_of_projection_origin"},
                                -360, 360);
        else if (Need(kPole))
            // straight_vertical_longitude_from_pole is deprecated but comes first, because only
            // polar_stereographic uses this attribute.
            longitude =
                FirstOf({"straight_vertical_longitude_from_pole", "longitude_of_projection_origin"},
                        -360, 360);
        else if (Need(kLongitude))
            longitude = FirstOf({"longitude_of_projection_origin", "longitude_of_central_meridian"},
                                -360, 360);
        if (Need(kMeridian | kLongitude) && !longitude)
            return Missing(Need(kMeridian) ? "longitude_of_central_meridian"
                                           : "longitude_of_projection_origin");
        mapping_.origin_longitude = longitude.value_or(0);
        if (Need(kParallels) && mapping_.standard_parallels.empty()) return Missing(kParallelName);
        if (Need(kPole)) return ReadPole();
        if (!Need(kLatitude)) return {};
        return Require(kLatitudeName, -90, 90, mapping_.origin_latitude);
    }

    // Sets the origin of polar_stereographic to the north or south pole. Some writers state the
    // latitude of true scale as the origin's latitude, or omit the origin's latitude. The pole is
    // then in the hemisphere of the stated latitude, or else of the first standard parallel.
    Status ReadPole() {
        const auto latitude = Number(kLatitudeName, -90, 90);
        std::vector<double>& parallels = mapping_.standard_parallels;
        if (latitude && std::fabs(std::fabs(*latitude) - 90) < 1e-6) {
            mapping_.origin_latitude = *latitude > 0 ? 90 : -90;
            return {};
        }
        const double side = latitude && *latitude != 0 ? *latitude
                            : parallels.empty()        ? 0
                                                       : parallels[0];
        if (side == 0) return Missing(kLatitudeName);
        mapping_.origin_latitude = side > 0 ? 90 : -90;
        warnings_.push_back(Label(kLatitudeName) + "expected 90 or -90 for polar_stereographic; " +
                            (side > 0 ? "90" : "-90") + " is assumed");
        if (parallels.empty() && attributes_.Find("scale_factor_at_projection_origin") == nullptr)
            parallels = {*latitude};
        return {};
    }

    Status ReadOthers() {
        if (Need(kHeight))
            ZARR_RETURN_IF_ERROR(Require("perspective_point_height", 1, kFarthest,
                                         mapping_.perspective_point_height));
        if (Need(kAzimuth))
            ZARR_RETURN_IF_ERROR(Require("azimuth_of_central_line", -360, 360, mapping_.azimuth));
        if (!Need(kGridPole)) return {};
        ZARR_RETURN_IF_ERROR(
            Require("grid_north_pole_latitude", -90, 90, mapping_.grid_north_pole_latitude));
        ZARR_RETURN_IF_ERROR(
            Require("grid_north_pole_longitude", -360, 360, mapping_.grid_north_pole_longitude));
        mapping_.north_pole_grid_longitude =
            Number("north_pole_grid_longitude", -360, 360).value_or(0);
        return {};
    }

    void CheckEquator() {
        const auto latitude = Number(kLatitudeName, -90, 90);
        if (latitude && *latitude != 0)
            warnings_.push_back(Label(kLatitudeName) + "expected 0 for geostationary, got " +
                                json::Brief(json::Value(*latitude)) + "; it is ignored");
    }

    const json::Value& attributes_;
    unsigned needs_;
    Warnings& warnings_;
    CfGridMapping mapping_;
};

struct NamedEllipsoid {
    std::string_view key;  // lower-case name, with only letters and digits; see NameKey()
    Ellipsoid ellipsoid;
    std::string_view name;  // name of the ellipsoid in the EPSG database
};

// Known ellipsoids, with their names in EPSG, OGC and PROJ. If a grid mapping states only the axes
// of its ellipsoid, the first ellipsoid with these axes is used.
constexpr NamedEllipsoid kEllipsoids[] = {
    {"wgs84", {6378137, 298.257223563}, "WGS 84"},
    {"wgs1984", {6378137, 298.257223563}, "WGS 84"},
    {"grs80", {6378137, 298.257222101}, "GRS 1980"},
    {"grs1980", {6378137, 298.257222101}, "GRS 1980"},
    {"grs67", {6378160, 298.247167427}, "GRS 1967"},
    {"grs1967", {6378160, 298.247167427}, "GRS 1967"},
    {"grs1967modified", {6378160, 298.25}, "GRS 1967 Modified"},
    {"wgs72", {6378135, 298.26}, "WGS 72"},
    {"wgs1972", {6378135, 298.26}, "WGS 72"},
    {"airy1830", {6377563.396, 299.3249646}, "Airy 1830"},
    {"airy", {6377563.396, 299.3249646}, "Airy 1830"},
    {"airymodified1849", {6377340.189, 299.3249646}, "Airy Modified 1849"},
    {"bessel1841", {6377397.155, 299.1528128}, "Bessel 1841"},
    {"bessel", {6377397.155, 299.1528128}, "Bessel 1841"},
    {"clarke1866", {6378206.4, 294.9786982139006}, "Clarke 1866"},
    {"clrk66", {6378206.4, 294.9786982139006}, "Clarke 1866"},
    {"clarke1880ign", {6378249.2, 293.4660212936269}, "Clarke 1880 (IGN)"},
    {"clarke1880rgs", {6378249.145, 293.465}, "Clarke 1880 (RGS)"},
    {"everest18301937adjustment", {6377276.345, 300.8017}, "Everest 1830 (1937 Adjustment)"},
    {"international1924", {6378388, 297}, "International 1924"},
    {"intl", {6378388, 297}, "International 1924"},
    {"hayford1909", {6378388, 297}, "International 1924"},
    {"krassowsky1940", {6378245, 298.3}, "Krassowsky 1940"},
    {"krassovsky1940", {6378245, 298.3}, "Krassowsky 1940"},
    {"krassowsky", {6378245, 298.3}, "Krassowsky 1940"},
    {"krass", {6378245, 298.3}, "Krassowsky 1940"},
    {"australiannationalspheroid", {6378160, 298.25}, "Australian National Spheroid"},
    {"cgcs2000", {6378137, 298.257222101}, "CGCS2000"},
    {"gsk2011", {6378136.5, 298.2564151}, "GSK-2011"},
    {"pz90", {6378136, 298.257839303}, "PZ-90"},
    {"grs1980authalicsphere", {6371007, 0}, "GRS 1980 Authalic Sphere"},
};

struct NamedMeridian {
    std::string_view key;
    double longitude;
};

// Prime meridians in the EPSG database, in degrees east of Greenwich.
constexpr NamedMeridian kMeridians[] = {
    {"greenwich", 0},
    {"lisbon", -9.131906111111},
    {"paris", 2.33722917},
    {"bogota", -74.080916666667},
    {"madrid", -3.687938888889},
    {"rome", 12.452333333333},
    {"bern", 7.439583333333},
    {"jakarta", 106.807719444444},
    {"ferro", -17.666666666667},
    {"brussels", 4.367975},
    {"stockholm", 18.058277777778},
    {"athens", 23.7163375},
    {"oslo", 10.722916666667},
};

template <class Named, std::size_t kSize>
const Named* Look(const Named (&table)[kSize], const std::string& name) {
    const std::string key = NameKey(name);
    const auto* const found = std::find_if(std::begin(table), std::end(table),
                                           [&](const Named& named) { return named.key == key; });
    return found == std::end(table) ? nullptr : found;
}

std::string Text(const json::Value& attributes, std::string_view name) {
    const std::string* text = StringAttribute(attributes, name);
    return text != nullptr ? *text : std::string();
}

// Returns the attribute `name`, a radius or axis in metres; nullopt if absent or invalid. Values
// between 6300 and 6400 are taken as kilometres.
std::optional<double> Radius(const json::Value& attributes, std::string_view name,
                             Warnings& warnings) {
    auto radius = NumberAttribute(attributes, name).Report(warnings);
    if (!radius) return std::nullopt;
    const std::string prefix = "attribute " + std::string(name) + ": ";
    if (!std::isfinite(*radius) || *radius <= 0) {
        warnings.push_back(prefix + "expected a length in metres, got " +
                           json::Brief(json::Value(*radius)));
        return std::nullopt;
    }
    if (*radius > 6300 && *radius < 6400) {
        warnings.push_back(prefix + json::Brief(json::Value(*radius)) +
                           " is taken as kilometres, although CF requires metres");
        *radius *= 1000;
    }
    return radius;
}

// Returns the attribute `inverse_flattening`: a number above 1, or 0 for a sphere. nullopt if
// absent or invalid.
std::optional<double> InverseFlattening(const json::Value& attributes, Warnings& warnings) {
    const auto value = NumberAttribute(attributes, "inverse_flattening").Report(warnings);
    if (!value) return std::nullopt;
    if (std::isinf(*value)) return 0.0;  // an infinite inverse flattening means a sphere
    if (*value == 0 || *value > 1) return value;
    warnings.push_back("attribute inverse_flattening: expected 0 or more than 1, got " +
                       json::Brief(json::Value(*value)));
    return std::nullopt;
}

double Inverse(double semi_major_axis, double semi_minor_axis) {
    const double difference = semi_major_axis - semi_minor_axis;
    return difference < 1e-6 ? 0 : semi_major_axis / difference;
}

double MinorAxis(const Ellipsoid& ellipsoid) {
    if (ellipsoid.inverse_flattening == 0) return ellipsoid.semi_major_axis;
    return ellipsoid.semi_major_axis * (1 - 1 / ellipsoid.inverse_flattening);
}

std::optional<Ellipsoid> FromAxes(const json::Value& attributes, Warnings& warnings) {
    const auto major = Radius(attributes, "semi_major_axis", warnings);
    auto minor = Radius(attributes, "semi_minor_axis", warnings);
    const auto inverse = InverseFlattening(attributes, warnings);
    auto radius = Radius(attributes, "earth_radius", warnings);
    if (!radius) radius = Radius(attributes, "radius_of_sphere", warnings);  // no name of CF
    if (major && minor && *minor > *major) {
        warnings.push_back("attribute semi_minor_axis: is longer than semi_major_axis");
        minor.reset();
    }
    std::optional<Ellipsoid> ellipsoid;
    if (major && inverse)
        ellipsoid = Ellipsoid{*major, *inverse};
    else if (major && minor)
        ellipsoid = Ellipsoid{*major, Inverse(*major, *minor)};
    else if (minor && inverse)
        ellipsoid = Ellipsoid{*inverse == 0 ? *minor : *minor / (1 - 1 / *inverse), *inverse};
    else if (major)
        ellipsoid = Ellipsoid{*major, 0};
    else if (radius)
        ellipsoid = Ellipsoid{*radius, 0};
    if (major && minor && inverse && std::fabs(MinorAxis(*ellipsoid) - *minor) > 1)
        warnings.push_back(
            "attribute semi_minor_axis: contradicts semi_major_axis and inverse_flattening, "
            "which are used");
    if (ellipsoid && radius && (major || minor) &&
        (*radius < MinorAxis(*ellipsoid) - 1 || *radius > ellipsoid->semi_major_axis + 1))
        warnings.push_back(
            "attribute earth_radius: contradicts the ellipsoid's axes, which are used");
    return ellipsoid;
}

// Returns the known ellipsoid whose axes equal those of `ellipsoid`, up to the usual rounding;
// nullptr if there is none.
const NamedEllipsoid* FindEllipsoidByAxes(const std::optional<Ellipsoid>& ellipsoid) {
    constexpr double kWritten = 5e-5;
    const auto* const found = std::find_if(
        std::begin(kEllipsoids), std::end(kEllipsoids), [&](const NamedEllipsoid& named) {
            return ellipsoid && SameEllipsoid(*ellipsoid, named.ellipsoid, kWritten);
        });
    return found == std::end(kEllipsoids) ? nullptr : found;
}

void ReadEllipsoid(const json::Value& attributes, CfEarth& earth, Warnings& warnings) {
    earth.ellipsoid = FromAxes(attributes, warnings);
    earth.ellipsoid_name = Text(attributes, "reference_ellipsoid_name");
    if (earth.ellipsoid_name.empty()) {
        if (const NamedEllipsoid* known = FindEllipsoidByAxes(earth.ellipsoid)) {
            earth.ellipsoid = known->ellipsoid;
            earth.ellipsoid_name = known->name;
        }
        return;
    }
    const NamedEllipsoid* known = Look(kEllipsoids, earth.ellipsoid_name);
    if (known == nullptr) return;
    if (earth.ellipsoid && !SameEllipsoid(*earth.ellipsoid, known->ellipsoid, kRoundedAxes)) {
        warnings.push_back("attribute reference_ellipsoid_name: " + Quoted(earth.ellipsoid_name) +
                           " is not the ellipsoid of the other attributes, which are used");
        earth.ellipsoid_name.clear();
        return;
    }
    earth.ellipsoid = known->ellipsoid;
    earth.ellipsoid_name = known->name;
}

void ReadPrimeMeridian(const json::Value& attributes, CfEarth& earth, Warnings& warnings) {
    constexpr std::string_view kLongitude = "longitude_of_prime_meridian";
    earth.prime_meridian_name = Text(attributes, "prime_meridian_name");
    const NamedMeridian* known = Look(kMeridians, earth.prime_meridian_name);
    if (const auto longitude = NumberAttribute(attributes, kLongitude).Report(warnings)) {
        if (std::fabs(*longitude) <= 360) {
            earth.prime_meridian = *longitude;
            earth.prime_meridian_is_given = true;
            if (known != nullptr && std::fabs(known->longitude - *longitude) > 1e-3) {
                warnings.push_back(
                    "attribute prime_meridian_name: " + Quoted(earth.prime_meridian_name) +
                    " does not lie at longitude_of_prime_meridian, which is used");
                earth.prime_meridian_name.clear();
            }
            return;
        }
        warnings.push_back("attribute " + std::string(kLongitude) +
                           ": expected degrees from -360 to 360, got " +
                           json::Brief(json::Value(*longitude)));
    }
    if (known != nullptr) {
        earth.prime_meridian = known->longitude;
        earth.prime_meridian_is_given = true;
    } else if (!earth.prime_meridian_name.empty()) {
        warnings.push_back("attribute prime_meridian_name: " + Quoted(earth.prime_meridian_name) +
                           " is unknown and longitude_of_prime_meridian is missing; Greenwich is "
                           "assumed");
        earth.prime_meridian_name.clear();
    }
}

}  // namespace

Result<CfGridMapping> ParseCfGridMapping(const json::Value& attributes, Warnings& warnings) {
    constexpr std::string_view kName = "grid_mapping_name";
    const json::Value* value = attributes.Find(kName);
    if (value == nullptr) return Status::Corrupt("grid_mapping_name is missing");
    const std::string* name = value->as_string();
    if (name == nullptr)
        return Status::Corrupt(std::string(kName) + ": expected a string, got " +
                               json::Brief(*value));
    const std::string key = NameKey(*name);
    const auto* const found = std::find_if(
        std::begin(kProjections), std::end(kProjections),
        [&key](const Projection& projection) { return NameKey(projection.name) == key; });
    if (found == std::end(kProjections))
        return Status::Unsupported(std::string(kName) + ": " + Quoted(*name) +
                                   " is not a grid mapping of the CF conventions");
    return GridMappingReader(attributes, *found, warnings).Read();
}

bool SameEllipsoid(const Ellipsoid& a, const Ellipsoid& b, double metres) {
    return std::fabs(a.semi_major_axis - b.semi_major_axis) < metres &&
           std::fabs(MinorAxis(a) - MinorAxis(b)) < metres;
}

CfEarth ParseCfEarth(const json::Value& attributes, Warnings& warnings) {
    CfEarth earth;
    ReadEllipsoid(attributes, earth, warnings);
    ReadPrimeMeridian(attributes, earth, warnings);
    earth.datum_name = Text(attributes, "horizontal_datum_name");
    earth.geographic_crs_name = Text(attributes, "geographic_crs_name");
    earth.to_wgs84 = NumbersAttribute(attributes, "towgs84").Report(warnings);
    const std::size_t count = earth.to_wgs84.size();
    if (count != 0 && count != 3 && count != 6 && count != 7) {
        warnings.push_back("attribute towgs84: expected 3, 6 or 7 numbers, got " +
                           std::to_string(count));
        earth.to_wgs84.clear();
    } else if (count != 0) {
        earth.to_wgs84.resize(7, 0.0);
    }
    return earth;
}

bool IsNameOfGridMapping(const std::string& name) {
    const std::string key = NameKey(name);
    return key.find("crs") != std::string::npos || key.find("spatialref") != std::string::npos ||
           key.find("gridmapping") != std::string::npos;
}

}  // namespace zarr
