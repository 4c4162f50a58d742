// SPDX-License-Identifier: MIT
#include "driver/create/create_store.h"

#include <cpl_conv.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/time.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/facts/dimensions.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/ome/ome_write.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/region.h"
#include "core/metadata/array_metadata.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/create/growing_coordinates.h"
#include "driver/create/new_dimensions.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

// Deletes all nodes below the root, except the nodes in `kept` and the groups above them. Clears
// the attributes of the remaining groups.
Status DeleteNodesExcept(const std::set<std::string>& kept, const zarr::Hierarchy& hierarchy,
                         zarr::HierarchyWriter& metadata) {
    std::vector<std::string> groups{""};
    while (!groups.empty()) {
        const std::string group = std::move(groups.back());
        groups.pop_back();
        ZARR_RETURN_IF_ERROR(metadata.SetAttributes(group, json::Value(json::Object())));
        ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy.Members(group));
        for (const auto& member : members) {
            const std::string path = zarr::JoinKey(group, member.name);
            const bool holds_kept =
                std::any_of(kept.begin(), kept.end(), [&](const std::string& array) {
                    return array != path && zarr::IsAtOrBelow(array, path);
                });
            if (holds_kept)
                groups.push_back(path);
            else if (kept.count(path) == 0)
                ZARR_RETURN_IF_ERROR(metadata.DeleteNode(path));
        }
    }
    return {};
}

// Opens the new arrays as a dataset called `name`. The arrays are in the store at `address`.
Result<std::unique_ptr<ZarrDataset>> OpenCreated(const std::string& name,
                                                 const StoreAddress& address,
                                                 const std::shared_ptr<const zarr::Store>& store,
                                                 const std::vector<PlannedArray>& arrays,
                                                 bool is_appended) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    OpenNode open_node;
    open_node.address = address;
    ZARR_ASSIGN_OR_RETURN(open_node.hierarchy, CurrentHierarchy(store));
    // If there are several arrays, their common group is opened as one dataset, in which each array
    // is a band.
    const bool is_one = arrays.size() == 1;
    open_node.node = is_one ? arrays[0].path : zarr::ParentPath(arrays[0].path);
    open_node.kind = is_one ? zarr::NodeKind::kArray : zarr::NodeKind::kGroup;
    auto dataset = std::make_unique<ZarrDataset>(name, open_node, options);
    for (const PlannedArray& array : arrays) {
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              MakeRasterLayout(*open_node.hierarchy, array.path, options, {}));
        dataset->AddArray(std::move(layout), arrays.size() > 1);
    }
    dataset->Finish({{}, !is_appended, true});
    // A failure to read the store is an error, because nodes that could not be read might be
    // overwritten.
    ZARR_RETURN_IF_ERROR(open_node.hierarchy->TakeFailure());
    return dataset;
}

// Returns the name of an OME image: the name of its group, else the name of the store without
// ".zarr" and ".ome".
std::string OmeImageName(const std::string& array_path, const std::string& store_name) {
    const std::string_view group = zarr::ParentPath(array_path);
    if (!group.empty()) return std::string(zarr::LastName(group));
    std::string name = CPLGetFilename(store_name.c_str());
    for (const char* const extension : {"ozx", "zip", "zarr", "ome"})
        if (EQUAL(CPLGetExtension(name.c_str()), extension)) name = CPLGetBasename(name.c_str());
    return name;
}

// Fails if the group of a new OME image describes another image or a plate.
Status CheckOmeGroup(const std::shared_ptr<zarr::Store>& store, const std::string& array_path) {
    const std::string group(zarr::ParentPath(array_path));
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(group));
    if (kind != zarr::NodeKind::kGroup) return {};
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, hierarchy->Attributes(group));
    if (!zarr::DescribesOme(attributes)) return {};
    return Status::Invalid("creation option PROFILE=OME: the group /" + group +
                           " has the metadata of another image; name a new group with creation "
                           "option ARRAY_NAME, such as ARRAY_NAME=name/0");
}

zarr::WriteConsolidated Consolidation(const CreationOptions& options) {
    if (!options.consolidate) return zarr::WriteConsolidated::kNo;
    return options.append_subdataset ? zarr::WriteConsolidated::kIfPresent
                                     : zarr::WriteConsolidated::kYes;
}

// Size of a chunk: the number of bands, and the length of its sides along X and Y in pixels.
struct ChunkSize {
    std::uint64_t bands, side;
};

// Name of the group of the largest level, if OVERVIEW_LAYOUT=GROUPS puts each level into a group.
constexpr const char* kLargestLevel = "0";

