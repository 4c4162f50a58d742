// SPDX-License-Identifier: MIT
// Values that Kerchunk's references contain as text (kerchunk's "References specification").
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr {

// Start of a text that holds a value's bytes in Base64.
inline constexpr std::string_view kBase64Prefix = "base64:";

// Returns the bytes of the value that `text` represents: the decoded Base64 after kBase64Prefix, or
// `text` itself. kCorrupt if the Base64 is invalid.
Result<std::string> DecodeInlineValue(std::string text);

}  // namespace zarr
