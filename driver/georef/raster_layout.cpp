// SPDX-License-Identifier: MIT
#include "driver/georef/raster_layout.h"

#include <algorithm>
#include <charconv>
#include <climits>

#include "core/base/checked.h"
#include "core/base/text.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/pyramid/level_checker.h"
#include "core/store/keys.h"
#include "driver/base/gdal_types.h"
#include "driver/georef/slice_selection.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;
using zarr::Status;

namespace {

// Maximum number of fields in a structured element; more fields are not supported.
constexpr std::size_t kMaxFields = 65536;

void CollectFields(const zarr::DataType& type, const std::string& name, std::size_t offset,
                   std::vector<ScalarField>& fields) {
    if (fields.size() > kMaxFields) return;
    if (type.kind != DataKind::kStruct) {
        if (GdalTypeOf(type) != GDT_Unknown) fields.push_back({name, offset, type});
        return;
    }
    for (const zarr::Field& field : type.fields) {
        const std::string path = name.empty() ? field.name : name + "." + field.name;
        for (std::size_t i = 0; i < field.count && fields.size() <= kMaxFields; ++i) {
            const std::string index = field.shape.empty() ? "" : "[" + std::to_string(i) + "]";
            CollectFields(field.type, path + index, offset + field.offset + i * field.type.size,
                          fields);
        }
    }
}

// Returns the index of the dimension that `option` (DIM_X or DIM_Y) selects by `text`, a name or an
// index.
Result<std::size_t> FindDimension(const zarr::ArrayFacts& facts, const char* option,
                                  const std::string& text) {
    for (std::size_t i = 0; i < facts.dimensions.size(); ++i)
        if (facts.dimensions[i].name == text) return i;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error == std::errc() && end == text.data() + text.size() && index < facts.dimensions.size())
        return index;
    return Status::Invalid("/" + facts.path + ": " + option + ": there is no dimension " +
                           zarr::Quoted(text));
}

Status FindAxes(const OpenOptions& options, RasterLayout& layout) {
    const zarr::ArrayFacts& facts = layout.facts;
    layout.x_axis = facts.axes.x;
    layout.y_axis = facts.axes.y;
    if (!options.dim_x.empty()) {
        ZARR_ASSIGN_OR_RETURN(layout.x_axis, FindDimension(facts, "DIM_X", options.dim_x));
    }
    if (!options.dim_y.empty()) {
        ZARR_ASSIGN_OR_RETURN(layout.y_axis, FindDimension(facts, "DIM_Y", options.dim_y));
    }
    if (!layout.x_axis || layout.x_axis != layout.y_axis) return {};
    if (!options.dim_x.empty() && !options.dim_y.empty())
        return Status::Invalid("/" + facts.path + ": DIM_X and DIM_Y name the same dimension");
    // If only DIM_X is given, it may name the dimension chosen for Y. Y then gets the last of the
    // other dimensions. DIM_Y alone may displace X likewise.
    std::optional<std::size_t>& displaced = options.dim_x.empty() ? layout.x_axis : layout.y_axis;
    const std::size_t taken = *displaced;
    displaced.reset();
    for (std::size_t i = 0; i < facts.dimensions.size(); ++i)
        if (i != taken) displaced = i;
    return {};
}

Status CheckRaster(const RasterLayout& layout) {
    const zarr::ArrayMetadata& metadata = layout.facts.metadata;
    const std::string where = "/" + layout.facts.path + ": ";
    if (layout.fields.empty())
        return Status::Unsupported(
            where + "an array of dtype " + metadata.dtype.ToString() +
            " is not a raster; GDAL's multidimensional API reads strings and raw bytes");
    if (layout.fields.size() > kMaxFields)
        return Status::Limit(where + "elements have more than " + std::to_string(kMaxFields) +
                             " fields");
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        const zarr::Dimension& dimension = layout.facts.dimensions[i];
        if (dimension.size == 0)
            return Status::Unsupported(where + "dimension " + dimension.name +
                                       " is empty (shape 0), and GDAL has no empty rasters");
        const bool horizontal = layout.x_axis == i || layout.y_axis == i;
        if (horizontal && dimension.size > INT_MAX)
            return Status::Unsupported(where + "dimension " + dimension.name + " has " +
                                       std::to_string(dimension.size) +
                                       " elements, more than a GDAL raster can");
    }
    return {};
}

Status FixIndices(const std::vector<std::uint64_t>& indices, RasterLayout& layout) {
    if (indices.size() > layout.other_axes.size())
        return Status::Invalid("/" + layout.facts.path + ": got " + std::to_string(indices.size()) +
                               " indices, but there are " +
                               std::to_string(layout.other_axes.size()) +
                               " dimensions besides X and Y");
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const zarr::Dimension& dimension = layout.facts.dimensions[layout.other_axes[i]];
        if (indices[i] >= dimension.size)
            return Status::Invalid("/" + layout.facts.path + ": index " +
                                   std::to_string(indices[i]) + " is outside dimension " +
                                   dimension.name + ", which has " +
                                   std::to_string(dimension.size) + " elements");
        if (layout.fixed[i] && layout.fixed[i] != indices[i])
            return Status::Invalid("/" + layout.facts.path + ": dimension " + dimension.name +
                                   " is given two different indices");
        layout.fixed[i] = indices[i];
    }
    return {};
}

// Computes the number of slices: the product of the sizes of the axes without a fixed index. It
// cannot overflow, because the number of elements was checked before.
void CountSlices(RasterLayout& layout) {
    layout.slices = 1;
    for (std::size_t i = 0; i < layout.other_axes.size(); ++i)
        if (!layout.fixed[i]) layout.slices *= layout.shown[i];
}