constexpr ChunkSize kChunkOfMaps = {1, 512};
// Default chunk size of a raster with many bands: as many elements as kChunkOfMaps, but 16 bands.
// Reading a pixel of all bands takes few chunks; reading a single band decodes 16 bands.
constexpr ChunkSize kChunkOfSeries = {16, 128};

// Maximum length, in bytes, of a band's name that becomes the name of an array. File systems allow
// 255 bytes, and the names of masks, overviews and grid mappings add a prefix or suffix.
constexpr std::size_t kLongestBandName = 200;

// A dimension of the new arrays: its name, its size, and the size of a chunk along it.
struct PlannedAxis {
    std::string name;
    std::uint64_t size;
    std::uint64_t chunk;
};

// True if the array at `path` contains the coordinates of `dimension`, in equal units.
bool HoldsCoordinates(const zarr::Hierarchy& hierarchy, const std::string& path,
                      const BandDimension& dimension) {
    const auto kind = hierarchy.KindOf(path);
    if (!kind.ok() || *kind != zarr::NodeKind::kArray) return false;
    const auto array = hierarchy.OpenArray(path);
    const auto attributes = hierarchy.Attributes(path);
    if (!array.ok() || !attributes.ok()) return false;
    const zarr::ArrayMetadata& metadata = (*array)->metadata();
    const std::size_t size = dimension.dtype.size;
    if (metadata.shape != std::vector<std::uint64_t>{dimension.size} ||
        metadata.dtype.Native().ToString() != dimension.dtype.ToString())
        return false;
    for (const char* const name : {"units", "calendar"}) {
        const std::string* const stored = zarr::StringAttribute(*attributes, name);
        const std::string* const own =
            zarr::StringAttribute(json::Value(dimension.attributes), name);
        if (stored == nullptr || own == nullptr ? stored != own : *stored != *own) return false;
    }
    const auto op = zarr::ReadConverter(metadata.dtype, dimension.dtype);
    std::string elements(dimension.elements.size(), '\0');
    return op.ok() &&
           (*array)
               ->Read(zarr::Region::All(metadata.shape), 0,
                      {reinterpret_cast<std::uint8_t*>(elements.data()),
                       {static_cast<std::ptrdiff_t>(size)},
                       *op},
                      {})
               .ok() &&
           elements == dimension.elements;
}

// True if the array at `path` contains the times of `dimension`, in any units.
bool HoldsTimes(const zarr::Hierarchy& hierarchy, const std::string& path,
                const BandDimension& dimension) {
    const auto reference = zarr::ReadTimeReference(json::Value(dimension.attributes)).value;
    const auto kind = hierarchy.KindOf(path);
    if (!reference || !kind.ok() || *kind != zarr::NodeKind::kArray) return false;
    const auto metadata = hierarchy.Metadata(path);
    const auto attributes = hierarchy.Attributes(path);
    if (!metadata.ok() || !attributes.ok() ||
        metadata->shape != std::vector<std::uint64_t>{dimension.size})
        return false;
    zarr::Dimension stored;
    stored.name = dimension.name;
    stored.size = dimension.size;
    stored.coordinate_path = path;
    stored.coordinate_attributes = *attributes;
    const auto coordinates = GrowingCoordinates::Read(hierarchy, stored, stored.size);
    if (!coordinates.ok() || !coordinates->Reference()) return false;
    const std::size_t size = dimension.dtype.size;
    for (std::uint64_t i = 0; i < stored.size; ++i) {
        const std::string element =
            dimension.elements.substr(static_cast<std::size_t>(i) * size, size);
        const long double number = NumberOf(dimension.dtype, element);
        const auto text = dimension.dtype.kind == zarr::DataKind::kInt
                              ? reference->TextOf(static_cast<std::int64_t>(number))
                              : reference->TextOf(static_cast<double>(number));
        if (!text || !coordinates->IsAt(i, *text)) return false;
    }
    return true;
}

bool IsOneArray(const NewRaster& raster, const CreationOptions& options) {
    return options.single_array || raster.bands == 1;
}

class Planner {
  public:
    // `hierarchy` is the existing store to which the arrays are added, or nullptr for a new store.
    Planner(const zarr::Hierarchy* hierarchy, std::string base, const NewRaster& raster,
            const CreationOptions& options)
        : hierarchy_(hierarchy),
          base_(std::move(base)),
          group_(zarr::ParentPath(base_)),
          raster_(raster),
          options_(options),
          block_x_(options.block_x),
          block_y_(options.block_y) {
        if (IsStripOfGeoTiff()) block_y_ = block_x_ = 0;
        // If the user gives two chunk sizes, they are the sizes along Y and X. The order of the
        // array's dimensions does not matter.
        if (options.array.chunks.empty()) return;
        block_y_ = block_x_ = 0;
        if (options.array.chunks.size() != 2) return;
        block_y_ = options.array.chunks[0];
        block_x_ = options.array.chunks[1];
    }

