// SPDX-License-Identifier: MIT
#include "core/conventions/facts/dimensions.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Returns the dimensions that the paths in NCZarr's `dimrefs` name; empty if there are none. An
// invalid path gives a warning and an empty result.
Fact<std::vector<NamedDimension>> NczarrNames(const std::vector<std::string>& references) {
    std::vector<NamedDimension> named;
    for (const std::string& reference : references) {
        const auto path = NormalizePath(reference);
        if (!path.ok() || path->empty())
            return {{}, {"dimrefs: " + Quoted(reference) + " is not the path of a dimension"}};
        NamedDimension dimension{std::string(LastName(*path)), std::string(ParentPath(*path))};
        dimension.is_declared_in_group = true;
        named.push_back(std::move(dimension));
    }
    return {std::move(named)};
}

std::string NameOfUnnamed(std::size_t dimension) { return "dim" + std::to_string(dimension); }

// True if the names in `_ARRAY_DIMENSIONS` equal the last path segments of NCZarr's references.
// Callers then use the references, which also state the group of each dimension.
bool AreNamed(const json::Value& attributes, const std::vector<std::string>& references) {
    if (references.empty()) return false;
    const DimensionNames found = FindDimensionNames(attributes, references.size()).value;
    return found.are_stated &&
           std::equal(references.begin(), references.end(), found.names.begin(), found.names.end(),
                      [](const std::string& reference, const std::string& name) {
                          return LastName(reference) == name;
                      });
}

}  // namespace

Fact<DimensionNames> FindDimensionNames(const json::Value& attributes, std::size_t rank) {
    constexpr std::string_view kName = "_ARRAY_DIMENSIONS";
    Fact<DimensionNames> fact;
    DimensionNames& found = fact.value;
    if (const json::Value* value = attributes.Find(kName)) {
        const json::Array* items = value->as_array();
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
            if (const std::string* name = (*items)[i].as_string()) found.names.push_back(*name);
            // Zarr v3 allows null as the name of a dimension, so null gives no warning.
            if ((*items)[i].is_null()) found.names.push_back(NameOfUnnamed(i));
        }
        found.are_stated = items != nullptr && items->size() == rank && found.names.size() == rank;
        if (found.are_stated) return fact;
        // A scalar gives no warning, because netCDF-C stores scalars with shape [1] and without
        // dimensions.
        const bool is_scalar = rank == 1 && items != nullptr && items->empty();
        if (!is_scalar)
            fact.warnings.push_back("attribute " + std::string(kName) + ": expected " +
                                    std::to_string(rank) + " names, got " + json::Brief(*value));
        found.names.clear();
    }
    for (std::size_t i = 0; i < rank; ++i) found.names.push_back(NameOfUnnamed(i));
    return fact;
}

Fact<std::vector<NamedDimension>> NameDimensions(const Hierarchy& hierarchy,
                                                 const std::string& path,
                                                 const ArrayMetadata& metadata,
                                                 const json::Value& attributes) {
    const std::string group(ParentPath(path));
    const std::size_t rank = metadata.rank();
    if (rank == 0) return {};  // netCDF-C states a dimension _scalar_ for a scalar
    auto references = NczarrDimensions(hierarchy, path, metadata, attributes);
    const bool is_named = attributes.Find("_ARRAY_DIMENSIONS") != nullptr;
    Fact<std::vector<NamedDimension>> named;
    if (!is_named || AreNamed(attributes, references)) {
        named = NczarrNames(references);
        if (named.value.size() == rank) return named;
        named.value.clear();
    }
    if (!is_named && rank >= 2) {  // an OME image has at least two dimensions
        const LevelListing listing = ListingOf(hierarchy, path);
        for (const OmeAxis& axis : FindOmeAxes(listing.levels, rank))
            named.value.push_back({axis.name, group, axis.role});
        if (named.value.size() == rank) return named;
        named.value.clear();
    }
    DimensionNames found = FindDimensionNames(attributes, rank).Report(named.warnings);
    for (std::string& name : found.names)
        named.value.push_back({std::move(name), group, AxisRole::kNone, found.are_stated});
    return named;
}

}  // namespace zarr
