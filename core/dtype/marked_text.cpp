// SPDX-License-Identifier: MIT
#include "core/dtype/marked_text.h"

#include "core/base/text.h"

namespace zarr {

namespace {

bool BeginsWithMark(std::string_view text) {
    return text.substr(0, kBase64Mark.size()) == kBase64Mark;
}

bool IsPlain(std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos && !BeginsWithMark(bytes);
}

}  // namespace

std::string MarkedBytes(std::string_view bytes) {
    if (IsPlain(bytes) && IsValidUtf8(bytes)) return std::string(bytes);
    return std::string(kBase64Mark) + Base64Encode(ByteSpan(bytes));
}

std::string MarkedText(std::string_view text) {
    return IsPlain(text) ? ReplaceInvalidUtf8(text) : MarkedBytes(text);
}

std::string UnmarkedBytes(std::string_view text) {
    if (BeginsWithMark(text)) {
        auto bytes = Base64Decode(text.substr(kBase64Mark.size()));
        if (bytes.ok() && MarkedBytes(*bytes) == text) return bytes.Take();
    }
    return std::string(text);
}

}  // namespace zarr
