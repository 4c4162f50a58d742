// SPDX-License-Identifier: MIT
#include "core/conventions/ome.h"

#include <algorithm>

namespace zarr {

namespace {

OmeAxis Describe(const json::Value& axis) {
    OmeAxis described;
    if (const std::string* name = axis.as_string()) described.name = *name;  // version 0.3
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

std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank) {
    for (const MultiscaleLevel& level : levels) {
        std::vector<OmeAxis> axes;
        const json::Value* listed = level.multiscale->Find("axes");
        if (listed == nullptr && rank == 5)
            for (const char* axis : {"t", "c", "z", "y", "x"})
                axes.push_back(Describe(json::Value(std::string(axis))));
        const json::Array* items = listed != nullptr ? listed->as_array() : nullptr;
        for (std::size_t j = 0; items != nullptr && j < items->size(); ++j)
            axes.push_back(Describe((*items)[j]));
        const bool named = std::all_of(axes.begin(), axes.end(),
                                       [](const OmeAxis& axis) { return !axis.name.empty(); });
        if (named && axes.size() == rank) return axes;
    }
    return {};
}

}  // namespace zarr
