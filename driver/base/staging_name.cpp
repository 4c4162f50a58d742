// SPDX-License-Identifier: MIT
#include "driver/base/staging_name.h"

#include <string_view>

namespace zarr_driver {

namespace {

constexpr std::string_view kStagingSuffix = ".partial";

bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string StagingStorePath(const std::string& path, unsigned number) {
    return path + "." + std::to_string(number) + std::string(kStagingSuffix);
}

std::string FinalName(const std::string& path) {
    for (std::size_t end = path.find(kStagingSuffix); end != std::string::npos;
         end = path.find(kStagingSuffix, end + 1)) {
        const std::size_t after = end + kStagingSuffix.size();
        // A staging name ends with the path or before "/", "}" or ": ", as in
        // "/vsizip/{x.zip.0.partial}/" and "x.zarr.0.partial: /a".
        const bool is_whole = after == path.size() || path[after] == '/' || path[after] == '}' ||
                              path.compare(after, 2, ": ") == 0;
        std::size_t dot = end;
        while (dot > 0 && IsDecimalDigit(path[dot - 1])) --dot;
        if (!is_whole || dot == end || dot == 0 || path[dot - 1] != '.') continue;
        std::string name = path.substr(0, dot - 1);
        const std::size_t brace =
            after < path.size() && path[after] == '}' ? name.find('{') : std::string::npos;
        if (brace == std::string::npos) return name + path.substr(after);
        return name.erase(brace, 1) + path.substr(after + 1);
    }
    return path;
}

}  // namespace zarr_driver
