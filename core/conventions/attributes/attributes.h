// SPDX-License-Identifier: MIT
// Reads single attributes. Accepts deviations from the conventions that occur in real stores.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Warnings about invalid attributes or metadata of a store that is readable all the same.
using Warnings = std::vector<std::string>;

// A fact that attributes state, with the warnings about these attributes. Whoever opens the node
// reports the warnings; others read `value` alone.
template <class T>
struct Fact {
    T value;
    Warnings warnings = {};

    // Adds the warnings to `all`, and returns the value.
    T Report(Warnings& all) && {
        all.insert(all.end(), warnings.begin(), warnings.end());
        return std::move(value);
    }
};

// Collects errors of one kind into one warning.
class Faults {
  public:
    void Add(const std::string& text);
    // Adds one warning for all collected errors, if there are any, and clears the collection.
    void Report(Warnings& warnings);

  private:
    std::string text_;  // text of the first errors, for the warning
    std::size_t count_ = 0;
};

// Returns a string attribute; nullptr if absent or not a string.
const std::string* StringAttribute(const json::Value& attributes, std::string_view name);

// Returns a member that OME-Zarr defines, such as "multiscales"; nullptr if absent. OME-Zarr
// stores such members in the attribute `ome` since version 0.5; earlier versions store them as
// separate attributes. The pointer is valid as long as `attributes`.
const json::Value* OmeMember(const json::Value& attributes, std::string_view name);

// Returns the number in `value`, which is a number or a string that spells a number.
std::optional<double> NumberIn(const json::Value& value);

// Returns a numeric attribute: a number, an array of one number, or a string that spells a number.
// Returns nullopt otherwise, with a warning if the attribute exists.
Fact<std::optional<double>> NumberAttribute(const json::Value& attributes, std::string_view name);

// Returns the finite numbers in an attribute: an array, a single number, or a string with blanks or
// commas between numbers. Returns an empty list otherwise, with a warning if the attribute exists.
Fact<std::vector<double>> NumbersAttribute(const json::Value& attributes, std::string_view name);

// Returns the words in a string attribute such as "lat lon" or "crs: x y".
std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name);

// Attribute of an array, with the name of its mask array in the same group; see
// driver/raster/stored_masks.h.
inline constexpr std::string_view kMaskAttribute = "gdal_mask";
// Attribute of an array that is a mask: GDAL's flags of the mask.
inline constexpr std::string_view kMaskFlagsAttribute = "gdal_mask_flags";

// Returns the names of the arrays to which an array's attributes refer: coordinates, grid mappings,
// bounds (CF conventions) and the mask. Paths are reduced to their last segment.
std::set<std::string> ReferencedNames(const json::Value& attributes);

// Returns the path of the array to which an attribute of an array in `group` refers by `name` (CF
// conventions, section 2.7.1). A relative name is searched in the group, then in its ancestors.
// Empty if there is no such array in the store.
std::string FindVariable(const Hierarchy& hierarchy, const std::string& group,
                         const std::string& name);

// Adds a warning and returns true if the metadata or attributes of the array at `path` are invalid.
// Each warning is added once. Returns false if there is no array, or if the store cannot be read.
bool WarnIfInvalid(const Hierarchy& hierarchy, const std::string& path, Warnings& warnings);

// Returns the attributes of an array or group; an empty object if they are invalid. Adds no
// warning, because DescribeArray() and opening the group report invalid attributes.
json::Value AttributesOrEmpty(const Hierarchy& hierarchy, const std::string& path);

// Returns AttributesOrEmpty(), and adds a warning if the attributes are invalid.
json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings);

// Attributes of rioxarray and its relatives: lists with a scale or an offset for each band.
inline constexpr std::string_view kScalesOfBands = "scales";
inline constexpr std::string_view kOffsetsOfBands = "offsets";

// Scale, offset and units of stored numbers (CF conventions, section 8.1): value = stored * scale +
// offset, in `units`. Lists with equal entries for all bands count if CF's attributes are absent;
// see band_lists.h.
struct Packing {
    std::optional<double> scale;
    std::optional<double> offset;
    std::string units;
};
Fact<Packing> ReadPacking(const json::Value& attributes);

// Returns the units of an array's numbers: from its NumPy time type, or else from the attribute
// `units`.
std::string UnitsOf(const DataType& type, const Packing& packing);

// Returns the UDUNITS spelling of the units of PlainTimeType(): "seconds since 1970-01-01" for
// <M8[25s], "days since 1970-01-01" for <M8[M], "days" for <m8[D]. Empty if `type` is not a time,
// or is a time without a unit.
std::string TimeUnits(const DataType& type);

}  // namespace zarr
