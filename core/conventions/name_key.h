// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace zarr {

// What names of one thing have in common when they are spelt "WGS 84", "WGS_84" or "wgs84": the
// ASCII letters and digits, in lower case.
inline std::string NameKey(std::string_view name) {
    std::string key;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z')
            key += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            key += c;
    }
    return key;
}

}  // namespace zarr
