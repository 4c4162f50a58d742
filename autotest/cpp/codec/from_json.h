// SPDX-License-Identifier: MIT
// Makes codecs from JSON configurations of numcodecs (Zarr v2).
#pragma once

#include <memory>

#include "core/codec/pipeline.h"
#include "core/codec/registry.h"

namespace zarr::test {

// Returns a pipeline of `codecs`: one codec, or an array of codecs in the order of encoding.
inline Result<Pipeline> BindJson(const json::Value& codecs, const CodecContext& context) {
    const bool is_list = codecs.as_array() != nullptr;
    ZARR_ASSIGN_OR_RETURN(
        const std::vector<CodecSpec> specs,
        ParseNumcodecs(is_list ? codecs : json::Value(), is_list ? json::Value() : codecs));
    return Pipeline::Bind(specs, context);
}

inline Result<std::unique_ptr<Codec>> MakeFromJson(const json::Value& config,
                                                   const CodecContext& context = {}) {
    ZARR_ASSIGN_OR_RETURN(const CodecSpec spec, ParseNumcodecs(config, "compressor"));
    return MakeCodec(spec, context);
}

}  // namespace zarr::test
