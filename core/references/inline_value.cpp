// SPDX-License-Identifier: MIT
#include "core/references/inline_value.h"

#include "core/base/text.h"

namespace zarr {

Result<std::string> DecodeInlineValue(std::string text) {
    const std::string_view all = text;
    if (all.substr(0, kBase64Prefix.size()) != kBase64Prefix) return text;
    return Base64Decode(all.substr(kBase64Prefix.size()));
}

}  // namespace zarr
