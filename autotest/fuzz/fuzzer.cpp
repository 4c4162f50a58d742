// SPDX-License-Identifier: MIT
// Entry point of libFuzzer. Each fuzzer compiles this file for its own target.
#include <cstddef>
#include <cstdint>

#include "autotest/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const zarr::fuzz::Target* const target = [] {
        for (const zarr::fuzz::Target& candidate : zarr::fuzz::Targets())
            if (candidate.name == ZARR_FUZZ_TARGET) return &candidate;
        zarr::fuzz::Check(false, "there is a target " ZARR_FUZZ_TARGET);
        return static_cast<const zarr::fuzz::Target*>(nullptr);
    }();
    target->run({data, size});
    return 0;
}
