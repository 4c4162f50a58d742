// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <cpl_string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// Returns the creation options of an array whose chunks are the blocks of another format. `info` is
// GDALMDArrayRawBlockInfo::papszInfo of such a block: "COMPRESSION=DEFLATE", "FILTER=SHUFFLE" and
// "ENDIANNESS=BIG" or "LITTLE". `blocks` is the shape of a block. Returns kUnsupported if `info`
// names anything else.
zarr::Result<CPLStringList> ArrayOptionsOf(CSLConstList info,
                                           const std::vector<std::uint64_t>& blocks,
                                           std::size_t element_size);

}  // namespace zarr_driver
