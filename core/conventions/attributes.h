// SPDX-License-Identifier: MIT
// Reading single attributes leniently, as real stores have them.
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

// What is wrong with attributes without making a store unreadable; each names the attribute.
using Warnings = std::vector<std::string>;

// A string attribute, else nullptr.
const std::string* StringAttribute(const json::Value& attributes, std::string_view name);

// A member that OME-NGFF defines: below `ome`, where version 0.5 has it, else of the attributes
// themselves, as earlier ones; nullptr where it is in neither. Borrows.
const json::Value* OmeMember(const json::Value& attributes, std::string_view name);

// A number attribute: a number, an array of one number, or a string that spells one, as writers
// have been seen to leave them. An attribute that is there but is not one of these gives a warning.
std::optional<double> NumberAttribute(const json::Value& attributes, std::string_view name,
                                      Warnings& warnings);

// An attribute of several finite numbers: an array of them, a single one, or a string that lists
// them with blanks or commas between. Empty where it is absent, and, with a warning, where it is
// none of these.
std::vector<double> NumbersAttribute(const json::Value& attributes, std::string_view name,
                                     Warnings& warnings);

// The words of a string attribute that lists names: "lat lon", "crs: x y".
std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name);

// The attribute of an array that names its mask, another array of its group; see
// driver/raster/stored_masks.h.
inline constexpr std::string_view kMaskAttribute = "gdal_mask";

// The last names of the arrays that describe an array, by its attributes: coordinates, grid
// mappings, bounds (CF conventions), its mask.
std::set<std::string> ReferencedNames(const json::Value& attributes);

// Finding what attributes name: variables of the same group or of a group above it.

// The path of the array that `name` means in `group` (CF conventions, section 2.7.1): an absolute
// path, or a name in the group or the nearest group above that has it. Empty where there is none,
// or where the name would lead outside the store.
std::string FindVariable(const Hierarchy& hierarchy, const std::string& group,
                         const std::string& name);

// Attributes of a node; an empty object, and a warning, where `.zattrs` is broken.
json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings);

// The meaning of stored numbers: packing and units.

// value = stored * scale + offset, in `units` (CF conventions, section 8.1).
struct Packing {
    std::optional<double> scale;
    std::optional<double> offset;
    std::string units;
};
Packing ReadPacking(const json::Value& attributes, Warnings& warnings);

// The units of an array's numbers: what its NumPy time type says, else the attribute.
std::string UnitsOf(const DataType& type, const Packing& packing);

// UDUNITS' spelling of a NumPy time type: "25 seconds since 1970-01-01" for <M8[25s], "days" for
// <m8[D]; empty for other types and for time without a unit.
std::string TimeUnits(const DataType& type);

}  // namespace zarr
