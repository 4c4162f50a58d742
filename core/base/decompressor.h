// SPDX-License-Identifier: MIT
#pragma once

struct libdeflate_decompressor;

namespace zarr {

// Returns the calling thread's libdeflate decompressor; nullptr if memory runs out. Each thread
// makes its decompressor once, because building the tables is costly.
libdeflate_decompressor* ThreadDecompressor();

}  // namespace zarr
