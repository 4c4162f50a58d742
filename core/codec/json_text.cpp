// SPDX-License-Identifier: MIT
#include "core/codec/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/endian.h"
#include "core/base/text.h"

namespace zarr {

namespace {

// Maximum length of indentation and separators, so that a configuration cannot fill memory.
constexpr std::size_t kLongestSpace = 100;

// Parses "indent": a number of spaces, or a string, as in Python's json.dumps().
Status ParseIndent(const json::Value& config, JsonStyle& style) {
    const json::Value* indent = config.Find("indent");
    if (indent == nullptr || indent->is_null()) return {};
    style.is_indented = true;
    std::int64_t spaces = 0;
    if (indent->as_string() != nullptr)
        style.indent = *indent->as_string();
    else if (indent->GetInt64(spaces) && spaces <= static_cast<std::int64_t>(kLongestSpace))
        style.indent.assign(static_cast<std::size_t>(std::max<std::int64_t>(spaces, 0)), ' ');
    else
        return json::Expected("indent", "at most 100 spaces, or a string", *indent);
    if (style.indent.size() > kLongestSpace || !IsValidUtf8(style.indent))
        return json::Expected("indent", "at most 100 characters", *indent);
    return {};
}

Status ParseSeparators(const json::Value& config, JsonStyle& style) {
    style.separator = style.is_indented ? ", " : ",";
    const json::Value* member = config.Find("separators");
    if (member == nullptr || member->is_null()) return {};
    const json::Array* pair = member->as_array();
    if (pair == nullptr || pair->size() != 2 || (*pair)[0].as_string() == nullptr ||
        (*pair)[0].as_string()->size() > kLongestSpace)
        return json::Expected("separators", "two short strings", *member);
    style.separator = *(*pair)[0].as_string();
    return {};
}

// True for a printable ASCII character that needs no escape in JSON text.
bool IsPlain(std::uint32_t code_point) {
    return code_point >= 0x20 && code_point < 0x7f && code_point != '"' && code_point != '\\';
}

bool IsSurrogate(std::uint32_t code_point) { return code_point >= 0xd800 && code_point <= 0xdfff; }

// Returns the escape \uXXXX of a character. A character above U+FFFF gets two such escapes, a
// surrogate pair.
std::string_view Escape(std::uint32_t code_point, char (&text)[12]) {
    const auto unit = [](char* at, std::uint32_t value) {
        *at++ = '\\';
        *at++ = 'u';
        for (int shift = 12; shift >= 0; shift -= 4)
            *at++ = "0123456789abcdef"[(value >> shift) & 15U];
    };
    if (code_point < 0x10000) {
        unit(text, code_point);
        return {text, 6};
    }
    unit(text, 0xd800 + ((code_point - 0x10000) >> 10));
    unit(text + 6, 0xdc00 + ((code_point - 0x10000) & 0x3ffU));
    return {text, 12};
}

}  // namespace

Result<JsonStyle> JsonStyle::Make(const json::Value& config) {
    JsonStyle style;
    ZARR_ASSIGN_OR_RETURN(const std::string encoding,
                          json::OptionalString(config, "encoding", "utf-8"));
    style.only_ascii = encoding == "ascii";
    ZARR_ASSIGN_OR_RETURN(style.ensure_ascii, json::OptionalBool(config, "ensure_ascii", true));
    ZARR_ASSIGN_OR_RETURN(style.allow_nan, json::OptionalBool(config, "allow_nan", true));
    ZARR_RETURN_IF_ERROR(ParseIndent(config, style));
    ZARR_RETURN_IF_ERROR(ParseSeparators(config, style));
    return style;
}

void JsonText::NewLine() {
    if (!style_.is_indented) return;
    Append("\n");
    for (std::size_t i = 0; i < depth_; ++i) Append(style_.indent);
}

void JsonText::Open(std::size_t /*count*/) {
    Append("[");
    ++depth_;
}

void JsonText::Close() {
    --depth_;
    NewLine();
    Append("]");
}

void JsonText::BeginItem(bool is_first) {
    if (!is_first) Append(style_.separator);
    NewLine();
}

void JsonText::Number(std::int64_t number) {
    char text[24];
    const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
    Append({text, static_cast<std::size_t>(end - text)});
}

void JsonText::Number(std::uint64_t number) {
    char text[24];
    const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
    Append({text, static_cast<std::size_t>(end - text)});
}

void JsonText::Number(double number) {
    if (!std::isfinite(number) && !style_.allow_nan)
        return Fail(Status::Invalid("NaN and infinity cannot be stored with \"allow_nan\": false"));
    Append(json::PythonFloat(number));
}

void JsonText::String(std::string_view utf8) {
    Append("\"");
    std::uint32_t code_point = 0;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::size_t run = at;
        while (at < utf8.size() && IsPlain(static_cast<std::uint8_t>(utf8[at]))) ++at;
        Append(utf8.substr(run, at - run));
        if (at == utf8.size()) break;
        if (!NextCodePoint(utf8, at, code_point))
            return Fail(Status::Invalid("text is not valid UTF-8: " + Quoted(utf8)));
        Character(code_point);
    }
    Append("\"");
}

void JsonText::String(const std::uint8_t* units, std::size_t count) {
    while (count > 0 && LoadNative<std::uint32_t>(units + (count - 1) * 4) == 0) --count;
    Append("\"");
    for (std::size_t i = 0; i < count; ++i) Character(LoadNative<std::uint32_t>(units + i * 4));
    Append("\"");
}

void JsonText::Character(std::uint32_t code_point) {
    constexpr std::string_view kSpecial = "\"\\\n\r\t\f\b";
    constexpr std::string_view kLetters = "\"\\nrtfb";
    char text[12];
    if (IsPlain(code_point)) {
        text[0] = static_cast<char>(code_point);
        return Append({text, 1});
    }
    if (code_point < 0x7f) {
        const std::size_t special = kSpecial.find(static_cast<char>(code_point));
        if (special == std::string_view::npos) return Append(Escape(code_point, text));
        text[0] = '\\';
        text[1] = kLetters[special];
        return Append({text, 2});
    }
    if (code_point > 0x10ffff || IsSurrogate(code_point))
        return Fail(Status::Invalid("text contains code point " + std::to_string(code_point) +
                                    ", which is not a Unicode character"));
    if (style_.ensure_ascii) return Append(Escape(code_point, text));
    if (style_.only_ascii && code_point > 0x7f)
        return Fail(
            Status::Invalid("text contains other characters than ASCII, which \"encoding\": "
                            "\"ascii\" cannot store"));
    utf8_.clear();
    AppendUtf8(utf8_, code_point);
    Append(utf8_);
}

}  // namespace zarr
