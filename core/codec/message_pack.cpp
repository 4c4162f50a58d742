// SPDX-License-Identifier: MIT
#include "core/codec/message_pack.h"

#include <cstring>
#include <string>

#include "core/base/endian.h"
#include "core/base/text.h"

namespace zarr {

Result<MessagePackStyle> MessagePackStyle::Make(const json::Value& config) {
    MessagePackStyle style;
    ZARR_ASSIGN_OR_RETURN(style.use_single_float,
                          json::OptionalBool(config, "use_single_float", false));
    ZARR_ASSIGN_OR_RETURN(style.use_bin_type, json::OptionalBool(config, "use_bin_type", true));
    return style;
}

// `tag` is the first byte of an encoded item; the MessagePack specification lists its values in
// "Formats".
void MessagePackBytes::Tagged(unsigned tag, std::uint64_t number, std::size_t size) {
    char bytes[9];
    bytes[0] = static_cast<char>(tag);
    for (std::size_t i = 0; i < size; ++i)
        bytes[1 + i] = static_cast<char>(number >> (8 * (size - 1 - i)));
    Append({bytes, 1 + size});
}

void MessagePackBytes::Open(std::size_t count) {
    if (count < 16) return Tagged(0x90U | static_cast<unsigned>(count), 0, 0);
    if (count <= UINT16_MAX) return Tagged(0xdc, count, 2);
    if (count <= UINT32_MAX) return Tagged(0xdd, count, 4);
    Fail(Status::Limit("a list has more than 2^32 items"));
}

void MessagePackBytes::Number(std::uint64_t number) {
    if (number < 128) return Tagged(static_cast<unsigned>(number), 0, 0);
    if (number <= UINT8_MAX) return Tagged(0xcc, number, 1);
    if (number <= UINT16_MAX) return Tagged(0xcd, number, 2);
    if (number <= UINT32_MAX) return Tagged(0xce, number, 4);
    Tagged(0xcf, number, 8);
}

void MessagePackBytes::Number(std::int64_t number) {
    if (number >= 0) return Number(static_cast<std::uint64_t>(number));
    const auto bits = static_cast<std::uint64_t>(number);
    if (number >= -32) return Tagged(static_cast<unsigned>(bits & 0xffU), 0, 0);
    if (number >= INT8_MIN) return Tagged(0xd0, bits, 1);
    if (number >= INT16_MIN) return Tagged(0xd1, bits, 2);
    if (number >= INT32_MIN) return Tagged(0xd2, bits, 4);
    Tagged(0xd3, bits, 8);
}

void MessagePackBytes::Number(double number) {
    if (style_.use_single_float) {
        const auto single = static_cast<float>(number);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &single, sizeof bits);
        return Tagged(0xca, bits, 4);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    Tagged(0xcb, bits, 8);
}

void MessagePackBytes::Bool(bool value) { Tagged(value ? 0xc3 : 0xc2, 0, 0); }

void MessagePackBytes::String(std::string_view utf8) {
    if (!IsValidUtf8(utf8))
        return Fail(Status::Invalid("text is not valid UTF-8: " + Quoted(utf8)));
    const std::size_t size = utf8.size();
    if (size < 32)
        Tagged(0xa0U | static_cast<unsigned>(size), 0, 0);
    else if (size <= UINT8_MAX && style_.use_bin_type)
        Tagged(0xd9, size, 1);
    else if (size <= UINT16_MAX)
        Tagged(0xda, size, 2);
    else if (size <= UINT32_MAX)
        Tagged(0xdb, size, 4);
    else
        return Fail(Status::Limit("a text has more than 2^32 bytes"));
    Append(utf8);
}

void MessagePackBytes::String(const std::uint8_t* units, std::size_t count) {
    while (count > 0 && LoadNative<std::uint32_t>(units + (count - 1) * 4) == 0) --count;
    std::string utf8;
    for (std::size_t i = 0; i < count; ++i) {
        const auto code_point = LoadNative<std::uint32_t>(units + i * 4);
        if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff))
            return Fail(Status::Invalid("text contains code point " + std::to_string(code_point) +
                                        ", which is not a Unicode character"));
        AppendUtf8(utf8, code_point);
    }
    String(utf8);
}

}  // namespace zarr
