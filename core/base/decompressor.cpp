// SPDX-License-Identifier: MIT
#include "core/base/decompressor.h"

#include <libdeflate.h>

#include <memory>

#include "core/base/threads.h"

namespace zarr {

namespace {

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

}  // namespace

libdeflate_decompressor* ThreadDecompressor() {
    auto& own = ThreadLocalObject<std::unique_ptr<libdeflate_decompressor, FreeDecompressor>>();
    if (own == nullptr) own.reset(libdeflate_alloc_decompressor());
    return own.get();
}

}  // namespace zarr