    Result<std::vector<PlannedArray>> Run() const {
        const std::vector<std::string> paths = Paths();
        ZARR_RETURN_IF_ERROR(CheckBandDimension(paths));
        const std::vector<PlannedAxis> axes = Axes(paths);
        const std::uint64_t last = paths.size() > 1 ? LastBandNumber() : 0;
        std::vector<PlannedArray> arrays;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            ZARR_RETURN_IF_ERROR(CheckFree(paths[i]));
            ZARR_ASSIGN_OR_RETURN(PlannedArray array,
                                  Plan(paths[i], axes, paths.size() > 1 ? last + i + 1 : 0));
            arrays.push_back(std::move(array));
        }
        return arrays;
    }

    Status CheckFree(const std::string& path) const {
        if (hierarchy_ == nullptr) return {};
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy_->KindOf(path));
        if (kind == zarr::NodeKind::kNone) return {};
        return Status::Invalid(
            "/" + path + ": already exists; set another name with creation option ARRAY_NAME");
    }

  private:
    // True if the block size is libtiff's default strip: whole rows, and as many of them as fit
    // into 8 KiB. rasterio (1.4 and later) passes this block size for a GeoTIFF without tiles.
    bool IsStripOfGeoTiff() const {
        constexpr std::uint64_t kStripBytes = 8192;
        const std::uint64_t samples = options_.interleave_pixel ? raster_.bands : 1;
        const std::uint64_t row = raster_.width * samples * raster_.dtype.size;
        return block_x_ == raster_.width && row != 0 &&
               block_y_ == std::max<std::uint64_t>(kStripBytes / row, 1);
    }

    // Fails if the name in BAND_DIM is also the name of the new array, or is in use in the store
    // with other coordinates.
    Status CheckBandDimension(const std::vector<std::string>& paths) const {
        if (!raster_.is_dimension_asked_for) return {};
        const BandDimension& dimension = raster_.band_dimensions.front();
        const bool is_array = zarr::LastName(paths[0]) == dimension.name;
        const bool is_in_use = hierarchy_ != nullptr &&
                               DimensionsInUse(*hierarchy_, group_).count(dimension.name) != 0;
        if (!is_array && (!is_in_use || IsShared(dimension))) return {};
        return Status::Invalid("creation option BAND_DIM: " + zarr::Quoted(dimension.name) +
                               " is the name of " +
                               (is_array ? "the new array; set another one with creation option "
                                           "ARRAY_NAME"
                                         : "an array or a dimension of the store with other "
                                           "coordinates; set the coordinates that it has with "
                                           "creation option BAND_DIM_VALUES, or another name"));
    }

    // True if the store has a dimension of this name, with equal coordinates.
    bool IsShared(const BandDimension& dimension) const {
        const std::string path = zarr::JoinKey(group_, dimension.name);
        return hierarchy_ != nullptr && !dimension.elements.empty() &&
               (HoldsCoordinates(*hierarchy_, path, dimension) ||
                HoldsTimes(*hierarchy_, path, dimension));
    }

    std::vector<std::string> Paths() const {
        if (IsOneArray(raster_, options_)) return {base_};
        const std::string stem(zarr::LastName(base_));
        std::vector<std::string> names;
        for (std::uint64_t i = 0; i < raster_.bands; ++i)
            names.push_back(options_.array_name.empty() ? BandName(i, names)
                                                        : stem + "_band" + std::to_string(i + 1));
        for (std::string& name : names) name = zarr::JoinKey(group_, name);
        return names;
    }

    // Returns the name of the array for a band. The band's own name is used if it is valid, fits a
    // file name and is not taken. Otherwise the result is "Band" and the band's number.
    std::string BandName(std::uint64_t band, const std::vector<std::string>& taken) const {
        std::string fallback = "Band" + std::to_string(band + 1);
        if (band >= raster_.band_names.size()) return fallback;
        const std::string& name = raster_.band_names[static_cast<std::size_t>(band)];
        const bool usable = !name.empty() && zarr::IsValidKey(name) &&
                            name.size() <= kLongestBandName && name != zarr::kV3Document &&
                            name.find('/') == std::string::npos && name[0] != '.' &&
                            std::find(taken.begin(), taken.end(), name) == taken.end() &&
                            name != "x" && name != "y" && name != "spatial_ref";
        return usable ? name : fallback;
    }

    // Returns the dimensions of the new arrays. All new arrays have the same dimensions.
    std::vector<PlannedAxis> Axes(const std::vector<std::string>& paths) const {
        const ChunkSize chunk = DefaultChunk();
        const auto side = [&](std::uint64_t asked, std::uint64_t size) {
            return asked != 0 ? asked : std::min(size, chunk.side);
        };
        std::set<std::string> taken;
        for (const std::string& path : paths) taken.insert(std::string(zarr::LastName(path)));
        if (hierarchy_ != nullptr) taken.merge(DimensionsInUse(*hierarchy_, group_));
        std::vector<PlannedAxis> axes = {
            {FreeName("y", taken), raster_.height, side(block_y_, raster_.height)},
            {FreeName("x", taken), raster_.width, side(block_x_, raster_.width)}};
        const std::vector<BandDimension>& dimensions = raster_.band_dimensions;
        if ((raster_.bands == 1 && dimensions.empty()) || !options_.single_array) return axes;
        std::vector<PlannedAxis> of_bands;
        if (dimensions.empty())
            of_bands.push_back({FreeName(options_.ome_version.empty() ? "band" : "c", taken),
                                raster_.bands, chunk.bands});
        taken.insert({axes[0].name, axes[1].name});
        // number of bands that still fit into a chunk; slow dimensions take their share first
        std::uint64_t left = chunk.bands;
        for (const BandDimension& dimension : dimensions) {
            const std::uint64_t size = std::clamp<std::uint64_t>(dimension.size, 1, left);
            of_bands.push_back({NameOfDimension(dimension, taken), dimension.size, size});
            taken.insert(of_bands.back().name);
            left /= size;
        }
        if (options_.interleave_pixel)
            for (PlannedAxis& axis : of_bands) axis.chunk = axis.size;
        axes.insert(options_.interleave_pixel ? axes.end() : axes.begin(), of_bands.begin(),
                    of_bands.end());
        return axes;
    }

    // Returns the name of a dimension of bands in the store. Keeps the name in `dimension` if it is
    // from BAND_DIM, or if the store has equal coordinates of that name. Otherwise returns a name
    // that no other dimension has.
    std::string NameOfDimension(const BandDimension& dimension,
                                const std::set<std::string>& taken) const {
        if (raster_.is_dimension_asked_for || IsShared(dimension)) return dimension.name;
        return FreeName(dimension.name, taken);
    }

    // Returns the default chunk size. A chunk has several bands only if a copy writes the raster
    // chunk by chunk. Other programs write band by band, and would encode a chunk of several bands
    // several times.
    ChunkSize DefaultChunk() const {
        const bool is_series = raster_.is_copied && options_.single_array &&
                               !options_.interleave_pixel && block_x_ == 0 && block_y_ == 0 &&
                               options_.array.chunks.empty() &&
                               raster_.bands > kChunkOfSeries.bands;
        return is_series ? kChunkOfSeries : kChunkOfMaps;
    }

    // Returns a dimension name that no other array uses. With a used name such as "x", the new
    // arrays would get the coordinates of another array.
    std::string FreeName(const std::string& dimension, const std::set<std::string>& taken) const {
        const std::string own = dimension + "_" + std::string(zarr::LastName(base_));
        std::string name = dimension;
        for (int i = 1; taken.count(name) != 0 || HasCoordinates(name); ++i)
            name = i == 1 ? own : own + "_" + std::to_string(i);
        return name;
    }

    // True if `group_`, or a group above it, has a coordinate array that would apply to
    // `dimension`.
    bool HasCoordinates(const std::string& dimension) const {
        if (hierarchy_ == nullptr) return false;
        std::vector<std::uint64_t> sizes = {raster_.width, raster_.height, raster_.bands};
        for (const BandDimension& of_bands : raster_.band_dimensions)
            sizes.push_back(of_bands.size);
        return std::any_of(sizes.begin(), sizes.end(), [&](std::uint64_t size) {
            return !zarr::FindCoordinateArray(*hierarchy_, group_, dimension, size).empty();
        });
    }

    // Plans one array of the raster. `number` is the number of its band, from 1; 0 if the array
    // holds all bands.
    Result<PlannedArray> Plan(const std::string& path, const std::vector<PlannedAxis>& axes,
                              std::uint64_t number) const {
        zarr::ArraySpec spec;
        spec.format = hierarchy_ != nullptr ? hierarchy_->format() : options_.new_format;
        json::Array names;
        for (const PlannedAxis& axis : axes) {
            spec.shape.push_back(axis.size);
            spec.chunks.push_back(axis.chunk);
            names.emplace_back(axis.name);
        }
        spec.dtype = raster_.dtype;
        PlannedArray array;
        array.path = path;
        ArrayCreationOptions array_options = options_.array;
        const bool is_shard = !array_options.shard_chunks.empty() &&
                              (!array_options.chunks.empty() || block_x_ != 0 || block_y_ != 0);
        // BLOCKSIZE with two numbers is dropped, because the chunk sizes in `axes` already include
        // it
        if (array_options.chunks.size() == 2) array_options.chunks.clear();
        // BLOCKSIZE, BLOCKXSIZE and BLOCKYSIZE are the shard size here. If they give only the sizes
        // along X and Y, the complete shape is taken from `axes`.
        if (is_shard && array_options.chunks.empty()) array_options.chunks = spec.chunks;
        std::vector<std::uint64_t>& inner = array_options.shard_chunks;
        if (inner.size() == 2 && axes.size() > 2 && options_.interleave_pixel)
            inner.insert(inner.end(), spec.chunks.begin() + 2, spec.chunks.end());
        else if (inner.size() == 2 && axes.size() > 2)
            inner.insert(inner.begin(), axes.size() - 2, 1);
        ZARR_ASSIGN_OR_RETURN(array.metadata, NewArrayMetadata(std::move(spec), array_options));
        SetMember(array.attributes, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
        if (number != 0) SetMember(array.attributes, kBandNumber, json::Value(number));
        return array;
    }

    // Returns the largest band number in the group. New bands get the next numbers. Rasters in a
    // group thus keep the order in which they were added.
    std::uint64_t LastBandNumber() const {
        double last = 0;
        if (hierarchy_ == nullptr) return 0;
        const auto group = zarr::ListGroup(*hierarchy_, group_);
        if (!group.ok()) return 0;
        for (const zarr::CatalogArray& array : group->arrays)
            if (const auto attributes = hierarchy_->Attributes(array.path); attributes.ok())
                last = std::max(last,
                                zarr::NumberAttribute(*attributes, kBandNumber).value.value_or(0));
        return last > 0 && last < kMaxBands ? static_cast<std::uint64_t>(last) : 0;
    }

    const zarr::Hierarchy* const hierarchy_;
    const std::string base_;   // path from which array paths are derived, see BasePath()
    const std::string group_;  // group that contains the arrays
    const NewRaster& raster_;
    const CreationOptions& options_;
    std::uint64_t block_x_;  // number of columns of a chunk; 0 means the default size
    std::uint64_t block_y_;
};

