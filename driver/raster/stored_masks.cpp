// SPDX-License-Identifier: MIT
#include "driver/raster/stored_masks.h"

#include <cpl_string.h>
#include <gdal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/store/keys.h"
#include "driver/base/array_options.h"
#include "driver/base/gdal_errors.h"
#include "driver/raster/band.h"
#include "driver/raster/dataset.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

constexpr std::string_view kMaskedBands = "gdal_masked_bands";
constexpr std::string_view kMaskedBandNames = "gdal_band_names";

json::Value ListOf(const std::vector<int>& numbers) {
    json::Array list;
    for (const int number : numbers) list.emplace_back(std::int64_t{number});
    return json::Value(std::move(list));
}

}  // namespace

StoredMasks::~StoredMasks() = default;

std::vector<ZarrDataset*> StoredMasks::opened() const {
    std::vector<ZarrDataset*> datasets;
    for (const auto& [path, array] : arrays_)
        if (array.dataset != nullptr) datasets.push_back(array.dataset.get());
    return datasets;
}

// Returns the path of the mask array for band `number`; empty if the attributes of the band's array
// name none.
std::string StoredMasks::PathOf(int number) const {
    const RasterLayout& layout = dataset_.LayoutOf(number);
    return MaskOf(layout, layout.facts.path);
}

StoredMasks::Mask StoredMasks::Find(int number) {
    const std::string path = PathOf(number);
    if (path.empty()) return {};
    MaskArray* const array = Open(path, number);
    if (array == nullptr) return {};
    const int own = dataset_.Band(number)->array().NumberOf(number);
    const bool is_one = array->dataset->GetRasterCount() == 1;
    const auto& bands = array->bands;
    if (!array->is_of_all && std::find(bands.begin(), bands.end(), own) == bands.end()) return {};
    return {array->dataset->Band(is_one ? 1 : own), array->flags};
}

// Returns the numbers of the bands that have a mask. Matches bands by name, because selecting bands
// in xarray drops some but leaves all in `attributes`.
std::vector<int> StoredMasks::MaskedBands(const json::Value& attributes, int number) const {
    std::vector<std::string> written;
    if (const json::Value* stored = attributes.Find(kMaskedBandNames); stored && stored->as_array())
        for (const json::Value& name : *stored->as_array())
            written.push_back(name.as_string() != nullptr ? *name.as_string() : std::string());
    const std::vector<std::string> names = written.empty()
                                               ? std::vector<std::string>()
                                               : dataset_.BandNames(dataset_.Band(number)->array());
    std::vector<int> bands;
    for (const double band : zarr::NumbersAttribute(attributes, kMaskedBands).value) {
        if (!(band >= 1 && band <= kMaxBands)) continue;
        const auto index = static_cast<std::size_t>(band) - 1;
        const std::string name = index < written.size() ? written[index] : std::string();
        const int now = CurrentBand(static_cast<int>(band), name, names, written.size());
        if (now != 0) bands.push_back(now);
    }
    return bands;
}

StoredMasks::MaskArray* StoredMasks::Open(const std::string& path, int number) {
    auto found = arrays_.find(path);
    if (found == arrays_.end()) {
        auto opened = OpenArray(path, number);
        if (!opened.ok())
            EmitWarning(dataset_.store_path(),
                        "the mask /" + path + " is not used: " + opened.status().message());
        found = arrays_.emplace(path, opened.ok() ? opened.Take() : MaskArray()).first;
    }
    return found->second.dataset != nullptr ? &found->second : nullptr;
}

