// SPDX-License-Identifier: MIT
#include "driver/append_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/catalog.h"
#include "core/hierarchy/resize.h"
#include "core/store/keys.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

Result<AppendPlan> AppendPlan::Make(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                                    GDALDataset& source, const CreationOptions& options) {
    AppendPlan plan(std::move(hierarchy), source, options);
    ZARR_RETURN_IF_ERROR(plan.FindArray());
    ZARR_RETURN_IF_ERROR(plan.CountSlices());
    ZARR_RETURN_IF_ERROR(plan.FindIndices());
    ZARR_RETURN_IF_ERROR(plan.PlanGrowth());
    // What the store failed to give may be an array that has to grow, too.
    ZARR_RETURN_IF_ERROR(plan.hierarchy_->TakeFailure());
    return plan;
}

// The array that was named, or the only one of the source's size that has the dimension.
Status AppendPlan::FindArray() {
    std::vector<std::string> paths{options_->array_name};
    if (options_->array_name.empty()) {
        ZARR_ASSIGN_OR_RETURN(paths, Candidates());
        if (paths.size() != 1)
            return Status::Invalid(
                "creation option APPEND_DIM: " +
                std::string(paths.empty() ? "no array" : "more than one array") +
                " of the source's size has a dimension " + zarr::Quoted(options_->append_dim) +
                (paths.empty() ? "" : "; creation option ARRAY_NAME says which"));
    }
    ZARR_ASSIGN_OR_RETURN(const std::string path, zarr::NormalizePath(paths[0]));
    ZARR_ASSIGN_OR_RETURN(const OpenOptions options, OpenOptions::Parse(nullptr));
    ZARR_ASSIGN_OR_RETURN(layout_, LayOut(*hierarchy_, path, options, {}));
    for (const std::size_t axis : layout_.other_axes) {
        if (layout_.facts.dimensions[axis].name != options_->append_dim) continue;
        axis_ = axis;
        return zarr::Array::CheckWritable(layout_.facts.metadata);
    }
    return Status::Invalid("creation option APPEND_DIM: /" + path + " has no dimension " +
                           zarr::Quoted(options_->append_dim) + " besides those of its raster");
}

Result<std::vector<std::string>> AppendPlan::Candidates() const {
    std::vector<std::string> paths;
    ZARR_ASSIGN_OR_RETURN(const OpenOptions options, OpenOptions::Parse(nullptr));
    zarr::Warnings ignored;
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(*hierarchy_, "", ignored));
    for (const zarr::CatalogGroup& group : groups) {
        for (const zarr::CatalogArray* array : group.Rasters()) {
            const auto& names = array->dimensions;
            if (std::find(names.begin(), names.end(), options_->append_dim) == names.end())
                continue;
            const auto layout = LayOut(*hierarchy_, array->path, options, {});
            if (layout.ok() && layout->Width() == source_->GetRasterXSize() &&
                layout->Height() == source_->GetRasterYSize())
                paths.push_back(array->path);
        }
    }
    return paths;
}

// How many slices the source's bands are, each of all other extra dimensions.
Status AppendPlan::CountSlices() {
    if (layout_.Width() != source_->GetRasterXSize() ||
        layout_.Height() != source_->GetRasterYSize())
        return Status::Invalid("/" + layout_.facts.path + ": its rasters have " +
                               std::to_string(layout_.Width()) + " x " +
                               std::to_string(layout_.Height()) + " pixels, the source's " +
                               std::to_string(source_->GetRasterXSize()) + " x " +
                               std::to_string(source_->GetRasterYSize()));
    if (layout_.fields.size() != 1)
        return Status::Unsupported("/" + layout_.facts.path + ": arrays of structures do not " +
                                   "grow through rasters");
    std::uint64_t bands_per_slice = 1;
    for (const std::size_t axis : layout_.other_axes)
        if (axis != axis_) bands_per_slice *= layout_.facts.dimensions[axis].size;
    const auto bands = static_cast<std::uint64_t>(source_->GetRasterCount());
    if (bands_per_slice == 0 || bands % bands_per_slice != 0)
        return Status::Invalid("/" + layout_.facts.path + ": a slice along " +
                               options_->append_dim + " has " + std::to_string(bands_per_slice) +
                               " bands, which the source's " + std::to_string(bands) +
                               " are no multiple of");
    slices_ = bands / bands_per_slice;
    return {};
}