// Returns the path from which the paths of the new arrays are derived. For a single array, the
// result is the array's path. For several arrays, the result is a path in their common group.
Result<std::string> BasePath(const std::string& folder, const NewRaster& raster,
                             const CreationOptions& options) {
    std::string base = options.array_name;
    if (base.empty()) base = CPLGetBasename(folder.c_str());
    // Removes a second extension ".zarr", as in "x.zarr.zip".
    if (EQUAL(CPLGetExtension(base.c_str()), "zarr")) base = CPLGetBasename(base.c_str());
    if (options.array_name.empty() && !zarr::IsValidKey(base)) base = "raster";
    ZARR_ASSIGN_OR_RETURN(base, zarr::NormalizePath(base));
    if (base.empty()) return Status::Invalid("creation option ARRAY_NAME: is empty");
    if (options.node.empty()) return base;
    const bool is_the_node = options.array_name.empty() && IsOneArray(raster, options);
    return is_the_node ? options.node : zarr::JoinKey(options.node, base);
}

// Returns the group that will contain the levels of the pyramid, for OVERVIEW_LAYOUT=GROUPS. In a
// new store, it is the group of the array at `base`. In an existing store, each pyramid gets a
// separate group, called like the array.
std::string PyramidGroup(const std::string& base, const NewRaster& raster,
                         const CreationOptions& options) {
    const bool is_own =
        options.append_subdataset && (IsOneArray(raster, options) || options.node.empty());
    return is_own ? base : std::string(zarr::ParentPath(base));
}

