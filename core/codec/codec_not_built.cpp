// SPDX-License-Identifier: MIT
#include "core/codec/codec_not_built.h"

#include <algorithm>
#include <string>

#include "core/codec/codec_spec.h"

namespace zarr {

namespace {

// Returns the codecs whose macro ZARR_WITH_... is 0; core/CMakeLists.txt sets it to 0 or 1.
std::vector<LeftOutCodec> FindLeftOutCodecs() {
    const struct {
        bool is_built;
        LeftOutCodec codec;
    } optional[] = {
        {ZARR_WITH_BZ2 != 0, {"bz2", "libbz2", "ZARR_WITH_BZ2"}},
        {ZARR_WITH_LERC != 0, {"imagecodecs_lerc", "liblerc", "ZARR_WITH_LERC"}},
        {ZARR_WITH_LZMA != 0, {"lzma", "liblzma", "ZARR_WITH_LZMA"}},
        {ZARR_WITH_TIFF != 0, {"imagecodecs_tiff", "libtiff", "ZARR_WITH_TIFF"}},
        {ZARR_WITH_ZFP != 0, {"zfp", "libzfp", "ZARR_WITH_ZFP"}},
        {ZARR_WITH_ZFP != 0, {"zfpy", "libzfp", "ZARR_WITH_ZFP"}},
    };
    std::vector<LeftOutCodec> left_out;
    for (const auto& item : optional)
        if (!item.is_built) left_out.push_back(item.codec);
    return left_out;
}

}  // namespace

const std::vector<LeftOutCodec>& LeftOutCodecs() {
    // Never destroyed, because other threads may still use the list while the process ends.
    static const auto& codecs = *new std::vector<LeftOutCodec>(FindLeftOutCodecs());
    return codecs;
}

bool IsLeftOut(std::string_view name) {
    const std::vector<LeftOutCodec>& codecs = LeftOutCodecs();
    return std::any_of(codecs.begin(), codecs.end(),
                       [&](const LeftOutCodec& codec) { return codec.name == name; });
}

Status CheckBuilt(std::string_view name) {
    const std::string_view id = WithoutNumcodecsPrefix(name);
    for (const LeftOutCodec& codec : LeftOutCodecs())
        if (codec.name == id)
            return Status::Unsupported("codec " + std::string(id) + ": this build has no " +
                                       std::string(codec.library) + " (" +
                                       std::string(codec.option) + "=OFF)");
    return {};
}

}  // namespace zarr
