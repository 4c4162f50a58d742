// SPDX-License-Identifier: MIT
#include "driver/create/append_metadata.h"

#include <cpl_string.h>

#include <algorithm>
#include <climits>

#include "driver/base/metadata_text.h"
#include "driver/create/copied_metadata.h"
#include "driver/raster/band.h"
#include "driver/raster/band_colours.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

namespace {

// Returns the extra dimensions of the extended array. Only BandDimension::name is set.
std::vector<BandDimension> DimensionsOf(const AppendPlan& plan) {
    std::vector<BandDimension> dimensions;
    for (const std::size_t axis : plan.layout().other_axes)
        dimensions.emplace_back().name = plan.layout().facts.dimensions[axis].name;
    return dimensions;
}

// True if the metadata item `name` describes the source's pixels, georeferencing or dimensions, and
// is therefore not copied.
bool IsOfArray(const std::string& name) {
    return STARTS_WITH_CI(name.c_str(), "STATISTICS_") || EQUAL(name.c_str(), "AREA_OR_POINT") ||
           STARTS_WITH_CI(name.c_str(), "DIM_");
}

// Copies metadata items to `to` that `to` lacks or has with another value. Skips items for which
// IsOfArray() is true.
void SetChangedItems(const CPLStringList& items, GDALMajorObject& to) {
    for (const auto& [name, value] : ItemsOf(items)) {
        const char* const own = to.GetMetadataItem(name.c_str());
        if (!IsOfArray(name) && (own == nullptr || value != own))
            to.SetMetadataItem(name.c_str(), value.c_str());
    }
}

// Stores descriptions, metadata and colours of the written bands in the array that an append has
// extended.
class MetadataStore {
  public:
    MetadataStore(GDALDataset& source, ZarrDataset& target, const AppendPlan& plan)
        : source_(source),
          target_(target),
          plan_(plan),
          dimensions_(DimensionsOf(plan)),
          of_source_(CopiedMetadata(source, dimensions_)),
          had_one_band_(plan.layout().BandCount() == 1) {}

    std::vector<std::string> Run() {
        if (had_one_band_ && target_.GetRasterCount() > 1) MoveItemsOfOnlyBand();
        if (had_one_band_ && target_.GetRasterCount() == 1) ReplaceItemsOfSource();
        if (HasColourOfEachSlice(plan_.layout())) KeepColours();
        for (int i = 0; i < source_.GetRasterCount(); ++i) {
            GDALRasterBand* const to = target_.GetRasterBand(static_cast<int>(
                std::min<std::uint64_t>(plan_.TargetBand(static_cast<unsigned>(i)), INT_MAX)));
            if (to == nullptr) continue;
            StoreItems(*source_.GetRasterBand(i + 1), *to);
            StoreDescription(*source_.GetRasterBand(i + 1), *to);
            CopyClasses(*source_.GetRasterBand(i + 1), *to);
            CopyDomains(*source_.GetRasterBand(i + 1), *to);
        }
        return std::move(lost_);
    }

  private:
    // Moves metadata items that describe only the first slice from the array's attributes to the
    // band of that slice.
    void MoveItemsOfOnlyBand() {
        const CPLStringList shown(CSLDuplicate(target_.GetMetadata()));
        CPLStringList kept(shown);
        RemoveBandItems(plan_.layout().facts.attributes, kept);
        for (const auto& [name, value] : ItemsOf(shown))
            if (kept.FetchNameValue(name.c_str()) == nullptr)
                target_.SetMetadataItem(name.c_str(), nullptr);
        GDALRasterBand& band = *target_.GetRasterBand(1);
        for (const auto& [name, value] : ItemsOf(of_source_)) {
            const char* const own = kept.FetchNameValue(name.c_str());
            if (IsOfArray(name) || own == nullptr || value == own) continue;
            if (band.GetMetadataItem(name.c_str()) == nullptr)
                band.SetMetadataItem(name.c_str(), own);
            target_.SetMetadataItem(name.c_str(), nullptr);
        }
    }

