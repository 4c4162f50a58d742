// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <cstddef>
#include <vector>

#include "core/base/status.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// One number or string of an element, as it is stored and as a GDAL type has it.
struct ExtendedLeaf {
    zarr::DataType type;
    GDALExtendedDataType gdal_type;
    std::size_t offset = 0;       // in the stored element, in bytes
    std::size_t gdal_offset = 0;  // in GDAL's
};

enum class Members : std::uint8_t { kAnyOf, kAllOf };

// The leaves of a dtype with those of a GDAL type; the members of structures go together by name.
// Fails where one is a structure and the other is not and, with kAllOf, where the GDAL type lacks a
// member. Members that only the GDAL type has are left out.
zarr::Result<std::vector<ExtendedLeaf>> PairLeaves(const zarr::DataType& stored,
                                                   const GDALExtendedDataType& gdal,
                                                   Members members);

}  // namespace zarr_driver
