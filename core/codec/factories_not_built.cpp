// SPDX-License-Identifier: MIT
// Factory functions of the codecs that this build lacks. They are needed to link the registry,
// which returns an error before it would call them.
#include "core/codec/codec_not_built.h"
#include "core/codec/factories.h"

namespace zarr {

#if !ZARR_WITH_BZ2
CodecResult MakeBz2(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return CheckBuilt("bz2");
}
#endif
#if !ZARR_WITH_LERC
CodecResult MakeLerc(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return CheckBuilt("imagecodecs_lerc");
}
#endif
#if !ZARR_WITH_LZMA
CodecResult MakeLzma(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return CheckBuilt("lzma");
}
#endif
#if !ZARR_WITH_TIFF
CodecResult MakeTiff(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return CheckBuilt("imagecodecs_tiff");
}
#endif
#if !ZARR_WITH_ZFP
CodecResult MakeZfp(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return CheckBuilt("zfp");
}
CodecResult MakeZfpy(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return CheckBuilt("zfpy");
}
#endif

}  // namespace zarr
