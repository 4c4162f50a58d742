// SPDX-License-Identifier: MIT
// Zarr's data types as those of GDAL's multidimensional API.
#pragma once

#include <gdal_priv.h>

#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// Most fields of a structured type, items of subarrays counted one by one.
inline constexpr std::size_t kMaxFields = 65536;

// A member of a structured type, or an item of one that is a subarray: "name", "name[3]".
struct StructMember {
    std::string name;
    zarr::DataType type;
    std::size_t offset = 0;  // bytes from the start of the stored element
};

// The members of a structured type, one level deep. kLimit where there are too many.
zarr::Result<std::vector<StructMember>> StructMembers(const zarr::DataType& type);

// The type that shows elements of `type`: numbers and times as GdalTypeOf() has them; strings and
// objects as strings in UTF-8; raw bytes as strings in base64; structures as compounds of these, at
// aligned offsets. Compounds are called `name`, and those inside them `name`_member.
zarr::Result<GDALExtendedDataType> ExtendedTypeOf(const zarr::DataType& type,
                                                  const std::string& name);

}  // namespace zarr_driver
