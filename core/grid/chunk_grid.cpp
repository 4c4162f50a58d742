// SPDX-License-Identifier: MIT
#include "core/grid/chunk_grid.h"

#include <algorithm>
#include <charconv>

#include "core/base/checked.h"

namespace zarr {

namespace {

constexpr std::string_view kPrefix = "c";

void AppendIndices(std::string& text, const DimVector<std::uint64_t>& chunk,
                   std::string_view separator) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
        if (i != 0) text += separator;
        text += std::to_string(chunk[i]);
    }
}

}  // namespace

std::string ChunkKey(std::string_view array_path, const DimVector<std::uint64_t>& chunk,
                     const ChunkKeyEncoding& encoding) {
    std::string key(array_path);
    if (!key.empty()) key += '/';
    if (encoding.has_prefix) {
        key += kPrefix;
        if (chunk.empty()) return key;
        key += encoding.separator;
    }
    if (chunk.empty()) return key + "0";
    AppendIndices(key, chunk, {&encoding.separator, 1});
    return key;
}

std::optional<DimVector<std::uint64_t>> ParseChunkName(std::string_view name, std::size_t rank,
                                                       const ChunkKeyEncoding& encoding) {
    DimVector<std::uint64_t> chunk;
    const char separator = encoding.separator;
    if (encoding.has_prefix) {
        if (name.substr(0, 1) != kPrefix) return std::nullopt;
        name.remove_prefix(1);
        if (rank == 0) return name.empty() ? std::optional(chunk) : std::nullopt;
        if (name.empty() || name[0] != separator) return std::nullopt;
        name.remove_prefix(1);
    }
    if (rank == 0) return name == "0" ? std::optional(chunk) : std::nullopt;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t end = i + 1 < rank ? name.find(separator) : name.size();
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view digits = name.substr(0, end);
        std::uint64_t index = 0;
        const auto [rest, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), index);
        const bool has_zero_before = digits.size() > 1 && digits[0] == '0';
        if (error != std::errc() || rest != digits.data() + digits.size() || has_zero_before)
            return std::nullopt;
        chunk.push_back(index);
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return chunk;
}

std::string ChunkText(const DimVector<std::uint64_t>& chunk) {
    std::string text = "[";
    AppendIndices(text, chunk, ", ");
    return text + "]";
}

bool LooksLikeChunk(std::string_view name, bool has_prefix) {
    if (has_prefix) {
        if (name.substr(0, 1) != kPrefix) return false;
        name.remove_prefix(1);
        if (name.empty()) return true;
        if (name[0] != '.') return false;
        name.remove_prefix(1);
    }
    bool is_digit_before = false;
    for (const char c : name) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && !(c == '.' && is_digit_before)) return false;
        is_digit_before = is_digit;
    }
    return is_digit_before;
}

namespace {

bool Fits(const std::vector<std::uint64_t>& chunks, std::size_t element_size) {
    std::uint64_t bytes = element_size;
    for (const std::uint64_t size : chunks) {
        const auto product = CheckedMul(bytes, size);
        if (!product) return false;
        bytes = *product;
    }
    return bytes <= kDefaultChunkBytes;
}

}  // namespace

std::vector<std::uint64_t> DefaultChunks(const std::vector<std::uint64_t>& shape,
                                         std::size_t element_size) {
    std::vector<std::uint64_t> chunks = shape;
    for (std::uint64_t& size : chunks) size = std::max<std::uint64_t>(size, 1);
    while (!Fits(chunks, element_size)) {
        // Halve the longest side. If several sides are longest, max_element() takes the first, so
        // that sides along the last dimensions, which are contiguous in memory, stay long.
        const auto longest = std::max_element(chunks.begin(), chunks.end());
        if (longest == chunks.end() || *longest == 1) break;
        *longest = CeilDiv(*longest, 2);
    }
    return chunks;
}

std::vector<std::uint64_t> DefaultShard(const std::vector<std::uint64_t>& shape,
                                        const std::vector<std::uint64_t>& chunks,
                                        std::uint64_t element_size) {
    std::vector<std::uint64_t> shard = chunks;
    std::uint64_t bytes = element_size;
    for (const std::uint64_t size : chunks) bytes = SaturatingMul(bytes, size);
    const auto grow = [&](std::size_t first, std::size_t last) {
        for (bool has_grown = true; has_grown;) {
            has_grown = false;
            for (std::size_t i = last; i-- > first;) {
                if (shard[i] >= shape[i] || bytes > kDefaultShardBytes / 2) continue;
                shard[i] *= 2;
                bytes *= 2;
                has_grown = true;
            }
        }
    };
    const std::size_t rank = shard.size();
    grow(rank > 2 ? rank - 2 : 0, rank);
    if (rank > 2) grow(0, rank - 2);
    return shard;
}

}  // namespace zarr
