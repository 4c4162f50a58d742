// SPDX-License-Identifier: MIT
#include "core/conventions/ome/ome_axes.h"

#include <algorithm>

#include "core/conventions/attributes/axis_roles.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Reads an axis, which is an object, or a name in version 0.3.
OmeAxis DescribeOmeAxis(const json::Value& axis) {
    OmeAxis described;
    // OME-NGFF 0.3 writes only the name of an axis.
    if (const std::string* name = axis.as_string()) described.name = *name;
    if (const std::string* name = StringAttribute(axis, "name")) described.name = *name;
    if (const std::string* unit = StringAttribute(axis, "unit")) described.unit = *unit;
    const std::string* type = StringAttribute(axis, "type");
    if (type == nullptr || *type == "space" || *type == "time")
        described.role = RoleFromName(described.name);
    described.is_channel =
        type != nullptr ? *type == "channel" : described.name == "c" || described.name == "channel";
    return described;
}

}  // namespace

std::vector<OmeAxis> ReadOmeAxes(const json::Value* listed) {
    std::vector<OmeAxis> axes;
    const json::Array* items = listed != nullptr ? listed->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
        axes.push_back(DescribeOmeAxis((*items)[i]));
    return axes;
}

std::string OmeSystemName(const json::Value* reference) {
    if (reference == nullptr) return {};
    if (reference->as_string() != nullptr) return *reference->as_string();
    const std::string* name = StringAttribute(*reference, "name");
    return name != nullptr ? *name : std::string();
}

std::vector<OmeAxis> OmeSystemAxes(const json::Value& multiscale, const std::string& name) {
    const json::Value* systems = multiscale.Find("coordinateSystems");
    const json::Array* items = systems != nullptr ? systems->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && !name.empty() && i < items->size(); ++i)
        if (OmeSystemName(&(*items)[i]) == name) return ReadOmeAxes((*items)[i].Find("axes"));
    return {};
}

std::vector<OmeAxis> OmeAxesOf(const MultiscaleLevel& level) {
    if (const json::Value* listed = level.multiscale->Find("axes")) return ReadOmeAxes(listed);
    const json::Value* systems = level.multiscale->Find("coordinateSystems");
    const json::Array* items = systems != nullptr ? systems->as_array() : nullptr;
    if (items == nullptr || items->empty()) return {};
    const json::Value* steps = level.dataset->Find("coordinateTransformations");
    const json::Array* own = steps != nullptr ? steps->as_array() : nullptr;
    for (std::size_t i = 0; own != nullptr && i < own->size(); ++i) {
        auto axes = OmeSystemAxes(*level.multiscale, OmeSystemName((*own)[i].Find("output")));
        if (!axes.empty()) return axes;
    }
    return ReadOmeAxes((*items)[0].Find("axes"));
}

std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank) {
    for (const MultiscaleLevel& level : levels) {
        std::vector<OmeAxis> axes = OmeAxesOf(level);
        const bool is_silent = level.multiscale->Find("axes") == nullptr &&
                               level.multiscale->Find("coordinateSystems") == nullptr;
        if (is_silent && rank == 5)
            for (const char* axis : {"t", "c", "z", "y", "x"})
                axes.push_back(DescribeOmeAxis(json::Value(std::string(axis))));
        const bool named = std::all_of(axes.begin(), axes.end(),
                                       [](const OmeAxis& axis) { return !axis.name.empty(); });
        if (named && axes.size() == rank) return axes;
    }
    return {};
}

bool IsOmeImage(const LevelListing& listing, std::size_t rank) {
    return listing.is_listed() && OmeMember(*listing.attributes, "image-label") == nullptr &&
           !FindOmeAxes(listing.levels, rank).empty();
}

}  // namespace zarr