// Two ranges of slices, `shown` and `size` in number, divide the same interval. Returns the slice
// of the second range nearest to slice `index` of the first.
std::uint64_t Nearest(std::uint64_t index, std::uint64_t shown, std::uint64_t size) {
    if (shown == size) return index;
    const double place = (static_cast<double>(index) + 0.5) / static_cast<double>(shown);
    return std::min(size - 1, static_cast<std::uint64_t>(place * static_cast<double>(size)));
}

}  // namespace

std::vector<ScalarField> ScalarFields(const zarr::DataType& type) {
    std::vector<ScalarField> fields;
    CollectFields(type, "", 0, fields);
    return fields;
}

int RasterLayout::Width() const {
    return x_axis ? static_cast<int>(facts.metadata.shape[*x_axis]) : 1;
}

int RasterLayout::Height() const {
    return y_axis ? static_cast<int>(facts.metadata.shape[*y_axis]) : 1;
}

bool RasterLayout::HasFixedAxis() const {
    return std::any_of(fixed.begin(), fixed.end(),
                       [](const auto& index) { return index.has_value(); });
}

bool RasterLayout::RepeatsSlices() const {
    for (std::size_t i = 0; i < other_axes.size(); ++i)
        if (shown[i] != facts.metadata.shape[other_axes[i]]) return true;
    return false;
}

std::vector<std::uint64_t> RasterLayout::SliceIndices(std::uint64_t slice) const {
    std::vector<std::uint64_t> indices(other_axes.size());
    for (std::size_t i = other_axes.size(); i-- > 0;) {
        if (fixed[i]) {
            indices[i] = *fixed[i];
            continue;
        }
        indices[i] = Nearest(slice % shown[i], shown[i], facts.metadata.shape[other_axes[i]]);
        slice /= shown[i];
    }
    return indices;
}

std::optional<std::uint64_t> RasterLayout::ColourOf(
    const std::vector<std::uint64_t>& indices) const {
    for (std::size_t i = 0; i < other_axes.size(); ++i)
        if (facts.colour_axis == other_axes[i]) return indices[i];
    return std::nullopt;
}

Result<RasterLayout> MakeRasterLayout(const zarr::Hierarchy& hierarchy, const std::string& path,
                                      const OpenOptions& options,
                                      const std::vector<std::uint64_t>& indices) {
    RasterLayout layout;
    ZARR_ASSIGN_OR_RETURN(layout.facts, zarr::DescribeArray(hierarchy, path));
    layout.fields =
        ScalarFields(zarr::ApplyUnsigned(layout.facts.metadata.dtype, layout.facts.attributes));
    ZARR_RETURN_IF_ERROR(FindAxes(options, layout));
    const zarr::HorizontalAxes& found = layout.facts.axes;
    layout.are_axes_chosen = layout.x_axis != found.x || layout.y_axis != found.y;
    layout.facts.axes = {layout.x_axis, layout.y_axis};
    std::optional<std::size_t>& colours = layout.facts.colour_axis;
    if (colours && (colours == layout.x_axis || colours == layout.y_axis)) colours.reset();
    ZARR_ASSIGN_OR_RETURN(layout.array, hierarchy.OpenArray(path, layout.facts.metadata));
    layout.listing = ListChunksIfAsked(*layout.array, options, layout.facts.warnings);
    ZARR_RETURN_IF_ERROR(CheckRaster(layout));
    for (std::size_t i = 0; i < layout.facts.dimensions.size(); ++i)
        if (layout.x_axis != i && layout.y_axis != i) layout.other_axes.push_back(i);
    for (const std::size_t axis : layout.other_axes)
        layout.shown.push_back(layout.facts.metadata.shape[axis]);
    ZARR_ASSIGN_OR_RETURN(layout.fixed,
                          FindSelected(hierarchy, layout.facts, layout.other_axes, options.select));
    ZARR_RETURN_IF_ERROR(FixIndices(indices, layout));
    CountSlices(layout);
    return layout;
}

Result<RasterLayout> MakeLevelLayout(const zarr::Hierarchy& hierarchy, const std::string& path,
                                     const OpenOptions& options, const RasterLayout& base) {
    if (hierarchy.IsMissingInStore(path))
        return zarr::Status::NotFound(
            "missing in the store, but listed in the consolidated metadata");
    OpenOptions as_base = options;
    as_base.select.clear();
    const auto metadata = hierarchy.Metadata(path);
    const bool has_rank_of_base =
        // If the level belongs to a mask, its number of dimensions may differ from the base's.
        metadata.ok() && metadata->rank() == base.facts.metadata.rank();
    if (base.facts.colour_axis || (has_rank_of_base && zarr::AreAxesDeclared(base.facts))) {
        as_base.dim_x = std::to_string(*base.x_axis);
        as_base.dim_y = std::to_string(*base.y_axis);
    }
    ZARR_ASSIGN_OR_RETURN(RasterLayout layout, MakeRasterLayout(hierarchy, path, as_base, {}));
    if (base.facts.colour_axis) layout.facts.colour_axis = base.facts.colour_axis;
    if (layout.other_axes != base.other_axes) return layout;  // a level of a mask has other axes
    for (std::size_t i = 0; i < layout.other_axes.size(); ++i) {
        const std::uint64_t size = base.facts.metadata.shape[base.other_axes[i]];
        layout.shown[i] = base.shown[i];
        if (base.fixed[i])
            layout.fixed[i] =
                Nearest(*base.fixed[i], size, layout.facts.metadata.shape[layout.other_axes[i]]);
    }
    CountSlices(layout);
    return layout;
}

}  // namespace zarr_driver
