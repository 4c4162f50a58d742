// SPDX-License-Identifier: MIT
#include "driver/coordinate_arrays.h"

#include <algorithm>

#include "core/base/endian.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "core/conventions/catalog.h"
#include "core/conventions/coordinates.h"
#include "core/store/keys.h"
#include "driver/location.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::ArrayFacts;
using zarr::CatalogArray;
using zarr::Result;
using zarr::Status;

namespace {

bool RefersTo(const ArrayFacts& facts, const std::string& path) {
    // Whatever group it means: better one too many than one too few.
    return zarr::ReferencedNames(facts.attributes).count(std::string(zarr::LastName(path))) != 0 ||
           std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                       [&](const auto& dimension) { return dimension.coordinate_path == path; });
}

}  // namespace

Result<std::shared_ptr<const zarr::Hierarchy>> CurrentHierarchy(
    const std::shared_ptr<zarr::Store>& store) {
    return zarr::Hierarchy::Open(store, zarr::UseConsolidated::kNever, SharedContext());
}

std::set<std::string> DimensionsInUse(const zarr::Hierarchy& hierarchy, const std::string& group) {
    std::set<std::string> names;
    const auto listed = zarr::ListGroup(hierarchy, group);
    if (!listed.ok()) return names;
    for (const CatalogArray& array : listed->arrays) {
        names.insert(array.dimensions.begin(), array.dimensions.end());
        names.insert(std::string(zarr::LastName(array.path)));
    }
    return names;
}

bool HoldsNumbers(const zarr::Hierarchy& hierarchy, const std::string& path,
                  const std::vector<double>& numbers) {
    const auto attributes = hierarchy.Attributes(path);
    if (!attributes.ok()) return false;
    const auto held = zarr::ReadCoordinates(hierarchy, path, *attributes, 1);
    return held.ok() && held->values == numbers;
}

Result<bool> CoordinateArrays::IsFree(const std::string& path) const {
    if (rasters_.count(path) != 0) return false;  // never the data itself
    if (update_.HasMade(path)) return true;
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(path));
    if (kind == zarr::NodeKind::kNone) return true;
    if (kind != zarr::NodeKind::kArray) return false;
    zarr::Warnings ignored;
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(*hierarchy, "", ignored));
    for (const zarr::CatalogGroup& group : groups) {
        for (const CatalogArray& array : group.arrays) {
            if (array.path == path || rasters_.count(array.path) != 0) continue;
            const auto facts = zarr::DescribeArray(*hierarchy, array.path);
            // One that cannot be read may refer to anything.
            if (!facts.ok() || RefersTo(*facts, path)) return false;
        }
    }
    // What could not be read may be what refers to it.
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return true;
}

Status CoordinateArrays::Write(const std::string& path, const zarr::ArraySpec& spec,
                               const json::Object& attributes, const std::string& chunk) const {
    ZARR_ASSIGN_OR_RETURN(const json::Object document, zarr::MakeArrayDocument(spec));
    ZARR_RETURN_IF_ERROR(update_.MakeArray(path, document, attributes));
    return update_.store()->Set(zarr::JoinKey(path, "0"), zarr::ByteSpan(std::string_view(chunk)));
}

Result<bool> CoordinateArrays::WriteNumbers(const std::string& path,
                                            const std::vector<double>& numbers,
                                            const json::Object& attributes) const {
    if (!update_.HasMade(path)) {
        ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(path));
        if (kind == zarr::NodeKind::kArray && HoldsNumbers(*hierarchy, path, numbers)) return true;
        ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    }
    ZARR_ASSIGN_OR_RETURN(const bool is_free, IsFree(path));
    if (!is_free) return false;
    zarr::ArraySpec spec;
    spec.shape = spec.chunks = {numbers.size()};
    ZARR_ASSIGN_OR_RETURN(spec.dtype,
                          zarr::ParseTypestr(zarr::HostIsLittleEndian() ? "<f8" : ">f8"));
    const std::string chunk(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof(double));
    ZARR_RETURN_IF_ERROR(Write(path, spec, attributes, chunk));
    return true;
}

}  // namespace zarr_driver
