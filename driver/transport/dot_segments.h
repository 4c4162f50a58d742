// SPDX-License-Identifier: MIT
// Segments "." and ".." in the locations that documents of references state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace zarr_driver {

// True if a segment of `path` is "." or "..".
inline bool HasDotSegments(std::string_view path) {
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t end = std::min(path.find('/', from), path.size());
        const std::string_view segment = path.substr(from, end - from);
        if (segment == "." || segment == "..") return true;
        from = end + 1;
    }
    return false;
}

// Returns `folder` followed by the relative path `location`, whose segments "." and ".." are
// resolved without looking at links. The first `root` bytes of `folder` always remain, as in URLs
// (RFC 3986, section 5.2.4). Repeated slashes of `location` become one.
inline std::string JoinResolved(std::string folder, std::size_t root, std::string_view location) {
    for (std::size_t from = 0; from <= location.size();) {
        const std::size_t end = std::min(location.find('/', from), location.size());
        const std::string_view segment = location.substr(from, end - from);
        from = end + 1;
        if (segment == "..") {
            const std::size_t slash = folder.rfind('/');
            folder.resize(
                std::min(folder.size(), std::max(root, slash == std::string::npos ? 0 : slash)));
        } else if (!segment.empty() && segment != ".") {
            folder.append("/").append(segment);
        }
    }
    return folder;
}

}  // namespace zarr_driver
