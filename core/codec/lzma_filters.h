// SPDX-License-Identifier: MIT
// The filter chain of a RAW lzma stream, which has no header to say it, from the list of objects
// that Python's lzma module takes (https://docs.python.org/3/library/lzma.html#filter-specs).
#pragma once

#include <lzma.h>

#include <array>
#include <cstdint>

#include "core/json/value.h"

namespace zarr {

// The most that a decoder of lzma may allocate; nearly all of it is the dictionary, which the
// largest preset makes 64 MiB and nothing but a damaged or hostile header makes gigabytes.
inline constexpr std::uint64_t kLzmaMemoryLimit = std::uint64_t{1} << 30;

// Points into itself, so it cannot be copied.
class LzmaFilterChain {
  public:
    LzmaFilterChain() { chain_[0] = {LZMA_VLI_UNKNOWN, nullptr}; }
    ~LzmaFilterChain() = default;
    LzmaFilterChain(const LzmaFilterChain&) = delete;
    LzmaFilterChain& operator=(const LzmaFilterChain&) = delete;

    // Reads the list `filters`. Members that only matter for encoding (mode, nice_len, mf, depth)
    // are not looked at. Fails with kCorrupt on what is no valid chain, with kLimit where it takes
    // more than kLzmaMemoryLimit.
    Status Parse(const json::Value& filters);

    // As liblzma takes it; empty before Parse().
    const lzma_filter* chain() const { return chain_.data(); }

  private:
    struct Options {
        lzma_options_lzma lzma = {};
        lzma_options_delta delta = {};
        lzma_options_bcj bcj = {};
    };

    static Status ParseFilter(const json::Value& spec, lzma_filter& filter, Options& options);

    std::array<Options, LZMA_FILTERS_MAX> options_ = {};
    std::array<lzma_filter, LZMA_FILTERS_MAX + 1> chain_ = {};
};

}  // namespace zarr
