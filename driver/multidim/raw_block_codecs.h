// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <cpl_string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// Returns creation options of an array that stores the blocks of another format as its chunks.
// `info` is GDALMDArrayRawBlockInfo::papszInfo: "COMPRESSION=DEFLATE", "FILTER=SHUFFLE" and
// "ENDIANNESS=BIG" or "LITTLE". `blocks` is the block shape. Returns kUnsupported for any other
// item.
zarr::Result<CPLStringList> ArrayOptionsOf(CSLConstList info,
                                           const std::vector<std::uint64_t>& blocks,
                                           std::size_t element_size);

}  // namespace zarr_driver
