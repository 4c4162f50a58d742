// SPDX-License-Identifier: MIT
#include "core/grid/chunk_key.h"

namespace zarr {

namespace {

void AppendIndices(std::string& text, const DimVector<std::uint64_t>& chunk,
                   std::string_view separator) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
        if (i != 0) text += separator;
        text += std::to_string(chunk[i]);
    }
}

}  // namespace

std::string ChunkKey(std::string_view array_path, const DimVector<std::uint64_t>& chunk,
                     char separator) {
    std::string key(array_path);
    if (!key.empty()) key += '/';
    if (chunk.empty()) return key + "0";
    AppendIndices(key, chunk, {&separator, 1});
    return key;
}

std::string ChunkText(const DimVector<std::uint64_t>& chunk) {
    std::string text = "[";
    AppendIndices(text, chunk, ", ");
    return text + "]";
}

bool LooksLikeChunk(std::string_view name) {
    bool is_digit_before = false;
    for (const char c : name) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && !(c == '.' && is_digit_before)) return false;
        is_digit_before = is_digit;
    }
    return is_digit_before;
}

}  // namespace zarr