// Returns a text that identifies a copy: its source, and the arrays with their encoding. Returns an
// empty text if the source cannot be identified.
std::string CopySignature(const NewRaster& raster, const std::vector<PlannedArray>& arrays) {
    if (raster.source_text.empty()) return {};
    zarr::Digest digest;
    digest.Add(raster.source_text);
    for (const PlannedArray& array : arrays)
        digest.Add(array.path)
            .Add(zarr::MetadataText(array.metadata))
            .Add(json::Dump(json::Value(array.attributes)));
    for (const BandDimension& dimension : raster.band_dimensions)
        digest.Add(dimension.name).Add(dimension.elements);
    return digest.Text();
}

// Emits a warning if RESUME=YES has no effect.
void WarnIfNotResumed(const NewRaster& raster, const CreationOptions& options,
                      const StoreAddress& folder, const std::string& signature) {
    const char* reason = nullptr;
    if (!raster.is_copied)
        reason = "the store is not made by a copy";
    else if (options.append_subdataset)
        reason = "an array is added to an existing store";
    else if (folder.is_below_vsizip())
        reason = "an unfinished zip file cannot be read";
    else if (signature.empty())
        reason = "the source has no files that identify it";
    if (reason != nullptr)
        EmitWarning(folder, std::string("creation option RESUME has no effect: ") + reason);
}

