// SPDX-License-Identifier: MIT
// Text and its encodings in Zarr: UTF-8, UCS-4 (NumPy's U dtype) and base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace zarr {

// Appends a code point as UTF-8. Surrogates and values above U+10FFFF become U+FFFD.
void AppendUtf8(std::string& text, std::uint32_t code_point);

// Decodes the code point at byte `at`, which must be < text.size(), and advances `at` past the code
// point. Returns false if the bytes are not valid UTF-8.
bool NextCodePoint(std::string_view text, std::size_t& at, std::uint32_t& code_point);

bool IsValidUtf8(std::string_view text);

inline bool EndsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Returns `text` without the blanks at both ends.
inline std::string_view WithoutBlanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Returns the ASCII letters and digits of a name in lower case, to compare spellings such as "WGS
// 84", "WGS_84" and "wgs84".
inline std::string NameKey(std::string_view name) {
    std::string key;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z')
            key += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            key += c;
    }
    return key;
}

// Returns `text` with U+FFFD in place of each byte that is not valid UTF-8.
std::string ReplaceInvalidUtf8(std::string_view text);

// Converts `count` native-endian UCS-4 units to UTF-8. Drops trailing NULs, with which NumPy pads
// strings.
std::string Ucs4ToUtf8(const std::uint8_t* units, std::size_t count);

// Returns the code points of `text`; fails with kCorrupt if `text` is not valid UTF-8.
Result<std::u32string> Utf8ToUcs4(std::string_view text);

// Base64 with the standard alphabet (RFC 4648). Base64Decode() requires padding and rejects other
// characters. Python's b64decode() skips unknown characters by default, which would hide damage.
std::string Base64Encode(ByteSpan bytes);
// Writes `bytes` as base64 to `text`, which must have room for ceil(bytes.size / 3) * 4 characters.
void Base64Encode(ByteSpan bytes, char* text);
Result<std::string> Base64Decode(std::string_view text);

// Returns `text` for an error message: quoted, control characters escaped, cut after about `limit`
// bytes.
std::string Quoted(std::string_view text, std::size_t limit = 80);

// Returns `text` if `text` has at most `limit` bytes. Otherwise returns the characters that lie
// completely in the first `limit` bytes, followed by "...".
std::string Shortened(std::string_view text, std::size_t limit);

}  // namespace zarr
