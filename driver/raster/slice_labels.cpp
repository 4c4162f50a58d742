// SPDX-License-Identifier: MIT
#include "driver/raster/slice_labels.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/conventions/cf/scalar_coordinates.h"
#include "core/dtype/element_text.h"
#include "driver/base/gdal_errors.h"

namespace zarr_driver {

using Clock = zarr::LabelRange::Clock;

namespace {

// Maximum number of bytes of a dimension's name that metadata and descriptions of bands show.
constexpr std::size_t kMaxNameBytes = 255;

std::string NameOf(const zarr::Dimension& dimension) {
    return zarr::Shortened(dimension.name, kMaxNameBytes);
}

}  // namespace

SliceLabels::SliceLabels(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                         const RasterLayout& layout, const OmeChannels& channels,
                         const zarr::LevelListing& listing, std::string store_path,
                         const OpenOptions& options)
    : hierarchy_(std::move(hierarchy)),
      layout_(layout),
      channels_(channels),
      listing_(listing),
      store_path_(std::move(store_path)),
      options_(options),
      axes_(layout.other_axes.size()) {}

const SliceLabels::Axis& SliceLabels::Load(std::size_t index) const {
    return axes_[index].Get([&] { return ReadLabels(index); });
}

SliceLabels::Axis SliceLabels::ReadLabels(std::size_t index) const {
    Axis axis;
    const zarr::Dimension& dimension = layout_.facts.dimensions[layout_.other_axes[index]];
    if (dimension.coordinate_path.empty()) return ImageLabels(index);
    if (has_timed_out_) return axis;
    const std::optional<std::uint64_t>& fixed = layout_.fixed[index];
    zarr::LabelRange range;
    range.first = fixed.value_or(0);
    range.count = fixed ? 1 : dimension.size;
    range.threads = options_.threads;
    // A dimension with more than kMaxLabels coordinates gets no labels. Such a dimension occurs
    // only in a dataset without bands, which shows no labels.
    if (range.count > zarr::kMaxLabels) return axis;
    auto labels = ReadInTime(dimension, range);
    if (!labels) return axis;
    axis.first = range.first;
    axis.labels = std::move(*labels);
    if (IsPlainBand(index) && AreNumbersOfBands(axis)) axis.labels = {};
    return axis;
}

std::optional<zarr::CoordinateLabels> SliceLabels::ReadInTime(const zarr::Dimension& dimension,
                                                              zarr::LabelRange range) const {
    const Clock::time_point start = Clock::now();
    if (options_.label_delay)
        range.deadline = start + std::chrono::duration_cast<Clock::duration>(
                                     *options_.label_delay - std::chrono::duration<double>(spent_));
    zarr::Warnings warnings;
    auto labels = zarr::ReadCoordinateLabels(*hierarchy_, dimension, range).Report(warnings);
    spent_ = spent_ + std::chrono::duration<double>(Clock::now() - start).count();
    EmitWarnings(store_path_, warnings);
    if (labels.ok()) return labels.Take();
    has_timed_out_ = labels.status().code() == zarr::StatusCode::kCancelled;
    EmitWarning(store_path_,
                has_timed_out_
                    ? "reading the coordinates of dimension " + dimension.name +
                          " takes longer than the " +
                          zarr::DoubleText(options_.label_delay->count()) +
                          " seconds of open option LOAD_EXTRA_DIM_METADATA_DELAY; bands are "
                          "described by their index"
                    : "the coordinates of dimension " + dimension.name +
                          " cannot be read: " + labels.status().message());
    return std::nullopt;
}

const std::vector<SliceLabels::Scalar>& SliceLabels::LoadScalars() const {
    return scalars_.Get([&] { return ReadScalars(); });
}

std::vector<SliceLabels::Scalar> SliceLabels::ReadScalars() const {
    std::vector<Scalar> scalars;
    if (layout_.facts.path.empty()) return scalars;
    for (zarr::Dimension& dimension : zarr::ScalarCoordinates(*hierarchy_, layout_.facts)) {
        if (has_timed_out_) break;
        zarr::LabelRange range;
        range.count = 1;
        range.threads = options_.threads;
        auto labels = ReadInTime(dimension, range);
        if (labels) scalars.push_back({NameOf(dimension), std::move(*labels)});
    }
    return scalars;
}

SliceLabels::Axis SliceLabels::ImageLabels(std::size_t index) const {
    Axis axis;
    const std::size_t number = layout_.other_axes[index];
    if (channels_.axis() == index) return axis;
    auto labels = zarr::ImageCoordinates(listing_, layout_.facts.metadata.rank(), number, 0,
                                         layout_.facts.dimensions[number].size);
    if (labels) axis.labels = std::move(*labels);
    return axis;
}

const zarr::CoordinateLabel* SliceLabels::Find(const Axis& axis, std::uint64_t index) {
    // If the axis has a fixed index, `axis.first` is that index, and only its label was read.
    if (index < axis.first || index - axis.first >= axis.labels.items.size()) return nullptr;
    return &axis.labels.items[index - axis.first];
}

bool SliceLabels::AreNumbersOfBands(const Axis& axis) {
    std::uint64_t number = axis.first;
    return std::all_of(axis.labels.items.begin(), axis.labels.items.end(),
                       [&](const zarr::CoordinateLabel& label) {
                           return label.value == std::to_string(++number);
                       });
}

bool SliceLabels::IsPlainBand(std::size_t index) const {
    return layout_.other_axes.size() == 1 &&
           EQUAL(NameOf(layout_.facts.dimensions[layout_.other_axes[index]]).c_str(), "band");
}

void SliceLabels::AddMetadata(std::uint64_t slice, CPLStringList& list) {
    const auto set = [&](const std::string& name, const char* item, const std::string& value) {
        list.SetNameValue(("DIM_" + name + "_" + item).c_str(), value.c_str());
    };
    const auto set_label = [&](const std::string& name, const zarr::CoordinateLabels& labels,
                               const zarr::CoordinateLabel& label) {
        set(name, "VALUE", label.value);
        if (!labels.units.empty()) set(name, "UNIT", labels.units);
        if (!label.time.empty()) set(name, "TIME", label.time);
    };
    for (const Scalar& scalar : LoadScalars())
        set_label(scalar.name, scalar.labels, scalar.labels.items[0]);
    const std::vector<std::uint64_t> indices = layout_.SliceIndices(slice);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::string name = NameOf(layout_.facts.dimensions[layout_.other_axes[i]]);
        const Axis& axis = Load(i);
        const zarr::CoordinateLabel* label = Find(axis, indices[i]);
        // The usual dimension "band" gets no metadata items if it has no labels, or text labels: a
        // text label is the band's description.
        if (IsPlainBand(i) && (label == nullptr || axis.labels.is_text)) continue;
        set(name, "INDEX", std::to_string(indices[i]));
        if (label != nullptr) set_label(name, axis.labels, *label);
    }
}

