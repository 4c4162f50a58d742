// SPDX-License-Identifier: MIT
// The filter chain of an lzma stream, which a RAW one has no header to say, from the list of
// objects that Python's lzma module takes
// (https://docs.python.org/3/library/lzma.html#filter-specs).
#pragma once

#include <lzma.h>

#include <array>
#include <cstdint>

#include "core/json/value.h"

namespace zarr {

// The most that lzma may allocate to encode: eleven times the dictionary, which the largest preset
// makes 64 MiB.
inline constexpr std::uint64_t kLzmaEncoderMemory = std::uint64_t{1} << 30;

// Points into itself, so it cannot be copied.
class LzmaFilterChain {
  public:
    LzmaFilterChain() { chain_[0] = {LZMA_VLI_UNKNOWN, nullptr}; }
    ~LzmaFilterChain() = default;
    LzmaFilterChain(const LzmaFilterChain&) = delete;
    LzmaFilterChain& operator=(const LzmaFilterChain&) = delete;

    // Reads the list `filters`. Members that only matter for encoding (mode, nice_len, mf, depth)
    // are not looked at to decode. Fails with kCorrupt on what is no valid chain, to encode also
    // with kLimit where it takes more than kLzmaEncoderMemory.
    enum class Purpose { kDecode, kEncode };
    Status Parse(const json::Value& filters, Purpose purpose);
    // The one filter LZMA1 or LZMA2, `id`, of `preset`.
    Status SetPreset(lzma_vli id, std::uint32_t preset);

    // As liblzma takes it; empty before Parse().
    const lzma_filter* chain() const { return chain_.data(); }

  private:
    struct Options {
        lzma_options_lzma lzma = {};
        lzma_options_delta delta = {};
        lzma_options_bcj bcj = {};
    };

    static Status ParseFilter(const json::Value& spec, Purpose purpose, lzma_filter& filter,
                              Options& options);

    std::array<Options, LZMA_FILTERS_MAX> options_ = {};
    std::array<lzma_filter, LZMA_FILTERS_MAX + 1> chain_ = {};
};

}  // namespace zarr
