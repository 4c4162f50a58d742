// SPDX-License-Identifier: MIT
// Text, and its encodings in the format: UTF-8, UCS-4 (numpy's U dtype) and base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace zarr {

// Appends a code point as UTF-8; surrogates and values past U+10FFFF become U+FFFD.
void AppendUtf8(std::string& text, std::uint32_t code_point);

// Decodes the code point at byte `at` of `text`, which is not its end, and moves past it; false
// where that is not UTF-8.
bool NextCodePoint(std::string_view text, std::size_t& at, std::uint32_t& code_point);

bool IsValidUtf8(std::string_view text);

inline bool EndsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// `text` with U+FFFD in place of each byte that is not UTF-8.
std::string ReplaceInvalidUtf8(std::string_view text);

// The UTF-8 of `count` native-endian UCS-4 units; numpy pads with NUL, which are dropped at the
// end.
std::string Ucs4ToUtf8(const std::uint8_t* units, std::size_t count);

// The code points of valid UTF-8; fails with kCorrupt on invalid text.
Result<std::u32string> Utf8ToUcs4(std::string_view text);

// RFC 4648 base64 with the standard alphabet. Decoding requires padding and, as Python's
// non-validating b64decode would otherwise hide damage, refuses foreign characters.
std::string Base64Encode(ByteSpan bytes);
// Writes ceil(bytes.size / 3) * 4 characters to `text`.
void Base64Encode(ByteSpan bytes, char* text);
Result<std::string> Base64Decode(std::string_view text);

// `text` fit for an error message: quoted, control characters escaped, at most `limit` bytes.
std::string Quoted(std::string_view text, std::size_t limit = 80);

// `text`, or where it has more than `limit` bytes its whole characters up to there and "...".
std::string Shortened(std::string_view text, std::size_t limit);

}  // namespace zarr
