// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/axis_roles.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/conventions/attributes/attributes.h"

namespace zarr {

namespace {

struct RoleTerm {
    std::string_view text;
    AxisRole role;
};

constexpr RoleTerm kStandardNames[] = {
    {"longitude", AxisRole::kX},
    {"projection_x_coordinate", AxisRole::kX},
    {"projection_x_angular_coordinate", AxisRole::kX},
    {"grid_longitude", AxisRole::kX},
    {"latitude", AxisRole::kY},
    {"projection_y_coordinate", AxisRole::kY},
    {"projection_y_angular_coordinate", AxisRole::kY},
    {"grid_latitude", AxisRole::kY},
    {"time", AxisRole::kTime},
    {"forecast_reference_time", AxisRole::kTime},
    {"air_pressure", AxisRole::kZ},
    {"altitude", AxisRole::kZ},
    {"height", AxisRole::kZ},
    {"depth", AxisRole::kZ},
};

constexpr RoleTerm kRolesOfUnits[] = {
    {"degrees_east", AxisRole::kX},  {"degree_east", AxisRole::kX},  {"degrees_E", AxisRole::kX},
    {"degree_E", AxisRole::kX},      {"degreesE", AxisRole::kX},     {"degreeE", AxisRole::kX},
    {"degrees_north", AxisRole::kY}, {"degree_north", AxisRole::kY}, {"degrees_N", AxisRole::kY},
    {"degree_N", AxisRole::kY},      {"degreesN", AxisRole::kY},     {"degreeN", AxisRole::kY},
};

constexpr RoleTerm kRolesOfNames[] = {
    {"x", AxisRole::kX},         {"lon", AxisRole::kX},       {"long", AxisRole::kX},
    {"longitude", AxisRole::kX}, {"easting", AxisRole::kX},   {"eastings", AxisRole::kX},
    {"rlon", AxisRole::kX},      {"xc", AxisRole::kX},        {"nx", AxisRole::kX},
    {"y", AxisRole::kY},         {"lat", AxisRole::kY},       {"latitude", AxisRole::kY},
    {"northing", AxisRole::kY},  {"northings", AxisRole::kY}, {"rlat", AxisRole::kY},
    {"yc", AxisRole::kY},        {"ny", AxisRole::kY},        {"time", AxisRole::kTime},
    {"t", AxisRole::kTime},      {"level", AxisRole::kZ},     {"z", AxisRole::kZ},
};

template <std::size_t kSize>
AxisRole RoleIn(const RoleTerm (&terms)[kSize], std::string_view text) {
    const auto* const found = std::find_if(std::begin(terms), std::end(terms),
                                           [&](const RoleTerm& term) { return term.text == text; });
    return found == std::end(terms) ? AxisRole::kNone : found->role;
}

std::string Lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool StartsOrEnds(const std::string& text, const std::string& start, const std::string& end) {
    return text.compare(0, start.size(), start) == 0 ||
           (text.size() >= end.size() &&
            text.compare(text.size() - end.size(), end.size(), end) == 0);
}

// Returns the index of the dimension with role `role`; the dimension `taken` is skipped.
std::optional<std::size_t> FindRole(const std::vector<AxisRole>& roles, AxisRole role,
                                    const std::optional<std::size_t>& taken) {
    // The last dimension with the role is chosen, because rasters are slices along the leading
    // dimensions.
    for (std::size_t i = roles.size(); i-- > 0;)
        if (roles[i] == role && taken != i) return i;
    return std::nullopt;
}

// Returns the role X of a dimension "x1", and Y of "y1", ignoring case, if both exist with the same
// number. kerchunk names levels of a TIFF file so. Dimensions "x0" and "x1" are no map axes.
AxisRole NumberedRole(const std::vector<DimensionFacts>& dimensions, std::size_t index) {
    const std::string name = Lower(dimensions[index].name);
    if (name.size() < 2 || (name[0] != 'x' && name[0] != 'y') ||
        name.find_first_not_of("0123456789", 1) != std::string::npos)
        return AxisRole::kNone;
    const AxisRole role = name[0] == 'x' ? AxisRole::kX : AxisRole::kY;
    const std::string partner = (role == AxisRole::kX ? "y" : "x") + name.substr(1);
    const bool is_pair = std::any_of(
        dimensions.begin(), dimensions.end(),
        [&](const DimensionFacts& dimension) { return Lower(dimension.name) == partner; });
    return is_pair ? role : AxisRole::kNone;
}

// True if the attributes have the standard name `standard_name`. If they have no standard name,
// true if their units are the units of `role`.
bool IsCoordinate(const json::Value& attributes, std::string_view standard_name, AxisRole role) {
    if (const std::string* name = StringAttribute(attributes, "standard_name"))
        return *name == standard_name;
    json::Object units_only;
    if (const json::Value* units = attributes.Find("units"))
        units_only.emplace_back("units", *units);
    return RoleFromAttributes(json::Value(std::move(units_only))) == role;
}

}  // namespace

AxisRole RoleFromAttributes(const json::Value& coordinate_attributes) {
    if (const std::string* axis = StringAttribute(coordinate_attributes, "axis")) {
        if (*axis == "X" || *axis == "x") return AxisRole::kX;
        if (*axis == "Y" || *axis == "y") return AxisRole::kY;
        if (*axis == "Z" || *axis == "z") return AxisRole::kZ;
        if (*axis == "T" || *axis == "t") return AxisRole::kTime;
    }
    if (const std::string* name = StringAttribute(coordinate_attributes, "standard_name")) {
        const AxisRole role = RoleIn(kStandardNames, *name);
        if (role != AxisRole::kNone) return role;
    }
    const std::string* units = StringAttribute(coordinate_attributes, "units");
    if (units == nullptr) return AxisRole::kNone;
    return units->find(" since ") != std::string::npos ? AxisRole::kTime
                                                       : RoleIn(kRolesOfUnits, *units);
}

AxisRole RoleFromName(const std::string& name) { return RoleIn(kRolesOfNames, Lower(name)); }

AxisRole RoleFromPartOfName(const std::string& name) {
    const std::string lower = Lower(name);
    const bool is_x = StartsOrEnds(lower, "x_", "_x");
    const bool is_y = StartsOrEnds(lower, "y_", "_y");
    if (is_x == is_y) return AxisRole::kNone;
    return is_x ? AxisRole::kX : AxisRole::kY;
}

AxisRole RoleOf(const DimensionFacts& dimension) {
    AxisRole role = AxisRole::kNone;
    if (dimension.coordinate_attributes != nullptr)
        role = RoleFromAttributes(*dimension.coordinate_attributes);
    if (role == AxisRole::kNone) role = dimension.declared;
    if (role == AxisRole::kNone) role = RoleFromName(dimension.name);
    const bool is_horizontal = role == AxisRole::kX || role == AxisRole::kY;
    return is_horizontal && dimension.has_text_coordinates ? AxisRole::kNone : role;
}

HorizontalAxes FindHorizontalAxes(const std::vector<DimensionFacts>& dimensions) {
    const std::size_t rank = dimensions.size();
    std::vector<AxisRole> by_attributes(rank, AxisRole::kNone);
    std::vector<AxisRole> declared(rank, AxisRole::kNone);
    std::vector<AxisRole> by_name(rank, AxisRole::kNone);
    std::vector<AxisRole> by_part_of_name(rank, AxisRole::kNone);
    for (std::size_t i = 0; i < rank; ++i) {
        if (dimensions[i].has_text_coordinates) continue;
        if (dimensions[i].coordinate_attributes != nullptr)
            by_attributes[i] = RoleFromAttributes(*dimensions[i].coordinate_attributes);
        declared[i] = dimensions[i].declared;
        by_name[i] = RoleFromName(dimensions[i].name);
        by_part_of_name[i] = RoleFromPartOfName(dimensions[i].name);
        if (by_part_of_name[i] == AxisRole::kNone) by_part_of_name[i] = NumberedRole(dimensions, i);
    }
    HorizontalAxes axes;
    for (const std::vector<AxisRole>* roles :
         {&by_attributes, &declared, &by_name, &by_part_of_name}) {
        if (!axes.x) axes.x = FindRole(*roles, AxisRole::kX, axes.y);
        if (!axes.y) axes.y = FindRole(*roles, AxisRole::kY, axes.x);
    }
    // If X or Y is still unknown, the last unused dimension is chosen, preferably one without text
    // coordinates. X is chosen before Y.
    for (std::optional<std::size_t>* axis : {&axes.x, &axes.y}) {
        const std::optional<std::size_t>& other = axis == &axes.x ? axes.y : axes.x;
        if (rank == 1 && axis == &axes.x && other) axes.y.reset();
        for (const bool is_text : {false, true})
            for (std::size_t i = rank; i-- > 0 && !*axis;)
                if (other != i && dimensions[i].has_text_coordinates == is_text) *axis = i;
    }
    return axes;
}

bool IsLongitude(const json::Value& coordinate_attributes) {
    return IsCoordinate(coordinate_attributes, "longitude", AxisRole::kX);
}

bool IsLatitude(const json::Value& coordinate_attributes) {
    return IsCoordinate(coordinate_attributes, "latitude", AxisRole::kY);
}

}  // namespace zarr
