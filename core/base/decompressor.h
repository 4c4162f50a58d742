// SPDX-License-Identifier: MIT
#pragma once

struct libdeflate_decompressor;

namespace zarr {

// libdeflate's decompressor of this thread, which holds tables that are costly to make; nullptr
// without memory for them.
libdeflate_decompressor* ThreadsDecompressor();

}  // namespace zarr