    // Gives the bands of older slices the colours that the array's list states.
    void KeepColours() {
        const RasterLayout& old = plan_.layout();
        const auto lists = zarr::BandLists::Find(plan_.hierarchy(), old.facts);
        const RasterLayout& grown = target_.Band(1)->array().layout();
        for (std::uint64_t i = 0; i < old.slices; ++i) {
            const auto slice = static_cast<std::size_t>(i);
            const auto colour = StoredColour(lists, old.facts.attributes, slice, slice);
            std::uint64_t number = 0;
            const std::vector<std::uint64_t> indices = old.SliceIndices(i);
            for (std::size_t axis = 0; axis < indices.size(); ++axis)
                number = number * grown.shown[axis] + indices[axis];
            GDALRasterBand* const band = target_.GetRasterBand(static_cast<int>(number) + 1);
            if (colour && band != nullptr) band->SetColorInterpretation(*colour);
        }
    }

    // Copies the metadata items of the source dataset to the array. Called if the source replaces
    // the only slice of the array.
    void ReplaceItemsOfSource() { SetChangedItems(of_source_, target_); }

    // Returns the metadata items that a written band gets from the band `from`.
    CPLStringList NewItems(GDALRasterBand& from) const {
        CPLStringList items = CopiedBandMetadata(from, dimensions_);
        for (const auto& [name, value] : ItemsOf(of_source_)) {
            const char* const shared = target_.GDALDataset::GetMetadataItem(name.c_str());
            const bool is_shared = shared != nullptr && value == shared;
            if (!is_shared && items.FetchNameValue(name.c_str()) == nullptr)
                items.SetNameValue(name.c_str(), value.c_str());
        }
        return items;
    }

    void StoreItems(GDALRasterBand& from, GDALRasterBand& to) const {
        const CPLStringList before(CSLDuplicate(to.GetMetadata()));
        const CPLStringList after = NewItems(from);
        for (const auto& [name, value] : ItemsOf(before))
            if (!IsOfArray(name) && after.FetchNameValue(name.c_str()) == nullptr)
                to.SetMetadataItem(name.c_str(), nullptr);
        SetChangedItems(after, to);
    }

    // True if a description states a coordinate or index along an extra dimension of the array,
    // such as "time=3".
    bool IsPosition(const std::string& description) const {
        return std::any_of(dimensions_.begin(), dimensions_.end(), [&](const auto& dimension) {
            return description.compare(0, dimension.name.size() + 1, dimension.name + '=') == 0;
        });
    }

    void StoreDescription(GDALRasterBand& from, GDALRasterBand& to) {
        const std::string own = to.GetDescription();
        std::string name = CopiedDescription(from);
        if (IsPosition(name)) name.clear();
        // text coordinates already state the descriptions of the bands, so nothing else is stored
        if (plan_.coordinates() && !plan_.coordinates()->AreNumbers()) return;
        if (name == own || (name.empty() && IsPosition(own))) return;
        if (!plan_.coordinates() && dimensions_.size() == 1)
            lost_.push_back(name);
        else
            to.SetDescription(name.c_str());
    }

    GDALDataset& source_;
    ZarrDataset& target_;
    const AppendPlan& plan_;
    const std::vector<BandDimension> dimensions_;
    const CPLStringList of_source_;
    const bool had_one_band_;
    std::vector<std::string> lost_;
};

}  // namespace

bool HasColourOfEachSlice(const RasterLayout& layout) {
    const auto* const stated = layout.facts.attributes.Find(zarr::kColoursOfBands);
    const auto* const items = stated != nullptr ? stated->as_array() : nullptr;
    if (stated == nullptr) return false;
    return items != nullptr ? items->size() == layout.slices : layout.slices == 1;
}

std::vector<std::string> StoreAppendedMetadata(GDALDataset& source, ZarrDataset& target,
                                               const AppendPlan& plan) {
    return MetadataStore(source, target, plan).Run();
}

}  // namespace zarr_driver