// Writes the coordinates of `dimension` as the array `name`, in the group of the array at `array`.
// Does nothing if the group already has a node `name`.
Status WriteCoordinatesOf(StoreUpdate& update, const std::string& array,
                          const BandDimension& dimension, const std::string& name,
                          bool is_new_store) {
    const std::string path = zarr::JoinKey(zarr::ParentPath(array), name);
    if (!is_new_store) {
        ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update.store()));
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(path));
        if (kind != zarr::NodeKind::kNone) return {};
    }
    // A chunk has at least this size, so that an append can add coordinates to the first chunk.
    constexpr std::uint64_t kLeastBytes = 8192;
    zarr::ArraySpec spec;
    spec.dtype = dimension.dtype;
    spec.shape = {dimension.size};
    spec.chunks = {std::max<std::uint64_t>(spec.shape[0], kLeastBytes / spec.dtype.size)};
    std::string chunk = dimension.elements;
    chunk.resize(static_cast<std::size_t>(spec.chunks[0]) * spec.dtype.size);
    json::Object attributes = dimension.attributes;
    SetMember(attributes, "_ARRAY_DIMENSIONS", json::Value(json::Array{json::Value(name)}));
    return CoordinateArrays(update, {}).Write(path, spec, attributes, chunk);
}

// Writes the coordinate arrays of the band dimensions. Skips dimensions without coordinates.
Status WriteCoordinatesOfBands(StoreUpdate& update, const PlannedArray& array,
                               const std::vector<BandDimension>& dimensions,
                               const CreationOptions& options) {
    const std::vector<std::string> names =
        zarr::FindDimensionNames(json::Value(array.attributes), array.metadata.rank()).value.names;
    const std::size_t first = options.interleave_pixel ? 2 : 0;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        if (!dimensions[i].elements.empty())
            ZARR_RETURN_IF_ERROR(WriteCoordinatesOf(update, array.path, dimensions[i],
                                                    names[first + i], !options.append_subdataset));
    return {};
}

// Prepares the replacement of `folder` by a new store, and opens the new store for writing. If
// `signature` is not empty, an unfinished store of the copy that `signature` identifies is
// continued.
Result<std::shared_ptr<zarr::Store>> OpenReplacement(
    const StoreAddress& folder, const std::string& signature, bool is_read,
    std::unique_ptr<StoreReplacement>& replacement) {
    bool has_others = false;
    StoreReplacement::ResumablePredicate is_resumable;
    if (!signature.empty())
        is_resumable = [&](const std::string& path) {
            const auto left = CopyRecord::Find(OpenFolder(path));
            has_others = has_others || (left && left->signature != signature);
            return left && left->signature == signature;
        };
    ZARR_ASSIGN_OR_RETURN(replacement, StoreReplacement::Begin(folder, is_resumable, is_read));
    if (has_others && !replacement->IsResumed())
        EmitWarning(
            folder,
            "creation option RESUME: the copy starts again, because the unfinished copy has "
            "another source or other options");
    ZARR_ASSIGN_OR_RETURN(auto store, OpenStoreForUpdate(replacement->folder()));
    return store;
}

// Returns an error if a store, or a subdataset of an existing store, cannot be made in `folder`.
Status CheckMakeable(const StoreAddress& folder, const CreationOptions& options) {
    if (!options.append_subdataset) return CheckWritable(folder);
    if (!HoldsStore(folder))
        return Status::NotFound("there is no Zarr store to append a subdataset to");
    return CheckChangeable(folder);
}

}  // namespace

