// SPDX-License-Identifier: MIT
// Reads single attributes leniently, because real stores deviate from the conventions.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Warnings about invalid attributes. The store stays readable. Each warning names the attribute.
using Warnings = std::vector<std::string>;

// Returns a string attribute; nullptr if absent or not a string.
const std::string* StringAttribute(const json::Value& attributes, std::string_view name);

// Returns a member that OME-NGFF defines: below `ome` (version 0.5), else in the attributes
// themselves (earlier versions). nullptr if absent. The pointer is valid as long as `attributes`.
const json::Value* OmeMember(const json::Value& attributes, std::string_view name);

// Returns a numeric attribute: a number, an array of one number, or a string that spells a number.
// Returns nullopt if the attribute is absent. Any other value gives a warning and nullopt.
std::optional<double> NumberAttribute(const json::Value& attributes, std::string_view name,
                                      Warnings& warnings);

// Returns an attribute of several finite numbers: an array, a single number, or a string of numbers
// separated by blanks or commas. Empty if absent. Any other value gives a warning and an empty
// result.
std::vector<double> NumbersAttribute(const json::Value& attributes, std::string_view name,
                                     Warnings& warnings);

// Returns the words of a string attribute that lists names: "lat lon", "crs: x y".
std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name);

// Attribute that names the mask of an array, another array of its group; see
// driver/raster/stored_masks.h.
inline constexpr std::string_view kMaskAttribute = "gdal_mask";

// Returns the names of the arrays that an array's attributes refer to: coordinates, grid mappings,
// bounds (CF conventions) and mask. A name is the last segment of the path.
std::set<std::string> ReferencedNames(const json::Value& attributes);

// Returns the path of the array that `name` refers to from `group` (CF conventions, section 2.7.1).
// `name` is an absolute path, or is searched in the group and then in its ancestors. Empty if no
// array matches, or if `name` leads outside of the store.
std::string FindVariable(const Hierarchy& hierarchy, const std::string& group,
                         const std::string& name);

// Returns true, and adds a warning, if the metadata or the attributes of an array at `path` are
// invalid. Adds no warning twice. Returns false if there is no array, or if the store fails.
bool WarnIfInvalid(const Hierarchy& hierarchy, const std::string& path, Warnings& warnings);

// Returns the attributes of a node; an empty object and a warning if the attributes are invalid.
json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings);

// Packing of stored numbers (CF conventions, section 8.1): value = stored * scale + offset, in
// `units`.
struct Packing {
    std::optional<double> scale;
    std::optional<double> offset;
    std::string units;
};
Packing ReadPacking(const json::Value& attributes, Warnings& warnings);

// Returns the units of an array's numbers: the units of its NumPy time type, else the attribute
// `units`.
std::string UnitsOf(const DataType& type, const Packing& packing);

// Returns the UDUNITS spelling of a NumPy time type: "25 seconds since 1970-01-01" for <M8[25s],
// "days" for <m8[D]. Empty if `type` is not a time, or is a time without a unit.
std::string TimeUnits(const DataType& type);

}  // namespace zarr