bool SliceLabels::AreNames() const {
    using zarr::DataKind;
    return std::any_of(layout_.other_axes.begin(), layout_.other_axes.end(), [&](std::size_t axis) {
        const std::string& path = layout_.facts.dimensions[axis].coordinate_path;
        if (path.empty()) return false;
        const auto metadata = hierarchy_->Metadata(path);
        if (!metadata.ok()) return false;
        const DataKind kind = metadata->dtype.kind;
        return kind == DataKind::kUnicode || kind == DataKind::kBytes || kind == DataKind::kObject;
    });
}

std::string SliceLabels::Description(std::uint64_t slice, const std::optional<Name>& name) {
    const std::vector<std::uint64_t> indices = layout_.SliceIndices(slice);
    struct Part {
        std::string name;
        std::string label;
        bool is_text;
        bool is_named;  // false if the label is just the index along the dimension
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const zarr::Dimension& dimension = layout_.facts.dimensions[layout_.other_axes[i]];
        const Axis& axis = Load(i);
        const zarr::CoordinateLabel* label = Find(axis, indices[i]);
        const zarr::OmeroChannel* channel =
            channels_.axis() == i ? channels_.Find(indices) : nullptr;
        if (name && name->axis == layout_.other_axes[i] &&
            !(label != nullptr && axis.labels.is_text))
            parts.push_back({NameOf(dimension), name->text, true, true});
        else if (label != nullptr)
            parts.push_back({NameOf(dimension), label->label, axis.labels.is_text, true});
        else if (channel != nullptr && !channel->label.empty())
            parts.push_back({NameOf(dimension), channel->label, true, true});
        else if (dimension.size > 1)
            parts.push_back({NameOf(dimension), std::to_string(indices[i]), false, false});
    }
    if (name && !name->axis) parts.push_back({"band", name->text, true, true});
    // A single text label is the description, without the dimension's name. It is empty for a band
    // without a name.
    if (parts.size() == 1 && parts[0].is_text) return parts[0].label;
    // Without labels, the usual dimension "band" gives no description. ReadLabels() has removed
    // labels that only number the bands.
    const bool has_names =
        std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.is_named; });
    if (parts.size() == 1 && !has_names && IsPlainBand(0)) return {};
    std::string text;
    for (const Part& part : parts)
        text += (text.empty() ? "" : ", ") + part.name + "=" + part.label;
    return text;
}

}  // namespace zarr_driver
