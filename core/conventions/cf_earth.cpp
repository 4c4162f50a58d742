// SPDX-License-Identifier: MIT
#include "core/conventions/cf_earth.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/conventions/name_key.h"

namespace zarr {

namespace {

struct NamedEllipsoid {
    std::string_view key;  // NameKey() of a name
    Ellipsoid ellipsoid;
    std::string_view name;  // EPSG's
};

// EPSG's ellipsoids under the names of EPSG, OGC and PROJ; the first that has the right axes names
// those without a name.
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

// EPSG's prime meridians, in degrees east of Greenwich.
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

// A positive length in metres.
std::optional<double> Radius(const json::Value& attributes, std::string_view name,
                             Warnings& warnings) {
    auto radius = NumberAttribute(attributes, name, warnings);
    if (!radius) return std::nullopt;
    const std::string prefix = "attribute " + std::string(name) + ": ";
    if (!std::isfinite(*radius) || *radius <= 0) {
        warnings.push_back(prefix + "expected a length in metres, got " +
                           json::Brief(json::Value(*radius)));
        return std::nullopt;
    }
    if (*radius > 6300 && *radius < 6400) {
        warnings.push_back(prefix + json::Brief(json::Value(*radius)) +
                           " is read as kilometres, though CF wants metres");
        *radius *= 1000;
    }
    return radius;
}

// 0 for a sphere, else more than 1.
std::optional<double> InverseFlattening(const json::Value& attributes, Warnings& warnings) {
    const auto value = NumberAttribute(attributes, "inverse_flattening", warnings);
    if (!value) return std::nullopt;
    if (std::isinf(*value)) return 0.0;  // a flattening of 0, inverted
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
    const auto radius = Radius(attributes, "earth_radius", warnings);
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
            "which count");
    if (ellipsoid && radius && (major || minor) &&
        (*radius < MinorAxis(*ellipsoid) - 1 || *radius > ellipsoid->semi_major_axis + 1))
        warnings.push_back("attribute earth_radius: contradicts the ellipsoid's axes, which count");
    return ellipsoid;
}

// The ellipsoid that has these axes, as exactly as they are usually written.
const NamedEllipsoid* LookForAxes(const std::optional<Ellipsoid>& ellipsoid) {
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
        if (const NamedEllipsoid* known = LookForAxes(earth.ellipsoid)) {
            earth.ellipsoid = known->ellipsoid;
            earth.ellipsoid_name = known->name;
        }
        return;
    }
    const NamedEllipsoid* known = Look(kEllipsoids, earth.ellipsoid_name);
    if (known == nullptr) return;
    if (earth.ellipsoid && !SameEllipsoid(*earth.ellipsoid, known->ellipsoid, kRoundedAxes)) {
        warnings.push_back("attribute reference_ellipsoid_name: " + Quoted(earth.ellipsoid_name) +
                           " is not the ellipsoid of the other attributes, which count");
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
    if (const auto longitude = NumberAttribute(attributes, kLongitude, warnings)) {
        if (std::fabs(*longitude) <= 360) {
            earth.prime_meridian = *longitude;
            earth.prime_meridian_is_given = true;
            if (known != nullptr && std::fabs(known->longitude - *longitude) > 1e-3) {
                warnings.push_back(
                    "attribute prime_meridian_name: " + Quoted(earth.prime_meridian_name) +
                    " does not lie at longitude_of_prime_meridian, which counts");
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
                           " is not known, and longitude_of_prime_meridian does not say where it "
                           "is: Greenwich is assumed");
        earth.prime_meridian_name.clear();
    }
}

}  // namespace

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
    earth.to_wgs84 = NumbersAttribute(attributes, "towgs84", warnings);
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

}  // namespace zarr
