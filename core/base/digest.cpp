// SPDX-License-Identifier: MIT
#include "core/base/digest.h"

#include <libdeflate.h>

namespace zarr {

std::uint32_t Crc32Of(ByteSpan bytes) { return libdeflate_crc32(0, bytes.data, bytes.size); }

}  // namespace zarr
