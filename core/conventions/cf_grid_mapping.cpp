// SPDX-License-Identifier: MIT
#include "core/conventions/cf_grid_mapping.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/conventions/name_key.h"

namespace zarr {

namespace {

enum Needs : unsigned {
    kLatitude = 1,
    kLongitude = 2,
    kMeridian = 4,   // kLongitude, called longitude_of_central_meridian
    kParallels = 8,  // one or two standard parallels
    kScale = 16,
    kParallelOrScale = 32,
    kHeight = 64,
    kAzimuth = 128,
    kSweep = 256,
    kGridPole = 512,
    kPole = 1024,  // the latitude is that of a pole
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
constexpr double kFarthest = 1e12;  // metres; beyond any satellite

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

    // A number of its domain; others give a warning.
    std::optional<double> Number(std::string_view name, double minimum, double maximum) {
        const auto number = NumberAttribute(attributes_, name, warnings_);
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
        return Status::Corrupt("grid_mapping_name " + mapping_.name + " without a usable " +
                               std::string(name));
    }

    // The first of synonymous attributes; another that disagrees with it gives a warning.
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
                                    ", which counts");
            }
        }
        return first;
    }

    void ReadParallels() {
        std::vector<double> parallels = NumbersAttribute(attributes_, kParallelName, warnings_);
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
                                    "is passed over, as there is a standard_parallel");
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

    // The axis that an attribute names, 0 where it does not.
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
                                "contradicts sweep_angle_axis, which counts");
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
            // Of the two, only the deprecated one belongs to this projection alone.
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

    // Writers give the latitude of true scale for the origin's, or nothing but the former.
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
        warnings_.push_back(Label(kLatitudeName) + "expected 90 or -90 for polar_stereographic, " +
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
            warnings_.push_back(Label(kLatitudeName) + "a geostationary satellite stands over 0, " +
                                "not " + json::Brief(json::Value(*latitude)) + ", which is " +
                                "passed over");
    }

    const json::Value& attributes_;
    unsigned needs_;
    Warnings& warnings_;
    CfGridMapping mapping_;
};

}  // namespace

Result<CfGridMapping> ParseCfGridMapping(const json::Value& attributes, Warnings& warnings) {
    constexpr std::string_view kName = "grid_mapping_name";
    const json::Value* value = attributes.Find(kName);
    if (value == nullptr) return Status::Corrupt("there is no grid_mapping_name");
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
                                   " is not one that is known");
    return GridMappingReader(attributes, *found, warnings).Read();
}

}  // namespace zarr
