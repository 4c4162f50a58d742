// SPDX-License-Identifier: MIT
// From a name to a dataset: which arrays become bands, which are listed.
#include "driver/open.h"

#include <algorithm>
#include <memory>
#include <new>

#include "core/conventions/catalog.h"
#include "core/store/keys.h"
#include "driver/band.h"
#include "driver/dataset.h"
#include "driver/gdal_types.h"
#include "driver/mdim_dataset.h"
#include "driver/report.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

using zarr::CatalogArray;
using zarr::CatalogGroup;
using zarr::Result;
using zarr::Status;

namespace {

using DatasetPtr = std::unique_ptr<ZarrDataset>;

// What GDAL's built-in driver reads and this one does not: Zarr v3 and Kerchunk references.
bool IsForBuiltin(const std::string& path) {
    const std::string folder = FolderOf(path);
    if (IsStoreFolder(folder)) return false;
    return PathExists(folder + "/zarr.json") || EQUAL(CPLGetExtension(folder.c_str()), "json") ||
           EQUAL(CPLGetExtension(folder.c_str()), "parq") ||
           PathExists(folder + "/.zmetadata/refs");
}

std::string ShapeText(const zarr::ArrayMetadata& metadata) {
    std::string text = "[";
    for (std::size_t i = 0; i < metadata.rank(); ++i)
        text += (i != 0 ? "x" : "") + std::to_string(metadata.shape[i]);
    return text + "]";
}

// "[3x4] /array (Float64)", or what keeps the array from being read.
std::string DescribeForList(const CatalogArray& array) {
    if (!array.status.ok())
        return "/" + array.path + " (cannot be read: " + array.status.message() + ")";
    return ShapeText(array.metadata) + " /" + array.path + " (" + TypeText(array.metadata.dtype) +
           ")";
}

bool IsListed(const CatalogArray& array, const OpenOptions& options) {
    if (options.list_all_arrays || !array.status.ok()) return true;
    return array.is_raster && !array.is_auxiliary;
}

// Lists groups that make a dataset of bands, then arrays.
void ListSubdatasets(const std::vector<CatalogGroup>& groups, const Location& location,
                     const OpenOptions& options, ZarrDataset& dataset) {
    for (const CatalogGroup& group : groups) {
        if (!group.IsOneGrid() || group.path == location.node) continue;
        const auto rasters = group.Rasters();
        dataset.AddSubdataset(FormatConnectionString(location.store_path, group.path),
                              ShapeText(rasters[0]->metadata) + " /" + group.path + " (group of " +
                                  std::to_string(rasters.size()) + " bands)");
    }
    for (const CatalogGroup& group : groups)
        for (const CatalogArray& array : group.arrays)
            if (IsListed(array, options))
                dataset.AddSubdataset(FormatConnectionString(location.store_path, array.path),
                                      DescribeForList(array));
}

// One warning for all arrays that cannot be read.
void WarnOfBadArrays(const std::vector<CatalogGroup>& groups, const std::string& store_path) {
    constexpr std::size_t kNamed = 5;
    std::string text;
    std::size_t count = 0;
    for (const CatalogGroup& group : groups) {
        for (const CatalogArray& array : group.arrays) {
            if (array.status.ok()) continue;
            if (++count <= kNamed) text += (count > 1 ? "; " : "") + array.status.message();
        }
    }
    if (count == 0) return;
    if (count > kNamed) text += "; and " + std::to_string(count - kNamed) + " more";
    EmitWarning(store_path, (count == 1 ? "an array cannot be read: "
                                        : std::to_string(count) + " arrays cannot be read: ") +
                                text);
}

// MULTIBAND=NO: a subdataset for each slice.
void ListSlices(const RasterLayout& layout, const Location& location, ZarrDataset& dataset) {
    if (layout.slices > kMaxBands) {
        EmitWarning(location.store_path,
                    "/" + layout.facts.path + ": " + std::to_string(layout.slices) +
                        " slices are too many to list; open one by its name, such as " +
                        FormatConnectionString(location.store_path, layout.facts.path,
                                               layout.SliceIndices(0)));
        return;
    }
    for (std::uint64_t slice = 0; slice < layout.slices; ++slice) {
        const std::vector<std::uint64_t> indices = layout.SliceIndices(slice);
        std::string text = "slice";
        for (std::size_t i = 0; i < indices.size(); ++i)
            text += (i != 0 ? ", " : " ") + layout.facts.dimensions[layout.other_axes[i]].name +
                    " " + std::to_string(indices[i]);
        dataset.AddSubdataset(
            FormatConnectionString(location.store_path, layout.facts.path, indices),
            "[" + std::to_string(layout.Height()) + "x" + std::to_string(layout.Width()) + "] /" +
                layout.facts.path + ", " + text + " (" + TypeText(layout.facts.metadata.dtype) +
                ")");
    }
}

Result<DatasetPtr> OpenArray(const char* name, const Location& location,
                             const std::vector<std::uint64_t>& indices,
                             const OpenOptions& options) {
    ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                          LayOut(*location.hierarchy, location.node, options, indices));
    auto dataset = std::make_unique<ZarrDataset>(name, location, options);
    if (!options.multiband && layout.slices > 1)
        ListSlices(layout, location, *dataset);
    else
        dataset->AddArray(std::move(layout), false);
    return dataset;
}

