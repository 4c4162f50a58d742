// SPDX-License-Identifier: MIT
// The one table of codecs: numcodecs' id -> how to make it from its configuration.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"

namespace zarr {

// Makes the codec that `config` (the JSON object with its "id") describes. Errors are kCorrupt for
// a bad configuration, kUnsupported for an id that is unknown or left out on purpose.
Result<std::unique_ptr<Codec>> MakeCodec(const json::Value& config, const CodecContext& context);

// The same for a codec of objects; nullptr where the id names a codec of another kind.
Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const json::Value& config,
                                                     const CodecContext& context);

// The ids of the table, in its order.
std::vector<std::string_view> CodecIds();

}  // namespace zarr
