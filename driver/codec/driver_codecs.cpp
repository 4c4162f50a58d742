// SPDX-License-Identifier: MIT
#include "driver/codec/driver_codecs.h"

#include <vector>

#include "core/codec/registry.h"
#include "driver/codec/grib_codec.h"
#include "driver/codec/image_codec.h"
#include "driver/codec/image_formats.h"

namespace zarr_driver {

namespace {

std::vector<zarr::ProvidedCodec> ListDriverCodecs() {
    std::vector<zarr::ProvidedCodec> codecs;
    for (const std::string_view id : kImageCodecs)
        codecs.push_back({id, zarr::CodecClass::kBytesToBytes, MakeImageCodec});
    for (const std::string_view id : {"grib", "gribberish"})
        codecs.push_back({id, zarr::CodecClass::kArrayToBytes, MakeGribCodec});
    return codecs;
}

}  // namespace

void ProvideDriverCodecs() {
    // Never destroyed, because other threads may still use the list while the process ends.
    static const auto& codecs = *new std::vector<zarr::ProvidedCodec>(ListDriverCodecs());
    zarr::ProvideCodecs(codecs);
}

}  // namespace zarr_driver