// The number of the source's band, from 0, that starts nothing else than the slice `slice`.
std::uint64_t AppendPlan::FirstBandOf(std::uint64_t slice) const {
    std::uint64_t faster = 1;  // bands for each index along the dimension
    for (auto axis = layout_.other_axes.rbegin(); *axis != axis_; ++axis)
        faster *= layout_.facts.dimensions[*axis].size;
    return slice * faster;
}

// Texts of the coordinates of the new slices.
Result<std::vector<std::string>> AppendPlan::Texts() const {
    std::vector<std::string> texts;
    if (!options_->append_dim_values.empty()) {
        const CPLStringList list(
            CSLTokenizeString2(options_->append_dim_values.c_str(), ",", CSLT_HONOURSTRINGS));
        for (int i = 0; i < list.size(); ++i) texts.emplace_back(list[i]);
        if (texts.size() != slices_)
            return Status::Invalid(
                "creation option APPEND_DIM_VALUES: " + std::to_string(texts.size()) +
                " values for " + std::to_string(slices_) + " slices");
        return texts;
    }
    for (std::uint64_t i = 0; i < slices_; ++i) {
        GDALRasterBand& band = *source_->GetRasterBand(static_cast<int>(FirstBandOf(i)) + 1);
        auto text = coordinates_->TextOf(*source_, band);
        if (!text)
            return Status::Invalid("/" + coordinates_->path() + " has coordinates and band " +
                                   std::to_string(band.GetBand()) + " of the source has none; " +
                                   "creation option APPEND_DIM_VALUES gives them");
        texts.push_back(std::move(*text));
    }
    return texts;
}

// Where along the dimension each of the source's slices goes.
Status AppendPlan::FindIndices() {
    new_size_ = dimension().size;
    if (dimension().coordinate_path.empty()) {
        for (std::uint64_t i = 0; i < slices_; ++i) indices_.push_back(new_size_++);
        return {};
    }
    ZARR_ASSIGN_OR_RETURN(coordinates_,
                          GrowingCoordinates::Read(*hierarchy_, dimension(), dimension().size));
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> texts, Texts());
    std::set<std::string> seen;
    for (const std::string& text : texts) {
        ZARR_ASSIGN_OR_RETURN(std::string element, coordinates_->ElementOf(text));
        if (!seen.insert(element).second)
            return Status::Invalid("two slices of the source have the coordinate " +
                                   zarr::Quoted(text) + " along " + options_->append_dim);
        if (const auto index = coordinates_->Find(element)) {
            indices_.push_back(*index);
            continue;
        }
        indices_.push_back(new_size_++);
        new_elements_.push_back(std::move(element));
    }
    return {};
}

// The documents of every array that has the dimension, with its new size.
Status AppendPlan::PlanGrowth() {
    if (new_size_ == dimension().size) return {};
    zarr::Warnings ignored;
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(*hierarchy_, "", ignored));
    for (const zarr::CatalogGroup& group : groups) {
        for (const zarr::CatalogArray& array : group.arrays) {
            const auto facts = zarr::DescribeArray(*hierarchy_, array.path);
            if (!facts.ok()) continue;
            for (std::size_t i = 0; i < facts->dimensions.size(); ++i)
                if (IsTheDimension(facts->dimensions[i])) {
                    auto shape = facts->metadata.shape;
                    shape[i] = new_size_;
                    documents_[array.path] = zarr::WithShape(facts->metadata, shape);
                }
        }
    }
    return {};
}

bool AppendPlan::IsTheDimension(const zarr::Dimension& other) const {
    return other.is_named && other.name == options_->append_dim && other.size == dimension().size &&
           other.group == dimension().group && other.coordinate_path == dimension().coordinate_path;
}

std::uint64_t AppendPlan::TargetBand(std::uint64_t number) const {
    std::uint64_t target = 0;
    std::uint64_t stride = 1;
    for (auto axis = layout_.other_axes.rbegin(); axis != layout_.other_axes.rend(); ++axis) {
        const bool grows = *axis == axis_;
        const std::uint64_t size = grows ? slices_ : layout_.facts.dimensions[*axis].size;
        const std::uint64_t index = number % size;
        number /= size;
        target += stride * (grows ? indices_[static_cast<std::size_t>(index)] : index);
        stride *= grows ? new_size_ : size;
    }
    return target + 1;
}

}  // namespace zarr_driver
