// SPDX-License-Identifier: MIT
#include "driver/georef/coordinate_arrays.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/codec/pipeline.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/facts/array_facts.h"
#include "core/metadata/array_metadata.h"
#include "core/store/keys.h"
#include "driver/store/open_node.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::ArrayFacts;
using zarr::CatalogArray;
using zarr::Result;
using zarr::Status;

namespace {

constexpr std::uint64_t kNumbersAtOnce = std::uint64_t{1} << 20;

// True if attributes of the array `facts` may name the array at `path`. A name means the array in
// the group of `facts`; if that group lacks the array, or an attribute contains a path, any array
// with that name counts. A wrong match only prevents the array at `path` from being changed.
bool MayName(const zarr::Hierarchy& hierarchy, const ArrayFacts& facts, const std::string& path) {
    const std::string name(zarr::LastName(path));
    if (zarr::ReferencedNames(facts.attributes).count(name) == 0) return false;
    const std::string own = zarr::JoinKey(zarr::ParentPath(facts.path), name);
    if (own == path || json::Dump(facts.attributes).find("/" + name) != std::string::npos)
        return true;
    const auto is_array = hierarchy.HoldsArray(own);
    return !is_array.ok() || !*is_array;
}

bool RefersTo(const zarr::Hierarchy& hierarchy, const ArrayFacts& facts, const std::string& path) {
    return MayName(hierarchy, facts, path) ||
           std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                       [&](const auto& dimension) { return dimension.coordinate_path == path; });
}

// True if the raster `facts` names no grid mapping, and readers therefore use the one at `path`.
// Readers search the raster's group and the groups above.
bool UsesGridMapping(const zarr::Hierarchy& hierarchy, const ArrayFacts& facts,
                     const std::string& path) {
    return facts.axes.x && facts.axes.y && facts.attributes.Find("grid_mapping") == nullptr &&
           zarr::FindGridMapping(hierarchy, facts).value == path;
}

Status WriteChunks(zarr::Store& store, const std::string& path, const zarr::ArrayMetadata& metadata,
                   const NumberSeries& numbers) {
    zarr::CodecContext context;
    context.dtype = metadata.dtype;
    context.chunk_shape = metadata.chunks;
    ZARR_ASSIGN_OR_RETURN(const zarr::Pipeline pipeline,
                          zarr::Pipeline::Bind(metadata.codecs, context));
    zarr::PipelineScratch scratch;
    const std::uint64_t size = metadata.chunks[0];
    std::vector<double> chunk(static_cast<std::size_t>(size));
    for (std::uint64_t first = 0; first < numbers.count; first += chunk.size()) {
        for (std::uint64_t i = 0; i < chunk.size(); ++i)
            chunk[static_cast<std::size_t>(i)] =
                first + i < numbers.count ? numbers.at(first + i) : 0;
        const std::string key =
            zarr::ChunkKey(path, {first / chunk.size()}, metadata.key_encoding());
        const zarr::ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(chunk.data()),
                                   chunk.size() * sizeof(double));
        ZARR_ASSIGN_OR_RETURN(const zarr::ByteSpan encoded, pipeline.Encode(bytes, scratch));
        ZARR_RETURN_IF_ERROR(store.Set(key, encoded));
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

Result<bool> HoldsNumbers(const zarr::Hierarchy& hierarchy, const std::string& path,
                          const NumberSeries& numbers) {
    const auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok() || metadata->shape != decltype(metadata->shape){numbers.count}) return false;
    const auto attributes = hierarchy.Attributes(path);
    if (!attributes.ok()) return false;
    for (std::uint64_t first = 0; first < numbers.count; first += kNumbersAtOnce) {
        const std::uint64_t count = std::min(kNumbersAtOnce, numbers.count - first);
        const auto stored = zarr::ReadCoordinates(hierarchy, path, *attributes, first, count, 1);
        if (!stored.ok() && stored.status().code() == zarr::StatusCode::kIo) return stored.status();
        if (!stored.ok()) return false;
        for (std::uint64_t i = 0; i < count; ++i)
            if (stored->values[static_cast<std::size_t>(i)] != numbers.at(first + i)) return false;
    }
    return true;
}

Result<std::vector<Result<ArrayFacts>>> CoordinateArrays::UsersOf(const std::string& path) const {
    std::vector<Result<ArrayFacts>> users;
    if (others_ == OtherArrays::kNone) return users;
    // Pending attributes are stored before the search for users, because they may refer to the
    // array at `path`.
    if (others_ == OtherArrays::kAny) ZARR_RETURN_IF_ERROR(update_.StoreAttributes());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(*hierarchy, "").value);
    for (const zarr::CatalogGroup& group : groups) {
        for (const CatalogArray& array : group.arrays) {
            if (array.path == path || rasters_.count(array.path) != 0) continue;
            auto facts = zarr::DescribeArray(*hierarchy, array.path);
            if (!facts.ok() || RefersTo(*hierarchy, *facts, path) ||
                (!array.is_auxiliary && !update_.HasCreated(array.path) &&
                 UsesGridMapping(*hierarchy, *facts, path)))
                users.push_back(std::move(facts));
        }
    }
    // Fails if an array could not be read. Such an array may use the array at `path`.
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return users;
}

Result<bool> CoordinateArrays::IsFree(const std::string& path) const {
    // the array at `path` is a raster, which is never overwritten
    if (rasters_.count(path) != 0) return false;
    if (update_.HasCreated(path) && others_ != OtherArrays::kAny) return true;
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(path));
    if (kind == zarr::NodeKind::kNone) return true;
    if (kind != zarr::NodeKind::kArray) return false;
    ZARR_ASSIGN_OR_RETURN(const auto users, UsersOf(path));
    return users.empty();
}

