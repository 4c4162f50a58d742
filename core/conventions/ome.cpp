// SPDX-License-Identifier: MIT
#include "core/conventions/ome.h"

#include <algorithm>

namespace zarr {

namespace {

bool Lists(const json::Value& multiscale, std::string_view level) {
    const json::Value* datasets = multiscale.Find("datasets");
    const json::Array* items = datasets != nullptr ? datasets->as_array() : nullptr;
    return items != nullptr && std::any_of(items->begin(), items->end(), [&](const json::Value& v) {
               const std::string* path = StringAttribute(v, "path");
               return path != nullptr && *path == level;
           });
}

OmeAxis Describe(const json::Value& axis) {
    OmeAxis described;
    if (const std::string* name = axis.as_string()) described.name = *name;  // version 0.3
    if (const std::string* name = StringAttribute(axis, "name")) described.name = *name;
    if (const std::string* unit = StringAttribute(axis, "unit")) described.unit = *unit;
    const std::string* type = StringAttribute(axis, "type");
    if (type == nullptr || *type == "space" || *type == "time")
        described.role = RoleFromName(described.name);
    return described;
}

}  // namespace

std::vector<OmeAxis> FindOmeAxes(const json::Value& group_attributes, std::string_view name,
                                 std::size_t rank) {
    const json::Value* multiscales = group_attributes.Find("multiscales");
    const json::Array* scales = multiscales != nullptr ? multiscales->as_array() : nullptr;
    for (std::size_t i = 0; scales != nullptr && i < scales->size(); ++i) {
        if (!Lists((*scales)[i], name)) continue;
        std::vector<OmeAxis> axes;
        const json::Value* listed = (*scales)[i].Find("axes");
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
