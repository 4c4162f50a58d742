// SPDX-License-Identifier: MIT
// Decodes values that are stored as text in Kerchunk's references (kerchunk's "References
// specification").
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr {

// Prefix of texts that contain a value's bytes in Base64.
inline constexpr std::string_view kBase64Prefix = "base64:";

// Returns the bytes of the value that `text` represents: decoded Base64 after kBase64Prefix,
// otherwise `text` itself. kCorrupt if the Base64 is invalid.
Result<std::string> DecodeInlineValue(std::string text);

}  // namespace zarr
