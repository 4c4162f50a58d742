// SPDX-License-Identifier: MIT
#include "core/conventions/lookup.h"

#include "core/store/keys.h"

namespace zarr {

std::string FindVariable(const Hierarchy& hierarchy, const std::string& group,
                         const std::string& name) {
    const auto normal = NormalizePath(name);
    if (!normal.ok() || normal->empty()) return {};
    const auto is_array = [&](const std::string& path) {
        const auto found = hierarchy.Has(JoinKey(path, kArrayKey));
        return found.ok() && *found;
    };
    if (name[0] == '/') return is_array(*normal) ? *normal : std::string();
    std::string_view at = group;
    for (;; at = ParentPath(at)) {
        std::string path = JoinKey(at, *normal);
        if (is_array(path)) return path;
        if (at.empty()) return {};
    }
}

json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings) {
    auto attributes = hierarchy.Attributes(path);
    if (attributes.ok()) return attributes.Take();
    warnings.push_back(attributes.status().message());
    return json::Value(json::Object{});
}

}  // namespace zarr