Result<NewStore> NewStore::Make(const std::string& name, const StoreAddress& folder,
                                const NewRaster& raster, const CreationOptions& options) {
    ZARR_RETURN_IF_ERROR(CheckMakeable(folder, options));
    ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
    std::unique_ptr<StoreReplacement> replacement;
    std::shared_ptr<zarr::Store> store;
    if (options.append_subdataset) {
        ZARR_ASSIGN_OR_RETURN(store, OpenStoreForUpdate(folder));
    }
    ZARR_ASSIGN_OR_RETURN(std::vector<PlannedArray> arrays,
                          PlanArrays(folder, store, raster, options));
    const std::string signature = CopySignature(raster, arrays);
    if (options.resume) WarnIfNotResumed(raster, options, folder, signature);
    if (options.append_subdataset && !options.ome_version.empty())
        ZARR_RETURN_IF_ERROR(CheckOmeGroup(store, arrays[0].path));
    if (!options.append_subdataset) {
        ZARR_ASSIGN_OR_RETURN(store,
                              OpenReplacement(folder, options.resume ? signature : std::string(),
                                              raster.is_source_in_target, replacement));
    }
    NewStore made(name, options, std::move(arrays), std::move(replacement));
    made.address_ =
        options.append_subdataset ? StoreAddress(store->Describe()) : made.replacement_->folder();
    made.locks_ = std::move(locks);
    made.update_ = std::make_shared<StoreUpdate>(
        store, Consolidation(options), made.locks_, nullptr,
        options.append_subdataset ? std::nullopt : std::optional(options.new_format));
    made.update_->SetLockWait(options.lock_wait);
    if (raster.is_copied && !options.append_subdataset && !made.IsStaging())
        made.hold_ = std::make_unique<CreationHold>(store);
    made.band_dimensions_ = raster.band_dimensions;
    if (!options.append_subdataset) made.OpenRecord(signature);
    const bool is_resumed = made.replacement_ != nullptr && made.replacement_->IsResumed();
    ZARR_RETURN_IF_ERROR(is_resumed ? made.ResetArrays() : made.MakeArrays());
    return made;
}

void NewStore::OpenRecord(const std::string& signature) {
    // Other programs can see the files of a store without a staging name. The copy into such a
    // store is recorded only if the user asks for RESUME.
    if (signature.empty() || !replacement_->CanBeResumed() || (!IsStaging() && !options_.resume))
        return;
    if (replacement_->IsResumed())
        if (const auto left = CopyRecord::Find(update_->store())) start_ = {left->band, left->row};
    record_ = std::make_unique<CopyRecord>(update_->store(), signature, replacement_->IsResumed());
}

Status NewStore::ResetArrays() {
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update_->store()));
    std::set<std::string> kept;
    for (const PlannedArray& array : arrays_) kept.insert(array.path);
    ZARR_RETURN_IF_ERROR(DeleteNodesExcept(kept, *hierarchy, update_->metadata()));
    for (const PlannedArray& array : arrays_) {
        zarr::HierarchyWriter& metadata = update_->metadata();
        ZARR_RETURN_IF_ERROR(metadata.ReplaceMetadata(array.path, array.metadata));
        ZARR_RETURN_IF_ERROR(metadata.SetAttributes(array.path, json::Value(array.attributes)));
        update_->RecordCreated(array.path);
    }
    ZARR_RETURN_IF_ERROR(WriteBandCoordinates());
    return DescribeLevelGroups();
}

Status NewStore::DescribeLevelGroups() {
    if (!options_.has_level_groups) return {};
    const std::string level(zarr::ParentPath(arrays_[0].path));
    const std::string group(zarr::ParentPath(level));
    json::Object attributes;
    for (const PlannedArray& array : arrays_) {
        const std::string path = zarr::JoinKey(zarr::LastName(level), zarr::LastName(array.path));
        ZARR_RETURN_IF_ERROR(
            zarr::DescribeOverviewsIn(attributes, {{path, array.metadata.shape, ""}}));
    }
    if (options_.append_subdataset) update_->RecordCreated(group);
    return update_->metadata().SetAttributes(group, json::Value(std::move(attributes)));
}

bool NewStore::CanBeResumed() const { return options_.resume && record_ && record_->HasEntry(); }

Status NewStore::MakeArrays() {
    Status status = update_->metadata().CreateGroup("");
    for (const PlannedArray& array : arrays_)
        if (status.ok()) status = update_->MakeArray(array.path, array.metadata, array.attributes);
    if (status.ok()) status = WriteBandCoordinates();
    if (status.ok()) status = DescribeLevelGroups();
    return status.ok() ? status : Failed(status);
}

Status NewStore::WriteBandCoordinates() {
    return WriteCoordinatesOfBands(*update_, arrays_[0], band_dimensions_, options_);
}

Status NewStore::Failed(const Status& status) {
    static_cast<void>(update_->DeleteCreated());
    static_cast<void>(update_->metadata().Finish());
    return status;
}

Result<std::unique_ptr<ZarrDataset>> NewStore::Open() {
    if (update_ == nullptr) {
        ZARR_ASSIGN_OR_RETURN(const auto store, OpenStore(address_, {}));
        return OpenCreated(name_, address_, store, arrays_, true);
    }
    const std::string name = IsStaging() ? address_ : name_;
    auto opened =
        OpenCreated(name, address_, update_->store(), arrays_, options_.append_subdataset);
    if (!opened.ok()) return has_been_open_ ? opened.status() : Failed(opened.status());
    std::unique_ptr<ZarrDataset> dataset = opened.Take();
    dataset->EnableUpdate(update_, options_.georeferenced);
    if (!has_been_open_) dataset->overviews().pending().plan = options_.overviews;
    dataset->UseSamples(options_.samples);
    if (!options_.ome_version.empty())
        dataset->BecomeOmeImage({options_.ome_version, OmeImageName(arrays_[0].path, name_)});
    if (!has_been_open_ && options_.append_subdataset)
        dataset->new_raster().before_closing = [raw = dataset.get()] {
            return ShareDimensions(*raw);
        };
    has_been_open_ = true;
    return dataset;
}

