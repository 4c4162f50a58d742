// SPDX-License-Identifier: MIT
#pragma once

#include "core/codec/factories.h"

namespace zarr {

// A codec that only converts numbers: `encoded` is their stored type, `decoded` the type to give.
CodecResult MakeConverting(const DataType& encoded, const DataType& decoded);

}  // namespace zarr