Result<StoredMasks::MaskArray> StoredMasks::OpenArray(const std::string& path, int number) const {
    const zarr::Hierarchy& hierarchy = *dataset_.open_node().hierarchy;
    OpenOptions options = dataset_.options();
    options.fill_value_as_nodata = zarr::FillAsNodata::kNo;
    ZARR_ASSIGN_OR_RETURN(RasterLayout layout, MakeLevelLayout(hierarchy, path, options,
                                                               dataset_.arrays()[0]->layout()));
    const zarr::json::Value attributes = layout.facts.attributes;
    const bool is_of_one = layout.facts.metadata.rank() == 2;
    if (layout.Width() != dataset_.GetRasterXSize() ||
        layout.Height() != dataset_.GetRasterYSize() ||
        (!is_of_one && layout.BandCount() != dataset_.arrays()[0]->layout().BandCount()))
        return Status::Corrupt(
            "its " + std::to_string(layout.Width()) + " x " + std::to_string(layout.Height()) +
            " pixels in " + std::to_string(layout.BandCount()) + " bands do not fit the raster's " +
            std::to_string(dataset_.GetRasterXSize()) + " x " +
            std::to_string(dataset_.GetRasterYSize()) + " pixels in " +
            std::to_string(dataset_.arrays()[0]->layout().BandCount()) + " bands");
    if (layout.facts.metadata.dtype.kind != zarr::DataKind::kUint ||
        layout.facts.metadata.dtype.size != 1)
        return Status::Corrupt("expected dtype |u1, got " + layout.facts.metadata.dtype.ToString());
    MaskArray array;
    array.flags = zarr::NumberAttribute(attributes, zarr::kMaskFlagsAttribute).value == 0.0
                      ? 0
                      : GMF_PER_DATASET;
    array.bands = MaskedBands(attributes, number);
    array.is_of_all = array.bands.empty() && attributes.Find(kMaskedBands) == nullptr;
    OpenNode open_node = dataset_.open_node();
    open_node.node = path;
    open_node.kind = zarr::NodeKind::kArray;
    array.dataset = std::make_unique<ZarrDataset>(dataset_.GetDescription(), open_node, options);
    array.dataset->AddArray(std::move(layout), false);
    const int own = dataset_.Band(number)->array().NumberOf(number);
    array.dataset->Become({&dataset_, is_of_one ? number : number - own + 1, true});
    if (options.north_up) array.dataset->georeferencing().FollowFlip(dataset_.georeferencing());
    dataset_.ShareUpdate(*array.dataset);
    return array;
}

Result<std::string> StoredMasks::MakeArray(int number, int flags) {
    const BandArray& data = dataset_.Band(std::max(number, 1))->array();
    const RasterLayout& layout = data.layout();
    const std::string group(zarr::ParentPath(layout.facts.path));
    const bool is_of_all = number == 0 && dataset_.BandsHaveArrays();
    const std::string stem =
        is_of_all ? "mask" : std::string(zarr::LastName(layout.facts.path)) + "_mask";
    std::string path = zarr::JoinKey(group, stem);
    const auto& hierarchy = *dataset_.open_node().hierarchy;
    for (int i = 2;; ++i) {
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy.KindOf(path));
        if (kind == zarr::NodeKind::kNone) break;
        path = zarr::JoinKey(group, stem + "_" + std::to_string(i));
    }
    const bool has_bands = number != 0 && layout.BandCount() > 1;
    zarr::ArraySpec spec;
    spec.format = hierarchy.format();
    json::Array names;
    for (std::size_t axis = 0; axis < layout.facts.metadata.rank(); ++axis) {
        if (!has_bands && layout.x_axis != axis && layout.y_axis != axis) continue;
        spec.shape.push_back(layout.facts.metadata.shape[axis]);
        spec.chunks.push_back(layout.facts.metadata.chunks[axis]);
        names.emplace_back(layout.facts.dimensions[axis].name);
    }
    ZARR_ASSIGN_OR_RETURN(spec.dtype, zarr::ParseTypestr("|u1"));
    ArrayCreationOptions options;
    if (layout.facts.metadata.codecs.empty()) options.codec.compressor = "";
    ZARR_RETURN_IF_ERROR(options.Complete(spec.dtype));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata,
                          NewArrayMetadata(std::move(spec), options));
    json::Object attributes{{"_ARRAY_DIMENSIONS", json::Value(std::move(names))},
                            {"flag_values", ListOf({0, 255})},
                            {"flag_meanings", json::Value("masked valid")},
                            {std::string(zarr::kMaskFlagsAttribute),
                             json::Value(std::int64_t{flags & GMF_PER_DATASET})}};
    if (has_bands) attributes.emplace_back(std::string(kMaskedBands), ListOf({}));
    ZARR_RETURN_IF_ERROR(dataset_.update()->MakeArray(path, metadata, attributes));
    return path;
}

