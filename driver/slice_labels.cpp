// SPDX-License-Identifier: MIT
#include "driver/slice_labels.h"

#include "core/conventions/values.h"
#include "core/dtype/convert.h"
#include "core/dtype/element_text.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;

SliceLabels::SliceLabels(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                         const RasterLayout& layout, std::string store_path)
    : hierarchy_(std::move(hierarchy)),
      layout_(layout),
      store_path_(std::move(store_path)),
      axes_(layout.other_axes.size()) {}

Result<std::vector<std::string>> SliceLabels::ReadValues(const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy_->OpenArray(path));
    const zarr::ArrayMetadata& metadata = array->metadata();
    const zarr::Region all = zarr::Region::All(metadata.shape);
    constexpr std::size_t kThreads = 2;
    if (metadata.dtype.kind == DataKind::kObject) return array->ReadObjects(all, kThreads);
    // No more labels than bands: longer axes are not opened as bands.
    if (all.size() > kMaxBands) return std::vector<std::string>();
    const zarr::DataType memory = metadata.dtype.Native();
    zarr::Buffer buffer;
    ZARR_RETURN_IF_ERROR(buffer.Resize(static_cast<std::size_t>(all.size()) * memory.size));
    ZARR_ASSIGN_OR_RETURN(const zarr::ElementOp op, zarr::MakeReadOp(metadata.dtype, memory));
    const zarr::Destination destination{buffer.data(),
                                        zarr::ContiguousStrides(all.count, memory.size, false), op};
    ZARR_RETURN_IF_ERROR(array->Read(all, 0, destination, kThreads));
    std::vector<std::string> values;
    for (std::size_t i = 0; i < all.size(); ++i)
        values.push_back(zarr::ElementText(memory, buffer.data() + i * memory.size));
    return values;
}

const SliceLabels::Axis& SliceLabels::Load(std::size_t index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Axis& axis = axes_[index];
    if (axis.loaded) return axis;
    axis.loaded = true;
    const zarr::Dimension& dimension = layout_.facts.dimensions[layout_.other_axes[index]];
    if (dimension.coordinate_path.empty()) return axis;
    if (const std::string* units = zarr::StringAttribute(dimension.coordinate_attributes, "units"))
        axis.units = *units;
    auto values = ReadValues(dimension.coordinate_path);
    if (values.ok())
        axis.values = values.Take();
    else
        EmitWarning(store_path_, values.status().message());
    return axis;
}

void SliceLabels::AddMetadata(std::uint64_t slice, CPLStringList& list) {
    const std::vector<std::uint64_t> indices = layout_.SliceIndices(slice);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::string prefix =
            "DIM_" + layout_.facts.dimensions[layout_.other_axes[i]].name + "_";
        list.SetNameValue((prefix + "INDEX").c_str(), std::to_string(indices[i]).c_str());
        const Axis& axis = Load(i);
        if (indices[i] >= axis.values.size()) continue;
        list.SetNameValue((prefix + "VALUE").c_str(), axis.values[indices[i]].c_str());
        if (!axis.units.empty()) list.SetNameValue((prefix + "UNIT").c_str(), axis.units.c_str());
    }
}

std::string SliceLabels::Description(std::uint64_t slice) {
    const std::vector<std::uint64_t> indices = layout_.SliceIndices(slice);
    std::string text;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const Axis& axis = Load(i);
        if (i != 0) text += ", ";
        text += layout_.facts.dimensions[layout_.other_axes[i]].name + "=";
        text +=
            indices[i] < axis.values.size() ? axis.values[indices[i]] : std::to_string(indices[i]);
    }
    return text;
}

}  // namespace zarr_driver
