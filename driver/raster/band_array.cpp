// SPDX-License-Identifier: MIT
#include "driver/raster/band_array.h"

#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/nodata.h"
#include "core/metadata/fill_meaning.h"
#include "driver/base/metadata_text.h"
#include "driver/raster/band_colours.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

// Lists with an entry for each band, and the attributes of CF that come first.
constexpr std::pair<std::string_view, std::string_view> kOfCf[] = {
    {zarr::kScalesOfBands, "scale_factor"}, {zarr::kOffsetsOfBands, "add_offset"}};

}  // namespace

void BandArray::ReadLists(const zarr::Hierarchy& hierarchy, zarr::Warnings& warnings) {
    packing = zarr::ReadPacking(facts().attributes);
    lists = zarr::BandLists::Find(hierarchy, facts());
    nodata_of_bands = zarr::NodataOfBands(facts().attributes, facts().metadata);
    for (std::string& warning : lists.WarningsOf(facts().attributes))
        warnings.push_back(std::move(warning));
    for (std::string& warning : ColourWarnings(facts().attributes))
        warnings.push_back(std::move(warning));
}

CPLStringList& BandArray::Description() {
    if (description_.empty()) {
        DescribeStorage(*elements(), layout().listing, description_);
        DescribeCodecs(facts().metadata, description_);
    }
    return description_;
}

bool BandArray::HasEntry(std::string_view name, std::size_t band) const {
    if (name == zarr::kNodataOfBands && nodata_of_bands.empty()) return false;
    for (const auto& [list, of_cf] : kOfCf)
        if (list == name && facts().attributes.Find(of_cf) != nullptr) return false;
    return lists.HasEntry(facts().attributes, name, band);
}

bool BandArray::ChangeEntry(std::string_view name, std::size_t band, const json::Value& value) {
    if (!HasEntry(name, band)) return false;
    auto changed = lists.Changed(facts().attributes, name, band, value);
    if (changed) ChangeAttribute(name, json::Value(std::move(*changed)));
    return changed.has_value();
}

bool BandArray::RemoveIfEqual(std::string_view name, std::size_t band) {
    const json::Value* const now = facts().attributes.Find(name);
    if (now == nullptr || !IsChanged(name) || !HasEntry(name, band) ||
        !lists.AreEqual(*now->as_array()))
        return false;
    ChangeAttribute(name, json::Value());
    return true;
}

}  // namespace zarr_driver
