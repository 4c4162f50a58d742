// SPDX-License-Identifier: MIT
#include "core/references/json_stream.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/limits.h"
#include "core/base/text.h"

namespace zarr {

namespace {

bool IsSpace(std::uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

Status TooLong() { return Status::Corrupt("a string of the references is too long"); }

}  // namespace

Result<bool> JsonStream::Fill() {
    while (rest_.size == 0 && !is_at_end_) {
        const bool is_start = taken_ == 0 && block_ == 0;
        taken_ += block_;
        ZARR_ASSIGN_OR_RETURN(rest_, text_.Next());
        block_ = rest_.size;
        is_at_end_ = rest_.size == 0;
        if (is_start && rest_.text().substr(0, 3) == "\xef\xbb\xbf") rest_ = rest_.From(3);
    }
    return rest_.size != 0;
}

Status JsonStream::Expected(std::string_view what) {
    return Status::Corrupt("byte " + std::to_string(taken_ + block_ - rest_.size) +
                           " of the references: expected " + std::string(what));
}

Result<char> JsonStream::Peek() {
    for (;;) {
        while (rest_.size != 0 && IsSpace(*rest_.data)) rest_ = rest_.From(1);
        if (rest_.size != 0) return static_cast<char>(*rest_.data);
        ZARR_ASSIGN_OR_RETURN(const bool is_more, Fill());
        if (!is_more) return '\0';
    }
}

Status JsonStream::Take(char expected) {
    ZARR_ASSIGN_OR_RETURN(const char next, Peek());
    if (next != expected) return Expected(Quoted(std::string(1, expected)));
    rest_ = rest_.From(1);
    return {};
}

Result<bool> JsonStream::NextElement(char close, bool& is_first) {
    ZARR_ASSIGN_OR_RETURN(char next, Peek());
    if (!is_first && next == ',') {
        ZARR_RETURN_IF_ERROR(Take(','));
        ZARR_ASSIGN_OR_RETURN(next, Peek());
    } else if (!is_first && next != close) {
        return Expected("a comma or " + Quoted(std::string(1, close)));
    }
    is_first = false;
    if (next != close) return true;
    ZARR_RETURN_IF_ERROR(Take(close));
    return false;
}

Status JsonStream::ReadString(std::string& text, std::size_t limit) {
    text.clear();
    ZARR_RETURN_IF_ERROR(Take('"'));
    for (;;) {
        ZARR_ASSIGN_OR_RETURN(const bool is_more, Fill());
        if (!is_more) return Expected("the closing quote of a string");
        std::size_t plain = 0;
        while (plain < rest_.size && rest_.data[plain] != '"' && rest_.data[plain] != '\\') ++plain;
        if (text.size() + plain > limit) return TooLong();
        text.append(reinterpret_cast<const char*>(rest_.data), plain);
        rest_ = rest_.From(plain);
        if (rest_.size == 0) continue;
        const bool is_end = *rest_.data == '"';
        rest_ = rest_.From(1);
        if (is_end) return {};
        ZARR_RETURN_IF_ERROR(ReadEscape(text));
    }
}

Result<std::uint32_t> JsonStream::ReadHex() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
        ZARR_ASSIGN_OR_RETURN(const bool is_more, Fill());
        const std::uint8_t c = is_more ? *rest_.data : std::uint8_t{0};
        std::uint32_t digit = 16;
        if (c >= '0' && c <= '9') digit = c - std::uint32_t{'0'};
        if (c >= 'a' && c <= 'f') digit = c - std::uint32_t{'a'} + 10;
        if (c >= 'A' && c <= 'F') digit = c - std::uint32_t{'A'} + 10;
        if (digit == 16) return Expected("a hexadecimal digit");
        code = code * 16 + digit;
        rest_ = rest_.From(1);
    }
    return code;
}

