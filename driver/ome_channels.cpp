// SPDX-License-Identifier: MIT
#include "driver/ome_channels.h"

#include <array>
#include <string>

#include "core/conventions/ome.h"
#include "core/dtype/element_text.h"

namespace zarr_driver {

OmeChannels::OmeChannels(const RasterLayout& layout, const zarr::LevelListing& listing,
                         zarr::Warnings& warnings) {
    if (!listing.is_listed()) return;
    const zarr::ArrayFacts& facts = layout.facts;
    const std::vector<zarr::OmeAxis> axes =
        zarr::FindOmeAxes(listing.levels, facts.metadata.rank());
    for (std::size_t i = 0; i < layout.other_axes.size(); ++i) {
        const std::size_t axis = layout.other_axes[i];
        const std::string& name = facts.dimensions[axis].name;
        if (axes.empty() ? name == "c" || name == "channel" : axes[axis].is_channel) axis_ = i;
    }
    channels_ = zarr::ReadOmeroChannels(*listing.attributes, warnings);
    if (!channels_.empty() && axis_ &&
        channels_.size() != facts.dimensions[layout.other_axes[*axis_]].size)
        warnings.push_back("omero.channels: describes " + std::to_string(channels_.size()) +
                           " channels, the array has " +
                           std::to_string(facts.dimensions[layout.other_axes[*axis_]].size));
}

const zarr::OmeroChannel* OmeChannels::Find(const std::vector<std::uint64_t>& indices) const {
    // An image without a channel axis is one channel.
    const std::uint64_t index = axis_ ? indices[*axis_] : 0;
    return index < channels_.size() ? &channels_[index] : nullptr;
}

void AddChannelMetadata(const zarr::OmeroChannel& channel, CPLStringList& list) {
    const auto set = [&list](const char* name, const std::string& value) {
        list.SetNameValue(name, value.c_str());
    };
    if (!channel.label.empty()) set("OMERO_LABEL", channel.label);
    if (channel.colour) {
        const auto& [red, green, blue] = *channel.colour;
        set("OMERO_COLOR", CPLSPrintf("%02X%02X%02X", red, green, blue));
    }
    const std::pair<const char*, const std::optional<double>*> numbers[] = {
        {"OMERO_MIN", &channel.min},
        {"OMERO_MAX", &channel.max},
        {"OMERO_START", &channel.start},
        {"OMERO_END", &channel.end}};
    for (const auto& [name, number] : numbers)
        if (*number) set(name, zarr::DoubleText(**number));
    if (channel.active) set("OMERO_ACTIVE", *channel.active ? "YES" : "NO");
}

GDALColorInterp ColorOf(const zarr::OmeroChannel& channel) {
    using Colour = std::array<std::uint8_t, 3>;
    if (!channel.colour) return GCI_Undefined;
    if (*channel.colour == Colour{255, 0, 0}) return GCI_RedBand;
    if (*channel.colour == Colour{0, 255, 0}) return GCI_GreenBand;
    if (*channel.colour == Colour{0, 0, 255}) return GCI_BlueBand;
    return GCI_Undefined;
}

void AddOmeUnits(const RasterLayout& layout, const zarr::LevelListing& listing,
                 CPLStringList& list) {
    const std::vector<zarr::OmeAxis> axes =
        zarr::FindOmeAxes(listing.levels, layout.facts.metadata.rank());
    if (axes.empty()) return;
    if (layout.x_axis && !axes[*layout.x_axis].unit.empty())
        list.SetNameValue("OME_UNIT_X", axes[*layout.x_axis].unit.c_str());
    if (layout.y_axis && !axes[*layout.y_axis].unit.empty())
        list.SetNameValue("OME_UNIT_Y", axes[*layout.y_axis].unit.c_str());
}

}  // namespace zarr_driver