// Adds a band for each array of a group on one grid; false, with nothing added, where their axes
// turn out to differ.
Result<bool> AddGroupBands(const CatalogGroup& group, const Location& location,
                           const OpenOptions& options, ZarrDataset& dataset) {
    std::vector<RasterLayout> layouts;
    for (const CatalogArray* array : group.Rasters()) {
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              LayOut(*location.hierarchy, array->path, options, {}));
        if (!layouts.empty() &&
            (layouts[0].Width() != layout.Width() || layouts[0].Height() != layout.Height()))
            return false;
        layouts.push_back(std::move(layout));
    }
    for (RasterLayout& layout : layouts) dataset.AddArray(std::move(layout), true);
    return true;
}

Result<DatasetPtr> OpenGroup(const char* name, Location location, const OpenOptions& options) {
    zarr::Warnings warnings;
    const Status group_status = location.hierarchy->CheckGroup(location.node);
    if (!group_status.ok()) warnings.push_back(group_status.message());
    ZARR_ASSIGN_OR_RETURN(const std::vector<CatalogGroup> groups,
                          zarr::ListRasters(*location.hierarchy, location.node, warnings));
    EmitWarnings(location.store_path, warnings);
    std::vector<const CatalogArray*> rasters;
    const CatalogArray* bad = nullptr;
    for (const CatalogGroup& group : groups) {
        for (const CatalogArray* array : group.Rasters()) rasters.push_back(array);
        for (const CatalogArray& array : group.arrays)
            if (!array.status.ok() && bad == nullptr) bad = &array;
    }
    if (rasters.empty() && bad != nullptr && !options.list_all_arrays) return bad->status;
    WarnOfBadArrays(groups, location.store_path);
    if (rasters.size() == 1 && !options.list_all_arrays) {
        location.node = rasters[0]->path;
        location.kind = zarr::NodeKind::kArray;
        return OpenArray(name, location, {}, options);
    }
    auto dataset = std::make_unique<ZarrDataset>(name, location, options);
    if (options.multiband && !groups.empty() && groups[0].IsOneGrid()) {
        ZARR_RETURN_IF_ERROR(AddGroupBands(groups[0], location, options, *dataset).status());
    }
    ListSubdatasets(groups, location, options, *dataset);
    if (dataset->GetRasterCount() == 0 && !dataset->HasSubdatasets())
        return Status::NotFound(
            "holds no array of two or more dimensions with numbers (open option "
            "LIST_ALL_ARRAYS=YES lists the others)");
    return dataset;
}

Result<DatasetPtr> OpenName(GDALOpenInfo* open_info, const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(const OpenOptions options,
                          OpenOptions::Parse(open_info->papszOpenOptions));
    ZARR_ASSIGN_OR_RETURN(Location location, Locate(name, options));
    if (location.kind == zarr::NodeKind::kArray)
        return OpenArray(open_info->pszFilename, location, name.indices, options);
    if (!name.indices.empty())
        return Status::Invalid("/" + name.node + " is a group, which has no slices");
    return OpenGroup(open_info->pszFilename, std::move(location), options);
}

Result<std::unique_ptr<GDALDataset>> OpenRootGroup(GDALOpenInfo* open_info,
                                                   const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(open_info->papszOpenOptions));
    ZARR_ASSIGN_OR_RETURN(Location location, Locate(name, options));
    if (!name.indices.empty())
        return Status::Invalid("/" + name.node +
                               ": the multidimensional API opens arrays, not their slices");
    auto session = std::make_shared<MdimSession>(std::move(location), std::move(options));
    return std::unique_ptr<GDALDataset>(std::make_unique<MdimDataset>(std::move(session)));
}

GDALDataset* OpenMultidimensional(GDALOpenInfo* open_info, const ConnectionString& name) {
    auto dataset = OpenRootGroup(open_info, name);
    if (dataset.ok()) return dataset->release();
    EmitError(name.path, dataset.status());
    return nullptr;
}

}  // namespace

GDALDataset* OpenRaster(const Location& location, OpenOptions options) {
    options.multiband = true;
    options.dim_x.clear();
    options.dim_y.clear();
    const std::string name = FormatConnectionString(location.store_path, location.node);
    auto dataset = OpenArray(name.c_str(), location, {}, options);
    if (!dataset.ok()) return nullptr;
    (*dataset)->Finish();
    return dataset->release();
}

int Identify(GDALOpenInfo* open_info) {
    // Writing is the built-in driver's.
    if (open_info->eAccess != GA_ReadOnly) return FALSE;
    const std::string name = open_info->pszFilename;
    if (HasZarrPrefix(name)) return TRUE;
    // GDAL before 3.7 does not see the folders of /vsimem/.
    const bool in_memory = !open_info->bStatOK && STARTS_WITH(name.c_str(), "/vsimem/");
    if (open_info->bIsDirectory || in_memory) return IsStoreFolder(FolderOf(name)) ? TRUE : FALSE;
    const std::string file(zarr::LastName(name));
    return file == zarr::kArrayKey || file == zarr::kGroupKey || file == zarr::kConsolidatedKey ||
           file == zarr::kAttributesKey;
}

GDALDataset* Open(GDALOpenInfo* open_info) {
    if (!Identify(open_info)) return nullptr;
    try {
        const auto name = ParseConnectionString(open_info->pszFilename);
        if (!name.ok()) {
            EmitError(open_info->pszFilename, name.status());
            return nullptr;
        }
        if (IsForBuiltin(name->path)) return nullptr;
        if ((open_info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) != 0)
            return OpenMultidimensional(open_info, *name);
        auto dataset = OpenName(open_info, *name);
        if (!dataset.ok()) {
            EmitError(name->path, dataset.status());
            return nullptr;
        }
        (*dataset)->Finish();
        return dataset->release();
    } catch (const std::bad_alloc&) {
        EmitError(open_info->pszFilename, Status::OutOfMemory("out of memory"));
        return nullptr;
    }
}

}  // namespace zarr_driver
