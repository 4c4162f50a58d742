// SPDX-License-Identifier: MIT
#include "core/base/text.h"

#include <algorithm>
#include <array>

#include "core/base/endian.h"

namespace zarr {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint32_t kReplacement = 0xfffd;

}  // namespace

bool NextCodePoint(std::string_view text, std::size_t& at, std::uint32_t& code_point) {
    const auto lead = static_cast<std::uint8_t>(text[at]);
    std::size_t length = 1;
    std::uint32_t value = lead;
    if (lead >= 0x80) {
        length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        if (lead < 0xc2 || lead > 0xf4 || text.size() - at < length) return false;
        value = lead & (0x7fU >> length);
        for (std::size_t i = 1; i < length; ++i) {
            const auto next = static_cast<std::uint8_t>(text[at + i]);
            if ((next & 0xc0U) != 0x80U) return false;
            value = (value << 6) | (next & 0x3fU);
        }
        constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
        if (value < kSmallest[length] || value > 0x10ffff) return false;
        if (value >= 0xd800 && value <= 0xdfff) return false;
    }
    at += length;
    code_point = value;
    return true;
}

void AppendUtf8(std::string& text, std::uint32_t code_point) {
    if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff))
        code_point = kReplacement;
    const auto push = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code_point < 0x80) return push(code_point);
    if (code_point < 0x800) {
        push(0xc0 | (code_point >> 6));
    } else {
        if (code_point < 0x10000) {
            push(0xe0 | (code_point >> 12));
        } else {
            push(0xf0 | (code_point >> 18));
            push(0x80 | ((code_point >> 12) & 0x3f));
        }
        push(0x80 | ((code_point >> 6) & 0x3f));
    }
    push(0x80 | (code_point & 0x3f));
}

bool IsValidUtf8(std::string_view text) {
    std::uint32_t code_point = 0;
    for (std::size_t at = 0; at < text.size();)
        if (!NextCodePoint(text, at, code_point)) return false;
    return true;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    std::uint32_t code_point = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        if (NextCodePoint(text, at, code_point)) {
            valid += text.substr(start, at - start);
        } else {
            AppendUtf8(valid, kReplacement);
            ++at;
        }
    }
    return valid;
}

std::string Ucs4ToUtf8(const std::uint8_t* units, std::size_t count) {
    while (count > 0 && LoadNative<std::uint32_t>(units + (count - 1) * 4) == 0) --count;
    std::string text;
    text.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        AppendUtf8(text, LoadNative<std::uint32_t>(units + i * 4));
    return text;
}

Result<std::u32string> Utf8ToUcs4(std::string_view text) {
    std::u32string units;
    units.reserve(text.size());
    std::uint32_t code_point = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (!NextCodePoint(text, at, code_point))
            return Status::Corrupt("invalid UTF-8 at byte " + std::to_string(at));
        units += static_cast<char32_t>(code_point);
    }
    return units;
}

void Base64Encode(ByteSpan bytes, char* text) {
    for (std::size_t i = 0; i < bytes.size; i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) group = (group << 8) | (j < n ? bytes.data[i + j] : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            *text++ = j <= n ? kAlphabet[(group >> (18 - 6 * j)) & 0x3f] : '=';
    }
}

std::string Base64Encode(ByteSpan bytes) {
    std::string text((bytes.size + 2) / 3 * 4, '\0');
    Base64Encode(bytes, text.data());
    return text;
}

Result<std::string> Base64Decode(std::string_view text) {
    if (text.size() % 4 != 0)
        return Status::Corrupt("base64 text of " + std::to_string(text.size()) +
                               " characters is invalid: the length is not a multiple of 4");
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=')
        ++padding;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_padding = i >= text.size() - padding;
        const auto digit = is_padding ? 0 : kAlphabet.find(text[i]);
        if (digit == std::string_view::npos)
            return Status::Corrupt("invalid base64 character at position " + std::to_string(i));
        group = (group << 6) | static_cast<std::uint32_t>(digit);
        if (i % 4 == 3) {
            for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift);
            group = 0;
        }
    }
    bytes.resize(bytes.size() - padding);
    return bytes;
}

std::string Quoted(std::string_view text, std::size_t limit) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char character : text) {
        if (quoted.size() > limit) return quoted + "...\"";
        const auto byte = static_cast<std::uint8_t>(character);
        if (byte < 0x20 || byte == 0x7f) {
            quoted += "\\x";
            quoted += kHex[byte >> 4];
            quoted += kHex[byte & 0xf];
        } else {
            if (byte == '"' || byte == '\\') quoted += '\\';
            quoted += character;
        }
    }
    return quoted + "\"";
}

std::string Shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return std::string(text);
    // Do not cut a character: move `limit` back over UTF-8 continuation bytes, which begin with the
    // bits 10, to the start of the character.
    while (limit > 0 && (static_cast<std::uint8_t>(text[limit]) & 0xc0U) == 0x80U) --limit;
    return std::string(text.substr(0, limit)) + "...";
}

}  // namespace zarr