Status NewStore::Commit() {
    const bool was_staging = IsStaging();
    if (hold_ != nullptr) {
        hold_.reset();
        if (Status published = update_->Close(); !published.ok()) {
            hold_ = std::make_unique<CreationHold>(update_->store());
            return published;
        }
    }
    if (was_staging) update_.reset();
    if (replacement_ != nullptr) ZARR_RETURN_IF_ERROR(replacement_->Commit());
    if (!was_staging) return {};
    address_ = replacement_->folder();
    if (!CheckChangeable(address_).ok()) return {};
    ZARR_ASSIGN_OR_RETURN(auto store, OpenStoreForUpdate(address_));
    update_ = std::make_shared<StoreUpdate>(
        std::move(store),
        has_been_open_ ? zarr::WriteConsolidated::kIfPresent : Consolidation(options_), locks_);
    update_->SetLockWait(options_.lock_wait);
    if (has_been_open_) return {};
    // Records that the arrays are new and have no chunks. The fill value of such an array may still
    // be changed.
    for (const PlannedArray& array : arrays_) update_->RecordCreated(array.path);
    return {};
}

Status NewStore::CommitBeforePixels() {
    const bool is_old_read = IsStaging() && IsStoreInUse(replacement_->final_folder());
    if (!address_.is_below_vsizip() && !is_old_read) return Commit();
    update_->SetReplacement(std::move(replacement_));
    return {};
}

Status SetBandDimensions(ZarrDataset& dataset, const NewRaster& raster,
                         const CreationOptions& options) {
    const zarr::ArrayFacts& facts = dataset.arrays()[0]->facts();
    ZARR_ASSIGN_OR_RETURN(auto planned, Planner(nullptr, facts.path, raster, options).Run());
    PlannedArray& array = planned[0];
    const auto side = [](const zarr::ArrayMetadata& metadata, std::size_t from_end) {
        return metadata.chunks[metadata.rank() - from_end];
    };
    if (options.interleave_pixel || side(array.metadata, 1) != side(facts.metadata, 1) ||
        side(array.metadata, 2) != side(facts.metadata, 2))
        return {};
    if (facts.metadata.has_fill_value) {
        ZARR_ASSIGN_OR_RETURN(
            array.metadata, zarr::WithFillValue(array.metadata, facts.metadata.fill_value.Bytes()));
    }
    // Only the names of the dimensions are replaced. The other attributes are read from the stored
    // array, because they may have changed since the array was created.
    json::Object attributes =
        facts.attributes.as_object() != nullptr ? *facts.attributes.as_object() : json::Object();
    for (auto& [name, value] : array.attributes) SetMember(attributes, name, value);
    array.attributes = std::move(attributes);
    ZARR_RETURN_IF_ERROR(
        WriteCoordinatesOfBands(*dataset.update(), array, raster.band_dimensions, options));
    return ReplaceArray(dataset, array.metadata, array.attributes);
}

Result<std::vector<PlannedArray>> PlanArrays(const std::string& folder,
                                             const std::shared_ptr<zarr::Store>& store,
                                             const NewRaster& raster,
                                             const CreationOptions& options) {
    ZARR_ASSIGN_OR_RETURN(std::string base, BasePath(folder, raster, options));
    const std::string pyramid = PyramidGroup(base, raster, options);
    if (options.has_level_groups)
        base = zarr::JoinKey(zarr::JoinKey(pyramid, kLargestLevel), zarr::LastName(base));
    if (store == nullptr) return Planner(nullptr, base, raster, options).Run();
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
    ZARR_RETURN_IF_ERROR(CheckAddedFormat(options.format, *hierarchy));
    const Planner planner(hierarchy.get(), base, raster, options);
    if (options.array_name.empty() && !options.node.empty())
        ZARR_RETURN_IF_ERROR(planner.CheckFree(options.node));
    if (options.has_level_groups) ZARR_RETURN_IF_ERROR(planner.CheckFree(pyramid));
    auto arrays = planner.Run();
    // A failure to read the store is an error, because an unread node may have the name of a
    // planned array.
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return arrays;
}

}  // namespace zarr_driver
