// SPDX-License-Identifier: MIT
#include "core/dtype/element_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/base/text.h"
#include "core/dtype/narrow_types.h"

namespace zarr {

namespace {

template <class T>
std::string NumberText(T number) {
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number);
    return {text, end};
}

std::int64_t LoadInt(std::size_t size, const std::uint8_t* p) {
    switch (size) {
        case 1:
            return LoadNative<std::int8_t>(p);
        case 2:
            return LoadNative<std::int16_t>(p);
        case 4:
            return LoadNative<std::int32_t>(p);
        default:
            return LoadNative<std::int64_t>(p);
    }
}

std::uint64_t LoadUint(std::size_t size, const std::uint8_t* p) {
    switch (size) {
        case 1:
            return LoadNative<std::uint8_t>(p);
        case 2:
            return LoadNative<std::uint16_t>(p);
        case 4:
            return LoadNative<std::uint32_t>(p);
        default:
            return LoadNative<std::uint64_t>(p);
    }
}

std::string FloatText(std::size_t size, const std::uint8_t* p) {
    switch (size) {
        case 2:
            return NumberText(HalfToFloat(LoadNative<std::uint16_t>(p)));
        case 4:
            return NumberText(LoadNative<float>(p));
        default:
            return NumberText(LoadNative<double>(p));
    }
}

double LoadFloat(std::size_t size, const std::uint8_t* p) {
    switch (size) {
        case 2:
            return static_cast<double>(HalfToFloat(LoadNative<std::uint16_t>(p)));
        case 4:
            return static_cast<double>(LoadNative<float>(p));
        default:
            return LoadNative<double>(p);
    }
}

double LoadNarrow(NarrowType type, const std::uint8_t* p) {
    const bool has_two_bytes = type == NarrowType::kBfloat16;
    return NarrowToDouble(type, has_two_bytes ? LoadNative<std::uint16_t>(p) : *p);
}

// Returns a bfloat16, float8 or similar number as text: a real number, or one part of a complex
// number.
std::string NarrowText(NarrowType type, const std::uint8_t* p) {
    return NumberText(static_cast<float>(LoadNarrow(type, p)));
}

bool BeginsWithMark(std::string_view text) {
    return text.substr(0, kBase64Prefix.size()) == kBase64Prefix;
}

bool IsPlain(std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos && !BeginsWithMark(bytes);
}

}  // namespace

std::string DoubleText(double number) { return NumberText(number); }

std::string ElementText(const DataType& type, const std::uint8_t* element) {
    const bool is_narrow = type.narrow != NarrowType::kNone;
    if (is_narrow && type.kind != DataKind::kComplex) return NarrowText(type.narrow, element);
    switch (type.kind) {
        case DataKind::kBool:
        case DataKind::kUint:
            return NumberText(LoadUint(type.size, element));
        case DataKind::kInt:
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return NumberText(LoadInt(type.size, element));
        case DataKind::kFloat:
            return FloatText(type.size, element);
        case DataKind::kComplex: {
            const std::size_t half = type.size / 2;
            const auto part = [&](const std::uint8_t* p) {
                return is_narrow ? NarrowText(type.narrow, p) : FloatText(half, p);
            };
            const std::string im = part(element + half);
            return part(element) + (im[0] == '-' ? "" : "+") + im + "j";
        }
        case DataKind::kUnicode:
            return Ucs4ToUtf8(element, type.size / 4);
        case DataKind::kBytes: {
            const std::string text(reinterpret_cast<const char*>(element), type.size);
            return text.substr(0, text.find_last_not_of('\0') + 1);
        }
        default:
            return Base64Encode({element, type.size});
    }
}

double ElementDouble(const DataType& type, const std::uint8_t* element) {
    if (type.narrow != NarrowType::kNone) return LoadNarrow(type.narrow, element);
    switch (type.kind) {
        case DataKind::kBool:
        case DataKind::kUint:
            return static_cast<double>(LoadUint(type.size, element));
        case DataKind::kInt:
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return static_cast<double>(LoadInt(type.size, element));
        case DataKind::kFloat:
            return LoadFloat(type.size, element);
        case DataKind::kComplex:
            return LoadFloat(type.size / 2, element);
        default:
            return std::numeric_limits<double>::quiet_NaN();
    }
}

Status TooLong(const DataType& type, std::string_view text) {
    return Status::Invalid(Quoted(text) + ": too long for dtype " + type.ToString());
}

std::string_view TruncatedText(const DataType& type, std::string_view text) {
    const auto continues = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    if (type.kind != DataKind::kUnicode) {
        std::size_t end = std::min(text.size(), type.size);
        while (end > 0 && continues(end)) --end;
        return text.substr(0, end);
    }
    std::size_t end = 0;
    for (std::size_t left = type.size / sizeof(char32_t); left > 0 && end < text.size(); --left)
        for (++end; continues(end);) ++end;
    return text.substr(0, end);
}

Status CheckTextFits(const DataType& type, std::string_view text) {
    std::size_t size = text.size();
    if (type.kind == DataKind::kUnicode) {
        ZARR_ASSIGN_OR_RETURN(const std::u32string units, Utf8ToUcs4(text));
        size = units.size() * sizeof(char32_t);
    }
    return size > type.size ? TooLong(type, text) : Status();
}

std::string BytesToText(std::string_view bytes) {
    if (IsPlain(bytes) && IsValidUtf8(bytes)) return std::string(bytes);
    return std::string(kBase64Prefix) + Base64Encode(ByteSpan(bytes));
}

std::string RawTextToText(std::string_view text) {
    return IsPlain(text) ? ReplaceInvalidUtf8(text) : BytesToText(text);
}

std::string TextToBytes(std::string_view text) {
    if (BeginsWithMark(text)) {
        auto bytes = Base64Decode(text.substr(kBase64Prefix.size()));
        if (bytes.ok() && BytesToText(*bytes) == text) return bytes.Take();
    }
    return std::string(text);
}

}  // namespace zarr