std::vector<BandArray*> StoredMasks::ArraysOf(int first, int last) const {
    std::vector<BandArray*> arrays;
    for (int i = first; i <= last; ++i) {
        BandArray& array = dataset_.Band(i)->array();
        if (arrays.empty() || arrays.back() != &array) arrays.push_back(&array);
    }
    return arrays;
}

Status StoredMasks::TakeOver(const std::vector<BandArray*>& arrays) {
    const zarr::Hierarchy& hierarchy = *dataset_.open_node().hierarchy;
    hierarchy.Reload();
    for (BandArray* const array : arrays) {
        ZARR_ASSIGN_OR_RETURN(const json::Value stored, hierarchy.Attributes(array->path()));
        const std::string* const name = zarr::StringAttribute(stored, zarr::kMaskAttribute);
        if (name == nullptr) continue;
        if (auto* const members = array->layout().facts.attributes.MutableObject())
            json::PutMember(*members, zarr::kMaskAttribute, json::Value(*name));
    }
    return {};
}

Status StoredMasks::AddMaskedBand(const std::string& path, int number) {
    ZARR_ASSIGN_OR_RETURN(const json::Value before,
                          dataset_.open_node().hierarchy->Attributes(path));
    std::vector<int> bands = MaskedBands(before, number);
    const int own = dataset_.Band(number)->array().NumberOf(number);
    if (std::find(bands.begin(), bands.end(), own) == bands.end()) bands.push_back(own);
    json::Array names;
    for (std::string& name : dataset_.BandNames(dataset_.Band(number)->array()))
        names.emplace_back(std::move(name));
    json::Value after = before;
    json::PutMember(*after.MutableObject(), kMaskedBands, ListOf(bands));
    json::PutMember(*after.MutableObject(), kMaskedBandNames, json::Value(std::move(names)));
    ZARR_RETURN_IF_ERROR(dataset_.update()->metadata().ChangeAttributes(path, before, after));
    const auto opened = arrays_.find(path);
    if (opened != arrays_.end()) opened->second.bands = std::move(bands);
    return {};
}

Status StoredMasks::Create(int number, int flags) {
    const int first = std::max(number, 1);
    const int last = number == 0 ? dataset_.GetRasterCount() : number;
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, dataset_.update()->Lock());
    const std::vector<BandArray*> arrays = ArraysOf(first, last);
    ZARR_RETURN_IF_ERROR(TakeOver(arrays));
    if (number != 0 && dataset_.Band(number)->array().layout().BandCount() == 1 &&
        (flags & GMF_PER_DATASET) != 0)
        number = dataset_.BandsHaveArrays() ? number : 0;
    std::string path = PathOf(first);
    const MaskArray* const mask = path.empty() ? nullptr : Open(path, first);
    const bool has_bands = number != 0 && dataset_.Band(first)->array().layout().BandCount() > 1;
    const bool fits =
        mask != nullptr && has_bands == (mask->dataset->GetRasterCount() > 1 || !mask->is_of_all);
    if (!fits) {
        ZARR_ASSIGN_OR_RETURN(path, MakeArray(number, flags));
    }
    if (has_bands) ZARR_RETURN_IF_ERROR(AddMaskedBand(path, number));
    // The name is stored at once. A mask that no array names would be taken for lost.
    const json::Value name{std::string(zarr::LastName(path))};
    for (BandArray* const array : arrays)
        ZARR_RETURN_IF_ERROR(array->StoreAttribute(std::string(zarr::kMaskAttribute), name));
    return Open(path, first) != nullptr ? Status() : Status::Io("/" + path + ": cannot be opened");
}

}  // namespace zarr_driver
