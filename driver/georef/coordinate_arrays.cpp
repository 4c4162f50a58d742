// SPDX-License-Identifier: MIT
#include "driver/georef/coordinate_arrays.h"

#include <algorithm>

#include "core/base/endian.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "core/conventions/catalog.h"
#include "core/conventions/coordinates.h"
#include "core/store/keys.h"
#include "driver/store/location.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::ArrayFacts;
using zarr::CatalogArray;
using zarr::Result;
using zarr::Status;

namespace {

constexpr std::uint64_t kNumbersAtOnce = std::uint64_t{1} << 20;

bool RefersTo(const ArrayFacts& facts, const std::string& path) {
    // Whatever group it means: better one too many than one too few.
    return zarr::ReferencedNames(facts.attributes).count(std::string(zarr::LastName(path))) != 0 ||
           std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                       [&](const auto& dimension) { return dimension.coordinate_path == path; });
}

// Stores them as the chunks of the array at `path`, which have `size` elements each.
Status WriteChunks(zarr::Store& store, const std::string& path, const NumberSeries& numbers,
                   std::uint64_t size) {
    std::vector<double> chunk(static_cast<std::size_t>(size));
    for (std::uint64_t first = 0; first < numbers.count; first += chunk.size()) {
        for (std::uint64_t i = 0; i < chunk.size(); ++i)
            chunk[static_cast<std::size_t>(i)] =
                first + i < numbers.count ? numbers.at(first + i) : 0;
        const std::string key = zarr::JoinKey(path, std::to_string(first / chunk.size()));
        const zarr::ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(chunk.data()),
                                   chunk.size() * sizeof(double));
        ZARR_RETURN_IF_ERROR(store.Set(key, bytes));
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<const zarr::Hierarchy>> CurrentHierarchy(
    const std::shared_ptr<const zarr::Store>& store) {
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
                  const NumberSeries& numbers) {
    const auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok() || metadata->shape != decltype(metadata->shape){numbers.count}) return false;
    const auto attributes = hierarchy.Attributes(path);
    if (!attributes.ok()) return false;
    for (std::uint64_t first = 0; first < numbers.count; first += kNumbersAtOnce) {
        const std::uint64_t count = std::min(kNumbersAtOnce, numbers.count - first);
        const auto held = zarr::ReadCoordinates(hierarchy, path, *attributes, first, count, 1);
        if (!held.ok()) return false;
        for (std::uint64_t i = 0; i < count; ++i)
            if (held->values[static_cast<std::size_t>(i)] != numbers.at(first + i)) return false;
    }
    return true;
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
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, zarr::MakeArrayMetadata(spec));
    ZARR_RETURN_IF_ERROR(update_.MakeArray(path, metadata, attributes));
    return update_.store()->Set(zarr::JoinKey(path, "0"), zarr::ByteSpan(std::string_view(chunk)));
}

Result<bool> CoordinateArrays::WriteNumbers(const std::string& path, const NumberSeries& numbers,
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
    spec.shape = {numbers.count};
    spec.chunks = {std::min(kNumbersAtOnce, numbers.count)};
    ZARR_ASSIGN_OR_RETURN(spec.dtype,
                          zarr::ParseTypestr(zarr::HostIsLittleEndian() ? "<f8" : ">f8"));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, zarr::MakeArrayMetadata(spec));
    ZARR_RETURN_IF_ERROR(update_.MakeArray(path, metadata, attributes));
    ZARR_RETURN_IF_ERROR(WriteChunks(*update_.store(), path, numbers, spec.chunks[0]));
    return true;
}

}  // namespace zarr_driver
