// SPDX-License-Identifier: MIT
// astype: numbers stored in another type (numcodecs.AsType). `encode_dtype` is the stored one.
#include "core/codec/converting.h"
#include "core/codec/numeric.h"

namespace zarr {

CodecResult MakeAsType(const json::Value& config, const CodecContext& /*context*/) {
    ZARR_ASSIGN_OR_RETURN(const DataType encoded, NumberMember(config, "encode_dtype"));
    ZARR_ASSIGN_OR_RETURN(const DataType decoded, NumberMember(config, "decode_dtype"));
    return MakeConverting(encoded, decoded);
}

}  // namespace zarr
