// SPDX-License-Identifier: MIT
#include "driver/raster/subdatasets.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/facts/eopf.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/gdal_types.h"
#include "driver/georef/shared_georeferencing.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

using zarr::CatalogArray;
using zarr::CatalogGroup;

namespace {

using ArrayList = std::vector<const CatalogArray*>;

// Returns the description of a group whose arrays are bands: "[3x4] /group (group of 2 bands)".
std::string DescribeComposite(std::uint64_t rows, std::uint64_t columns, const std::string& group,
                              std::size_t bands) {
    return "[" + std::to_string(rows) + "x" + std::to_string(columns) + "] /" + group +
           " (group of " + std::to_string(bands) + " bands)";
}

std::string ShapeText(const zarr::ArrayMetadata& metadata) {
    std::string text = "[";
    for (std::size_t i = 0; i < metadata.rank(); ++i)
        text += (i != 0 ? "x" : "") + std::to_string(metadata.shape[i]);
    return text + "]";
}

// Returns the text ", image: name" if the array is the largest level of an image. Returns an empty
// text for other arrays.
std::string TitleText(const CatalogGroup& group, const CatalogArray& array) {
    if (!group.is_image() || group.title.empty() || &array != group.arrays.data()) return {};
    const bool is_label = group.kind == CatalogGroup::Kind::kLabel;
    return (is_label ? ", labels: " : ", image: ") + group.title;
}

// Returns the description of an array: "[3x4] /array (Float64)", or the reason why it cannot be
// read.
std::string DescribeForList(const CatalogGroup& group, const CatalogArray& array) {
    if (!array.status.ok())
        return "/" + array.path + " (cannot be read: " + array.status.message() + ")";
    // maximum number of bytes of a name or unit that are shown
    constexpr std::size_t kLongest = 100;
    const std::string name = zarr::Shortened(array.long_name, kLongest);
    const std::string units = zarr::Shortened(array.units, kLongest);
    return ShapeText(array.metadata) + " /" + array.path + " (" + TypeText(array.metadata.dtype) +
           TitleText(group, array) + ")" + (name.empty() ? "" : " " + name) +
           (units.empty() ? "" : " [" + units + "]");
}

bool IsListed(const CatalogArray& array, const OpenOptions& options) {
    if (options.list_all_arrays || !array.status.ok()) return true;
    return array.is_raster && !array.is_auxiliary;
}

}  // namespace

ArrayList BandsOf(const CatalogGroup& group, const OpenNode& open_node,
                  const OpenOptions& options) {
    if (!group.IsOneGrid()) return {};
    ArrayList bands =
        ArraysInOneLocation(*open_node.hierarchy, group.Rasters(), open_node.address, options);
    if (bands.size() < 2) bands.clear();
    return bands;
}

void ListSubdatasets(const std::vector<CatalogGroup>& groups, const OpenNode& open_node,
                     const OpenOptions& options, ZarrDataset& dataset) {
    // In an EOPF product (Sentinel data in Zarr), the group "measurements" is listed before all
    // other groups.
    std::vector<const CatalogGroup*> ordered;
    ordered.reserve(groups.size());
    for (const CatalogGroup& group : groups) ordered.push_back(&group);
    auto others = ordered.begin();
    if (zarr::IsEopfProduct(*open_node.hierarchy))
        others = std::stable_partition(ordered.begin(), ordered.end(), [](const auto* group) {
            return ("/" + group->path + "/").find("/measurements/") != std::string::npos;
        });
    if (dataset.BandsHaveArrays())
        dataset.AddSubdataset(
            FormatConnectionString(open_node.address, open_node.node),
            DescribeComposite(static_cast<std::uint64_t>(dataset.GetRasterYSize()),
                              static_cast<std::uint64_t>(dataset.GetRasterXSize()), open_node.node,
                              static_cast<std::size_t>(dataset.GetRasterCount())));
    std::vector<std::pair<const CatalogGroup*, ArrayList>> composites;
    for (const CatalogGroup* const group : ordered) {
        if (group->path == open_node.node) continue;
        ArrayList bands = BandsOf(*group, open_node, options);
        if (!bands.empty()) composites.emplace_back(group, std::move(bands));
    }
    const auto add_arrays = [&](auto first, auto last) {
        for (; first != last; ++first)
            for (const CatalogArray& array : (*first)->arrays)
                if (IsListed(array, options))
                    dataset.AddSubdataset(FormatConnectionString(open_node.address, array.path),
                                          DescribeForList(**first, array));
    };
    // Groups with bands are listed before single arrays. If the first of these groups holds no
    // measurements, the arrays of measurements are listed before it.
    const bool are_measured_bands =
        !composites.empty() && std::find(ordered.begin(), others, composites[0].first) != others;
    const auto unlisted = are_measured_bands ? ordered.begin() : others;
    add_arrays(ordered.begin(), unlisted);
    for (const auto& [group, bands] : composites) {
        const auto& shape = bands[0]->metadata.shape;
        dataset.AddSubdataset(FormatConnectionString(open_node.address, group->path),
                              DescribeComposite(shape[0], shape[1], group->path,
                                                std::max(bands.size(), group->band_count)));
    }
    add_arrays(unlisted, ordered.end());
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

void WarnOfUnusedMasks(const std::vector<CatalogGroup>& groups, const std::string& store_path) {
    std::vector<std::string> names;
    for (const CatalogGroup& group : groups)
        for (const CatalogArray& array : group.arrays)
            if (array.is_unused_mask) names.push_back("/" + array.path);
    if (names.empty()) return;
    EmitWarning(store_path, "no array names the mask " + FirstFew(names, ", ") +
                                ", so it is not used; create the mask again, or delete the array");
}

void WarnOfUnconsolidated(const std::vector<zarr::Node>& nodes, const std::string& store_path) {
    if (nodes.empty()) return;
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const zarr::Node& node : nodes) names.push_back("/" + node.path);
    EmitWarning(store_path,
                "consolidated metadata is missing nodes of the store: " + FirstFew(names, ", ") +
                    " (open option USE_CONSOLIDATED_METADATA=NO reads them)");
}

void ListSlices(const RasterLayout& layout, const OpenNode& open_node, ZarrDataset& dataset) {
    if (layout.slices > kMaxBands) {
        EmitWarning(open_node.address,
                    "/" + layout.facts.path + ": " + std::to_string(layout.slices) +
                        " slices are too many to list; open one by its name, such as " +
                        FormatConnectionString(open_node.address, layout.facts.path,
                                               layout.SliceIndices(0)));
        return;
    }
    for (std::uint64_t slice = 0; slice < layout.slices; ++slice) {
        const std::vector<std::uint64_t> indices = layout.SliceIndices(slice);
        std::string text = "slice";
        for (std::size_t i = 0; i < indices.size(); ++i)
            text += (i != 0 ? ", " : " ") + layout.facts.dimensions[layout.other_axes[i]].name +
                    " " + std::to_string(indices[i]);
        dataset.AddSubdataset(FormatConnectionString(open_node.address, layout.facts.path, indices),
                              "[" + std::to_string(layout.Height()) + "x" +
                                  std::to_string(layout.Width()) + "] /" + layout.facts.path +
                                  ", " + text + " (" + TypeText(layout.facts.metadata.dtype) + ")");
    }
}

}  // namespace zarr_driver
