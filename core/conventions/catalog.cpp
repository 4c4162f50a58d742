// SPDX-License-Identifier: MIT
#include "core/conventions/catalog.h"

#include <algorithm>
#include <set>

#include "core/conventions/catalog_walk.h"
#include "core/conventions/dimension_names.h"
#include "core/conventions/eopf.h"
#include "core/conventions/lookup.h"
#include "core/conventions/named_members.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// An array in a group, and in `references` what its attributes refer to.
CatalogArray DescribeMember(const Hierarchy& hierarchy, LevelListings& listings,
                            const std::string& path, std::set<std::string>& references) {
    CatalogArray array = DescribeAlone(hierarchy, path);
    if (!array.status.ok()) return array;
    Warnings ignored;  // whoever opens the array sees them
    const json::Value attributes =
        WithEopf(LenientAttributes(hierarchy, path, ignored), array.metadata, ignored);
    references.merge(ReferencedNames(attributes));
    for (NamedDimension& dimension :
         NameDimensions(hierarchy, listings, path, array.metadata, attributes, ignored))
        array.dimensions.push_back(std::move(dimension.name));
    return array;
}

}  // namespace

bool HasNumbers(const DataType& type) {
    if (type.kind == DataKind::kStruct)
        return std::any_of(type.fields.begin(), type.fields.end(), [](const Field& field) {
            return field.count > 0 && HasNumbers(field.type);
        });
    return type.is_numeric() || type.is_time();
}

bool IsRaster(const ArrayMetadata& metadata) {
    return metadata.rank() >= 2 && HasNumbers(metadata.dtype) &&
           std::find(metadata.shape.begin(), metadata.shape.end(), 0U) == metadata.shape.end();
}

std::vector<const CatalogArray*> CatalogGroup::Rasters() const {
    std::vector<const CatalogArray*> rasters;
    for (const CatalogArray& array : arrays)
        if (array.status.ok() && array.is_raster && !array.is_auxiliary) rasters.push_back(&array);
    return rasters;
}

bool CatalogGroup::IsOneGrid() const {
    const std::vector<const CatalogArray*> rasters = Rasters();
    if (rasters.size() < 2) return false;
    return std::all_of(rasters.begin(), rasters.end(), [&](const CatalogArray* array) {
        return array->metadata.rank() == 2 && array->metadata.shape == rasters[0]->metadata.shape &&
               array->dimensions == rasters[0]->dimensions;
    });
}

CatalogArray DescribeAlone(const Hierarchy& hierarchy, const std::string& path) {
    CatalogArray array;
    array.path = path;
    auto metadata = hierarchy.Metadata(path);
    if (metadata.ok())
        array.status =
            Array::CheckCodecs(*metadata).WithContext(hierarchy.NameOf(JoinKey(path, kArrayKey)));
    else
        array.status = metadata.status();
    if (!array.status.ok()) return array;
    array.metadata = metadata.Take();
    array.is_raster = IsRaster(array.metadata);
    return array;
}

CatalogGroup DescribeMembers(const Hierarchy& hierarchy, LevelListings& listings,
                             const std::string& path, const std::vector<Node>& members) {
    CatalogGroup group;
    group.path = path;
    std::set<std::string> references;
    for (const Node& node : members)
        if (node.kind == NodeKind::kArray)
            group.arrays.push_back(DescribeMember(hierarchy, listings, node.path, references));
    for (CatalogArray& array : group.arrays)
        array.is_auxiliary = references.count(std::string(LastName(array.path))) != 0;
    return group;
}

Result<CatalogGroup> ListGroup(const Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<Node> members, MembersOf(hierarchy, path));
    LevelListings listings(hierarchy);
    return DescribeMembers(hierarchy, listings, path, members);
}

}  // namespace zarr
