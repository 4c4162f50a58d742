// SPDX-License-Identifier: MIT
#include "driver/raster/subdatasets.h"

#include <string>

#include "driver/base/gdal_types.h"
#include "driver/base/report.h"

namespace zarr_driver {

using zarr::CatalogArray;
using zarr::CatalogGroup;

namespace {

std::string ShapeText(const zarr::ArrayMetadata& metadata) {
    std::string text = "[";
    for (std::size_t i = 0; i < metadata.rank(); ++i)
        text += (i != 0 ? "x" : "") + std::to_string(metadata.shape[i]);
    return text + "]";
}

// ", image: name" of an image's largest level; empty for other arrays.
std::string TitleText(const CatalogGroup& group, const CatalogArray& array) {
    if (!group.is_image() || group.title.empty() || &array != group.arrays.data()) return {};
    const bool is_label = group.kind == CatalogGroup::Kind::kLabel;
    return (is_label ? ", labels: " : ", image: ") + group.title;
}

// "[3x4] /array (Float64)", or what keeps the array from being read.
std::string DescribeForList(const CatalogGroup& group, const CatalogArray& array) {
    if (!array.status.ok())
        return "/" + array.path + " (cannot be read: " + array.status.message() + ")";
    return ShapeText(array.metadata) + " /" + array.path + " (" + TypeText(array.metadata.dtype) +
           TitleText(group, array) + ")";
}

bool IsListed(const CatalogArray& array, const OpenOptions& options) {
    if (options.list_all_arrays || !array.status.ok()) return true;
    return array.is_raster && !array.is_auxiliary;
}

}  // namespace

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
                                      DescribeForList(group, array));
}

void WarnOfBadArrays(const std::vector<CatalogGroup>& groups, const std::string& store_path) {
    std::vector<std::string> messages;
    for (const CatalogGroup& group : groups)
        for (const CatalogArray& array : group.arrays)
            if (!array.status.ok()) messages.push_back(array.status.message());
    if (messages.empty()) return;
    const std::size_t count = messages.size();
    EmitWarning(store_path, (count == 1 ? "an array cannot be read: "
                                        : std::to_string(count) + " arrays cannot be read: ") +
                                FirstFew(messages, "; "));
}

void WarnOfUnconsolidated(const std::vector<zarr::Node>& nodes, const std::string& store_path) {
    if (nodes.empty()) return;
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const zarr::Node& node : nodes) names.push_back("/" + node.path);
    EmitWarning(store_path,
                "the consolidated metadata lack what is in the store: " + FirstFew(names, ", ") +
                    " (open option USE_CONSOLIDATED_METADATA=NO reads it)");
}

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

}  // namespace zarr_driver
