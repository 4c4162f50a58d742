// SPDX-License-Identifier: MIT
#include "core/base/decompressor.h"

#include <libdeflate.h>

#include <memory>

namespace zarr {

namespace {

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

}  // namespace

libdeflate_decompressor* ThreadsDecompressor() {
    thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> own(
        libdeflate_alloc_decompressor());
    return own.get();
}

}  // namespace zarr
