// SPDX-License-Identifier: MIT
#include "core/conventions/dimension_names.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/conventions/nczarr.h"
#include "core/conventions/ome.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Empty where NCZarr names none, or, with a warning, something that is no dimension.
std::vector<NamedDimension> NczarrNames(const std::vector<std::string>& references,
                                        Warnings& warnings) {
    std::vector<NamedDimension> named;
    for (const std::string& reference : references) {
        const auto path = NormalizePath(reference);
        if (!path.ok() || path->empty()) {
            warnings.push_back("dimrefs: " + Quoted(reference) + " names no dimension");
            return {};
        }
        NamedDimension dimension{std::string(LastName(*path)), std::string(ParentPath(*path))};
        dimension.is_declared_in_group = true;
        named.push_back(std::move(dimension));
    }
    return named;
}

// True where `_ARRAY_DIMENSIONS` are the last names of the references, which say more then.
bool AreNamed(const json::Value& attributes, const std::vector<std::string>& references) {
    Warnings ignored;
    const DimensionNames found = FindDimensionNames(attributes, references.size(), ignored);
    return found.are_stated &&
           std::equal(references.begin(), references.end(), found.names.begin(), found.names.end(),
                      [](const std::string& reference, const std::string& name) {
                          return LastName(reference) == name;
                      });
}

}  // namespace

std::vector<NamedDimension> NameDimensions(const Hierarchy& hierarchy, LevelListings& listings,
                                           const std::string& path, const ArrayMetadata& metadata,
                                           const json::Value& attributes, Warnings& warnings) {
    const std::string group(ParentPath(path));
    const std::size_t rank = metadata.rank();
    if (rank == 0) return {};  // whatever is said: netCDF-C calls the dimension _scalar_
    auto references = NczarrDimensions(hierarchy, path, metadata.document, attributes, rank);
    const bool is_named = attributes.Find("_ARRAY_DIMENSIONS") != nullptr;
    if (!is_named || AreNamed(attributes, references)) {
        auto named = NczarrNames(references, warnings);
        if (named.size() == rank) return named;
    }
    if (!is_named && rank >= 2) {  // no image has fewer
        std::vector<NamedDimension> named;
        for (const OmeAxis& axis : FindOmeAxes(listings.Find(path).levels, rank))
            named.push_back({axis.name, group, axis.role});
        if (named.size() == rank) return named;
    }
    DimensionNames found = FindDimensionNames(attributes, rank, warnings);
    std::vector<NamedDimension> named;
    for (std::string& name : found.names)
        named.push_back({std::move(name), group, AxisRole::kNone, found.are_stated});
    return named;
}

}  // namespace zarr
