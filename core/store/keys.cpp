// SPDX-License-Identifier: MIT
#include "core/store/keys.h"

#include <algorithm>

#include "core/base/text.h"

namespace zarr {

Result<std::string> NormalizePath(std::string_view path) {
    std::string normal;
    std::string segment;
    for (std::size_t i = 0; i <= path.size(); ++i) {
        const char c = i < path.size() ? path[i] : '/';
        if (c == '\0') return Status::Invalid("path " + Quoted(path) + " contains a NUL character");
        if (c != '/' && c != '\\') {
            segment += c;
            continue;
        }
        if (segment == "." || segment == "..")
            return Status::Invalid("path " + Quoted(path) + " has a segment \"" + segment +
                                   "\", which would leave its group");
        if (!segment.empty()) normal = JoinKey(normal, segment);
        segment.clear();
    }
    return normal;
}

bool IsValidKey(std::string_view key) {
    if (key.empty() || key.size() > kMaxKeyLength) return false;
    const auto normal = NormalizePath(key);
    return normal.ok() && *normal == key;
}

Status CheckKey(std::string_view key) {
    return IsValidKey(key) ? Status() : Status::Invalid(Quoted(key) + ": not a valid key");
}

std::string JoinKey(std::string_view path, std::string_view name) {
    std::string key(path);
    if (!key.empty()) key += '/';
    key += name;
    return key;
}

std::string_view ParentPath(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view LastName(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool IsAtOrBelow(std::string_view path, std::string_view group) {
    if (group.empty()) return true;
    return path.substr(0, group.size()) == group &&
           (path.size() == group.size() || path[group.size()] == '/');
}

}  // namespace zarr
