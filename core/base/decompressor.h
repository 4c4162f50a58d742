// SPDX-License-Identifier: MIT
#pragma once

struct libdeflate_decompressor;

namespace zarr {

// Returns the calling thread's libdeflate decompressor, made on first use because its tables are
// costly to build; nullptr if memory runs out.
libdeflate_decompressor* ThreadDecompressor();

}  // namespace zarr