Result<bool> CoordinateArrays::WouldMoveOtherRasters(const RasterLayout& layout) const {
    if (others_ == OtherArrays::kNone) return false;
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
    const std::string group(zarr::ParentPath(layout.facts.path));
    const auto listed = zarr::ListGroup(*hierarchy, group);
    if (!listed.ok()) return listed.status();
    const auto& own = layout.facts.dimensions;
    for (const CatalogArray* const array : listed->Rasters()) {
        // Skips the rasters themselves, and arrays that this update has created for them, such as
        // masks.
        if (rasters_.count(array->path) != 0 || update_.HasCreated(array->path)) continue;
        const auto facts = zarr::DescribeArray(*hierarchy, array->path);
        if (!facts.ok() || !facts->axes.x || !facts->axes.y) continue;
        const zarr::Dimension& x = facts->dimensions[*facts->axes.x];
        const zarr::Dimension& y = facts->dimensions[*facts->axes.y];
        if (x.name == own[*layout.x_axis].name && y.name == own[*layout.y_axis].name &&
            x.coordinate_path.empty() && y.coordinate_path.empty())
            return true;
    }
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return false;
}

Result<bool> CoordinateArrays::UsersHaveCoordinates(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const auto users, UsersOf(path));
    return std::all_of(users.begin(), users.end(), [](const Result<ArrayFacts>& facts) {
        const auto has = [&](const std::optional<std::size_t>& axis) {
            return axis && !facts->dimensions[*axis].coordinate_path.empty();
        };
        return facts.ok() && has(facts->axes.x) && has(facts->axes.y);
    });
}

Result<std::optional<GridMapping>> CoordinateArrays::FindEqual(
    const std::string& group, const std::vector<std::string>& names,
    const OGRSpatialReference& srs) const {
    // Pending attributes are stored before the search, because an array may be a grid mapping only
    // with its pending attributes.
    if (others_ == OtherArrays::kAny) ZARR_RETURN_IF_ERROR(update_.StoreAttributes());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
    ZARR_ASSIGN_OR_RETURN(
        auto found, FindGridMapping(*hierarchy, group, names, srs, others_ == OtherArrays::kNone));
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return found;
}

Status CoordinateArrays::RemoveScalar(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
    ZARR_ASSIGN_OR_RETURN(const bool is_array, hierarchy->HoldsArray(path));
    if (!is_array) return {};
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, hierarchy->Metadata(path));
    if (metadata.rank() != 0) return {};
    ZARR_ASSIGN_OR_RETURN(const bool is_free, IsFree(path));
    return is_free ? update_.metadata().DeleteNode(path) : Status();
}

Result<bool> CoordinateArrays::Remove(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const bool is_free, IsFree(path));
    if (is_free) ZARR_RETURN_IF_ERROR(update_.metadata().DeleteNode(path));
    return is_free;
}

Result<zarr::ArrayMetadata> CoordinateArrays::MetadataOf(zarr::ArraySpec spec) const {
    ZARR_ASSIGN_OR_RETURN(spec.format, update_.metadata().StoreFormat());
    if (spec.format == zarr::Format::kV3) {
        spec.has_key_prefix = true;
        spec.dimension_separator = '/';
        // Zarr v3 requires a fill value. NaN is used because it is no coordinate.
        const double nan = std::numeric_limits<double>::quiet_NaN();
        spec.fill_value = std::string(spec.dtype.size, '\0');
        if (spec.dtype.kind == zarr::DataKind::kFloat)
            std::memcpy(spec.fill_value->data(), &nan, sizeof nan);
    }
    return zarr::MakeArrayMetadata(spec);
}

Status CoordinateArrays::Write(const std::string& path, const zarr::ArraySpec& spec,
                               const json::Object& attributes, const std::string& chunk) const {
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, MetadataOf(spec));
    ZARR_RETURN_IF_ERROR(update_.MakeArray(path, metadata, attributes));
    const zarr::DimVector<std::uint64_t> only(metadata.rank());
    update_.RecordComplete(path);
    return update_.store()->Set(zarr::ChunkKey(path, only, metadata.key_encoding()),
                                zarr::ByteSpan(std::string_view(chunk)));
}

Result<bool> CoordinateArrays::WriteNumbers(const std::string& path, const NumberSeries& numbers,
                                            const json::Object& attributes,
                                            std::vector<zarr::CodecSpec> codecs) const {
    if (!update_.HasCreated(path)) {
        ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_.store()));
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(path));
        if (kind == zarr::NodeKind::kArray) {
            ZARR_ASSIGN_OR_RETURN(const bool has_numbers, HoldsNumbers(*hierarchy, path, numbers));
            if (has_numbers) return true;
        }
        ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    }
    ZARR_ASSIGN_OR_RETURN(const bool is_free, IsFree(path));
    if (!is_free) return false;
    zarr::ArraySpec spec;
    spec.shape = {numbers.count};
    spec.chunks = {std::min(kNumbersAtOnce, numbers.count)};
    spec.codecs = std::move(codecs);
    ZARR_ASSIGN_OR_RETURN(spec.dtype,
                          zarr::ParseTypestr(zarr::HostIsLittleEndian() ? "<f8" : ">f8"));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, MetadataOf(spec));
    ZARR_RETURN_IF_ERROR(update_.MakeArray(path, metadata, attributes));
    ZARR_RETURN_IF_ERROR(WriteChunks(*update_.store(), path, metadata, numbers));
    update_.RecordComplete(path);
    return true;
}

}  // namespace zarr_driver
