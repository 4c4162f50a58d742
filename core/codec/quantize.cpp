// SPDX-License-Identifier: MIT
// quantize: floats rounded to `digits` decimals, possibly stored in a smaller type
// (numcodecs.Quantize). The rounding is not undone.
#include "core/codec/converting.h"
#include "core/codec/numeric.h"
#include "core/json/members.h"

namespace zarr {

namespace {

Status CheckFloat(const DataType& type, std::string_view key) {
    if (type.kind == DataKind::kFloat) return {};
    return Status::Corrupt(std::string(key) + ": expected a floating point type, got " +
                           type.ToString());
}

}  // namespace

CodecResult MakeQuantize(const json::Value& config, const CodecContext& /*context*/) {
    ZARR_ASSIGN_OR_RETURN(const DataType dtype, NumberMember(config, "dtype"));
    ZARR_ASSIGN_OR_RETURN(const DataType astype, OptionalNumberMember(config, "astype", dtype));
    ZARR_RETURN_IF_ERROR(CheckFloat(dtype, "dtype"));
    ZARR_RETURN_IF_ERROR(CheckFloat(astype, "astype"));
    return MakeConverting(astype, dtype);
}

}  // namespace zarr