Status JsonStream::ReadEscape(std::string& text) {
    ZARR_ASSIGN_OR_RETURN(const bool is_more, Fill());
    if (!is_more) return Expected("the closing quote of a string");
    const char c = static_cast<char>(*rest_.data);
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t known = kNames.find(c);
    if (known == std::string_view::npos && c != 'u') return Expected("an escape such as \\n");
    rest_ = rest_.From(1);
    if (known != std::string_view::npos) {
        text += kMeanings[known];
        return {};
    }
    ZARR_ASSIGN_OR_RETURN(std::uint32_t code, ReadHex());
    if (code >= 0xd800 && code < 0xdc00) {
        ZARR_ASSIGN_OR_RETURN(const bool is_pair, Fill());
        if (is_pair && *rest_.data == '\\') {
            rest_ = rest_.From(1);
            ZARR_ASSIGN_OR_RETURN(const bool is_there, Fill());
            if (!is_there || *rest_.data != 'u')
                return Expected("the second half of a surrogate pair");
            rest_ = rest_.From(1);
            ZARR_ASSIGN_OR_RETURN(const std::uint32_t low, ReadHex());
            if (low >= 0xdc00 && low < 0xe000)
                code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
        }
    }
    AppendUtf8(text, code);
    return {};
}

Status JsonStream::ReadKey(std::string& key, std::size_t limit) {
    ZARR_RETURN_IF_ERROR(ReadString(key, limit));
    return Take(':');
}

Result<std::uint64_t> JsonStream::ReadInteger() {
    ZARR_ASSIGN_OR_RETURN(const char first, Peek());
    if (first < '0' || first > '9') return Expected("an integer of at least 0");
    std::uint64_t number = 0;
    for (;;) {
        ZARR_ASSIGN_OR_RETURN(const bool is_more, Fill());
        if (!is_more) return number;
        const std::uint8_t c = *rest_.data;
        if (c == '.' || c == 'e' || c == 'E') return Expected("an integer");
        if (c < '0' || c > '9') return number;
        const std::uint64_t digit = c - std::uint64_t{'0'};
        if (number > (UINT64_MAX - digit) / 10) return Expected("an integer of 64 bits");
        number = number * 10 + digit;
        rest_ = rest_.From(1);
    }
}

namespace {

// Finds the end of one JSON object, array or string, by counting brackets and tracking strings byte
// by byte.
class Nesting {
  public:
    enum class Step : std::uint8_t { kInside, kEnd, kWrongBracket, kTooDeep };

    Step Take(char c) {
        if (is_in_string_) return TakeInString(c);
        if (c == '"') is_in_string_ = true;
        if (c == '{' || c == '[') {
            open_.push_back(c == '{' ? '}' : ']');
            return open_.size() > LimitOf(Limit::kJsonDepth) ? Step::kTooDeep : Step::kInside;
        }
        if (c != '}' && c != ']') return Step::kInside;
        if (open_.empty() || open_.back() != c) return Step::kWrongBracket;
        open_.pop_back();
        return open_.empty() ? Step::kEnd : Step::kInside;
    }

  private:
    Step TakeInString(char c) {
        if (is_escaped_ || c == '\\') {
            is_escaped_ = !is_escaped_;
            return Step::kInside;
        }
        if (c != '"') return Step::kInside;
        is_in_string_ = false;
        return open_.empty() ? Step::kEnd : Step::kInside;
    }

    std::vector<char> open_;  // closing brackets that are expected, the innermost last
    bool is_in_string_ = false;
    bool is_escaped_ = false;
};

bool EndsScalar(char c) {
    return c == ',' || c == '}' || c == ']' || IsSpace(static_cast<std::uint8_t>(c));
}

}  // namespace

Status JsonStream::ReadRaw(std::string& text, std::size_t limit) {
    text.clear();
    ZARR_ASSIGN_OR_RETURN(const char first, Peek());
    if (first == '\0') return Expected("a value");
    const bool is_scalar = first != '{' && first != '[' && first != '"';
    Nesting nesting;
    for (;;) {
        ZARR_ASSIGN_OR_RETURN(const bool is_more, Fill());
        if (!is_more) return is_scalar ? Status() : Expected("the end of a value");
        const char c = static_cast<char>(*rest_.data);
        if (is_scalar && EndsScalar(c)) return {};
        if (text.size() == limit) return TooLong();
        text += c;
        rest_ = rest_.From(1);
        if (is_scalar) continue;
        switch (nesting.Take(c)) {
            case Nesting::Step::kInside:
                break;
            case Nesting::Step::kEnd:
                return {};
            case Nesting::Step::kWrongBracket:
                return Expected("the bracket that closes the last opened one");
            case Nesting::Step::kTooDeep:
                return OverLimit(Limit::kJsonDepth, "a value is nested too deep");
        }
    }
}

}  // namespace zarr
