// SPDX-License-Identifier: MIT
#include "autotest/fuzz/packed_store.h"

#include <string>
#include <string_view>

#include "core/store/keys.h"

namespace zarr::fuzz {

std::shared_ptr<MemoryStore> UnpackStore(ByteSpan input) {
    constexpr std::string_view kMark = "=== ";
    constexpr std::string_view kNext = "\n=== ";
    auto store = std::make_shared<MemoryStore>();
    std::string_view rest = input.text();
    if (rest.substr(0, kMark.size()) != kMark) return store;
    while (!rest.empty()) {
        rest.remove_prefix(kMark.size());
        const std::size_t end_of_line = rest.find('\n');
        if (end_of_line == std::string_view::npos) break;
        const std::string key(rest.substr(0, end_of_line));
        rest.remove_prefix(end_of_line + 1);
        const std::size_t end = rest.find(kNext);
        if (IsValidKey(key)) (void)store->Set(key, ByteSpan(rest.substr(0, end)));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    return store;
}

}  // namespace zarr::fuzz
