// SPDX-License-Identifier: MIT
#include "core/codec/codec.h"

namespace zarr {

SizeBound CompressedBound(SizeBound decoded) {
    return {SaturatingAdd(SaturatingAdd(decoded.max, decoded.max / 8), 1024), false};
}

}  // namespace zarr
