// SPDX-License-Identifier: MIT
// The JSON text of json2's chunks, letter for letter as Python's json module writes it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/checked.h"
#include "core/base/converter.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/codec/codec.h"
#include "core/codec/factories.h"
#include "core/codec/numeric.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// The members of json2's configuration that an encoder goes by.
struct JsonStyle {
    // Errors name the member.
    static Result<JsonStyle> Make(const json::Value& config);

    bool ensure_ascii = true;  // everything else is escaped
    bool only_ascii = false;   // everything else is refused
    bool allow_nan = true;
    bool is_indented = false;
    std::string indent;     // of one level
    std::string separator;  // of items
};

// Appends to a buffer. The first failure stays, and what follows it is dropped.
class JsonText {
  public:
    // Drops the contents of `buffer`, which must outlive this and be read only after Finish().
    JsonText(const JsonStyle& style, Buffer& buffer, std::size_t limit)
        : style_(style), buffer_(buffer), limit_(limit) {}

    void Open();   // [
    void Close();  // ]
    void BeginItem(bool is_first);

    void Number(std::int64_t number);
    void Number(std::uint64_t number);
    void Number(double number);
    void Bool(bool value) { Append(value ? "true" : "false"); }
    void String(std::string_view utf8);
    // `units` are native-endian UCS-4; NULs at the end do not count.
    void String(const std::uint8_t* units, std::size_t count);

    // kInvalidArgument for text or a number that JSON does not have; kLimit past the limit.
    Status Finish();

  private:
    void Append(std::string_view text);
    void NewLine();
    void Character(std::uint32_t code_point);
    void Fail(Status status);

    const JsonStyle& style_;
    Buffer& buffer_;
    std::size_t limit_;
    std::size_t written_ = 0;
    std::size_t depth_ = 0;
    std::string utf8_;  // of one character
    Status status_;
};

// What json2 does with items of any kind: nested lists in C order on one side, memory on the other.

// A parsed chunk, its items in memory order.
struct Json2Items {
    json::Value root;  // owns what `items` points to
    std::vector<const json::Value*> items;
    std::string typestr;
};

class Json2Reader {
  public:
    static Result<Json2Reader> Make(const json::Value& config, const CodecContext& context);

    Result<Json2Items> Read(ByteSpan encoded) const;

  private:
    std::vector<std::uint64_t> chunk_shape_;
    bool fortran_order_ = false;
};

class Json2Writer {
  public:
    // Errors name the member of the configuration.
    static Result<Json2Writer> Make(const json::Value& config, const CodecContext& context);

    // Writes `count` items and `typestr` to `encoded`, of at most `limit` bytes; append(i, text)
    // writes the one at `i` in memory.
    template <class AppendItem>
    Status Write(const std::string& typestr, std::size_t count, Buffer& encoded, std::size_t limit,
                 AppendItem&& append) const {
        ZARR_RETURN_IF_ERROR(CheckCount(count));
        JsonText text(style_, encoded, limit);
        text.Open();
        if (is_flat_) {
            for (std::size_t i = 0; i < count; ++i) {
                text.BeginItem(i == 0);
                append(i, text);
            }
        } else {
            WriteItems(0, 0, text, append);
        }
        WriteEnd(typestr, count, text);
        return text.Finish();
    }

  private:
    // The items of one list, without its brackets.
    template <class AppendItem>
    void WriteItems(std::size_t depth, std::size_t offset, JsonText& text,
                    AppendItem& append) const {
        const auto n = static_cast<std::size_t>(shape_[depth]);
        for (std::size_t i = 0; i < n; ++i, offset += strides_[depth]) {
            text.BeginItem(i == 0);
            if (depth + 1 == shape_.size()) {
                append(offset, text);
                continue;
            }
            text.Open();
            WriteItems(depth + 1, offset, text, append);
            text.Close();
        }
    }
    Status CheckCount(std::size_t count) const;
    void WriteEnd(const std::string& typestr, std::size_t count, JsonText& text) const;

    JsonStyle style_;
    bool is_flat_ = false;
    std::vector<std::uint64_t> shape_;
    std::vector<std::size_t> strides_;
};

// Appends one native number as NumPy's tolist() and Python's json module would spell it.
using AppendNumber = void (*)(const std::uint8_t* number, JsonText& text);

AppendNumber NumberAppender(const DataType& type) {
    return VisitNumber(type, [](auto tag) -> AppendNumber {
        using T = typename decltype(tag)::type;
        return [](const std::uint8_t* number, JsonText& text) {
            const T value = LoadNative<T>(number);
            if constexpr (std::is_same_v<T, BoolByte>)
                text.Bool(value.byte != 0);
            else if constexpr (std::is_same_v<T, Half>)
                text.Number(static_cast<double>(HalfToFloat(value.bits)));
            else if constexpr (std::is_floating_point_v<T>)
                text.Number(static_cast<double>(value));
            else if constexpr (std::is_signed_v<T>)
                text.Number(static_cast<std::int64_t>(value));
            else if constexpr (std::is_unsigned_v<T>)
                text.Number(static_cast<std::uint64_t>(value));
        };
    });
}

// JSON has no other numbers, and NumPy's other texts are no Unicode.
Status CheckItemType(const DataType& type) {
    if (type.is_numeric() && type.kind != DataKind::kComplex) return {};
    if (type.kind == DataKind::kUnicode) return {};
    return Status::Unsupported("items of dtype " + type.ToString());
}

class Json2 final : public Codec {
  public:
    Json2(Json2Reader reader, Result<Json2Writer> writer, DataType items)
        : reader_(std::move(reader)),
          writer_(std::move(writer)),
          items_(std::move(items)),
          typestr_(items_.ToString()) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // Escapes take 12 bytes for the 4 of a character, "false," 6 for one; the rest is for
        // brackets and the white space of `indent`.
        return {SaturatingAdd(SaturatingMul(decoded.max, 64), std::size_t{64} << 10), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Json2Items chunk, reader_.Read(encoded));
        ZARR_ASSIGN_OR_RETURN(const DataType type, ParseTypestr(chunk.typestr));
        ZARR_RETURN_IF_ERROR(CheckItemType(type));
        const std::size_t size = SaturatingMul(chunk.items.size(), type.size);
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(size));
        for (std::size_t i = 0; i < chunk.items.size(); ++i) {
            const auto element = ParseFillValue(type, *chunk.items[i]);
            if (!element.ok())
                return json::Expected("item " + std::to_string(i),
                                      "a value of dtype " + type.ToString(), *chunk.items[i]);
            if (type.size != 0) element->CopyTo(room.data + i * type.size);
        }
        SwapElements(type, room.data, chunk.items.size());
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(writer_.status());
        ZARR_RETURN_IF_ERROR(CheckItemType(items_));
        return CheckWholeItems(decoded, items_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        if (items_.kind == DataKind::kUnicode) return EncodeText(decoded, encoded);
        const AppendNumber append = NumberAppender(items_);
        return Write(decoded, encoded, [&](const std::uint8_t* item, JsonText& text) {
            if (!items_.NeedsSwap()) return append(item, text);
            std::uint8_t native[8];
            std::memcpy(native, item, items_.size);
            SwapUnits(native, items_.size, 1);
            append(native, text);
        });
    }

  private:
    Status EncodeText(ByteSpan decoded, Buffer& encoded) const {
        const std::size_t units = items_.size / 4;
        std::string native;
        return Write(decoded, encoded, [&](const std::uint8_t* item, JsonText& text) {
            if (!items_.NeedsSwap()) return text.String(item, units);
            native.assign(reinterpret_cast<const char*>(item), items_.size);
            auto* bytes = reinterpret_cast<std::uint8_t*>(native.data());
            SwapUnits(bytes, 4, units);
            text.String(bytes, units);
        });
    }

    // append(item, text) writes the item at an address.
    template <class AppendItem>
    Status Write(ByteSpan decoded, Buffer& encoded, AppendItem&& append) const {
        return writer_->Write(
            typestr_, decoded.size / items_.size, encoded, EncodedSize({decoded.size, true}).max,
            [&](std::size_t i, JsonText& text) { append(decoded.data + i * items_.size, text); });
    }

    Json2Reader reader_;
    Result<Json2Writer> writer_;
    DataType items_;       // of what is encoded
    std::string typestr_;  // of items_
};

// Strings as they are, null as the empty string, anything else as its JSON text.
std::string ObjectText(const json::Value& item) {
    if (item.as_string() != nullptr) return *item.as_string();
    return item.is_null() ? std::string() : json::Dump(item);
}

class Json2Objects final : public ObjectCodec {
  public:
    Json2Objects(Json2Reader reader, Result<Json2Writer> writer)
        : reader_(std::move(reader)), writer_(std::move(writer)) {}

    Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const override {
        ZARR_ASSIGN_OR_RETURN(const Json2Items decoded, reader_.Read(encoded));
        if (decoded.items.size() != count)
            return Status::Corrupt("holds " + std::to_string(decoded.items.size()) +
                                   " items instead of " + std::to_string(count));
        std::string text;
        std::vector<std::size_t> ends;
        for (const json::Value* item : decoded.items) {
            text += ObjectText(*item);
            ends.push_back(text.size());
        }
        ZARR_RETURN_IF_ERROR(chunk.refs.Reset(SaturatingMul(count, sizeof(ObjectRef))));
        ZARR_RETURN_IF_ERROR(chunk.heap.Assign(ByteSpan(std::string_view(text))));
        chunk.count = count;
        const auto* heap = reinterpret_cast<const char*>(chunk.heap.data());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const ObjectRef ref{heap + begin, ends[i] - begin};
            StoreNative(chunk.refs.data() + i * sizeof ref, ref);
            begin = ends[i];
        }
        return {};
    }

    Status CheckWritable() const override { return writer_.status(); }

    // Every object is text, whatever it was where it came from.
    Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                         Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writer_.status());
        return writer_->Write("|O", count, encoded, LimitOf(Limit::kStringSize),
                              [&](std::size_t i, JsonText& text) {
                                  text.String({objects[i].data, objects[i].size});
                              });
    }

  private:
    Json2Reader reader_;
    Result<Json2Writer> writer_;
};

// Distances between neighbours along each dimension, in elements of memory.
std::vector<std::size_t> Strides(const std::vector<std::uint64_t>& shape, bool fortran_order) {
    std::vector<std::size_t> strides(shape.size(), 1);
    std::size_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t d = fortran_order ? i : shape.size() - 1 - i;
        strides[d] = stride;
        stride *= static_cast<std::size_t>(shape[d]);
    }
    return strides;
}

// Puts the items of nested lists where they belong in memory.
class Flattener {
  public:
    Flattener(std::vector<std::uint64_t> shape, bool fortran_order,
              std::vector<const json::Value*>& items)
        : shape_(std::move(shape)), strides_(Strides(shape_, fortran_order)), items_(items) {}

    // `list` holds shape[depth] items from `first` on, or more for the outermost one, whose last
    // two are something else.
    Status Collect(const json::Array& list, std::size_t depth, std::size_t offset) {
        const auto n = static_cast<std::size_t>(shape_[depth]);
        for (std::size_t i = 0; i < n; ++i, offset += strides_[depth]) {
            if (depth + 1 == shape_.size()) {
                items_[offset] = &list[i];
                continue;
            }
            const json::Array* inner = list[i].as_array();
            if (inner == nullptr || inner->size() != shape_[depth + 1])
                return json::Expected(
                    "", "a list of " + std::to_string(shape_[depth + 1]) + " items", list[i]);
            ZARR_RETURN_IF_ERROR(Collect(*inner, depth + 1, offset));
        }
        return {};
    }

  private:
    std::vector<std::uint64_t> shape_;
    std::vector<std::size_t> strides_;
    std::vector<const json::Value*>& items_;
};

std::string ShapeText(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (const std::uint64_t n : shape) text += (text.size() > 1 ? "," : "") + std::to_string(n);
    return text + "]";
}

// The product of `shape`, which cannot be larger than a text of `text_size` bytes has items.
Result<std::size_t> CountItems(const std::vector<std::uint64_t>& shape, std::size_t text_size) {
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) {
        const auto product = CheckedMul(count, n);
        if (!product || *product > text_size)
            return Status::Corrupt("shape " + ShapeText(shape) + " has more items than the text");
        count = *product;
    }
    return static_cast<std::size_t>(count);
}

// Longer ones are no style, but a way to fill memory.
constexpr std::size_t kLongestSpace = 100;

// json.dumps() takes a number of spaces or a string.
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

// Stands for itself in every style.
bool IsPlain(std::uint32_t code_point) {
    return code_point >= 0x20 && code_point < 0x7f && code_point != '"' && code_point != '\\';
}

bool IsSurrogate(std::uint32_t code_point) { return code_point >= 0xd800 && code_point <= 0xdfff; }

// \uXXXX, of one or two units of UTF-16.
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

Result<Json2Reader> Json2Reader::Make(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const std::string encoding,
                          json::OptionalString(config, "encoding", "utf-8"));
    if (encoding != "utf-8" && encoding != "utf8" && encoding != "ascii")
        return Status::Unsupported("encoding: " + encoding);
    Json2Reader reader;
    reader.chunk_shape_ = context.chunk_shape;
    reader.fortran_order_ = context.fortran_order;
    return reader;
}

Result<Json2Items> Json2Reader::Read(ByteSpan encoded) const {
    Json2Items result;
    std::uint64_t expected = 1;
    for (const std::uint64_t n : chunk_shape_) expected = SaturatingMul(expected, n);
    ZARR_ASSIGN_OR_RETURN(result.root, json::Parse(encoded.text(), expected));
    const json::Array* list = result.root.as_array();
    if (list == nullptr || list->size() < 2)
        return json::Expected("", "a list that ends with a dtype and a shape", result.root);
    const json::Value& typestr = (*list)[list->size() - 2];
    if (typestr.as_string() == nullptr)
        return json::Expected("", "a typestr as the item before the last", typestr);
    result.typestr = *typestr.as_string();
    ZARR_ASSIGN_OR_RETURN(std::vector<std::uint64_t> shape,
                          json::UintsAtLeast(list->back(), 0, "shape"));
    ZARR_ASSIGN_OR_RETURN(const std::size_t count, CountItems(shape, encoded.size));
    // A flat list is in memory order already.
    const bool is_flat = shape.size() == 1 && count == shape[0];
    if (!is_flat && shape != chunk_shape_)
        return Status::Corrupt("expected shape " + ShapeText(chunk_shape_) + ", got " +
                               ShapeText(shape));
    result.items.resize(count);
    const std::size_t outer = shape.empty() ? 1 : static_cast<std::size_t>(shape[0]);
    if (list->size() - 2 != outer)
        return Status::Corrupt("expected " + std::to_string(outer) + " items, got " +
                               std::to_string(list->size() - 2));
    if (shape.empty()) shape = {1};
    ZARR_RETURN_IF_ERROR(
        Flattener(std::move(shape), fortran_order_, result.items).Collect(*list, 0, 0));
    return result;
}

Result<Json2Writer> Json2Writer::Make(const json::Value& config, const CodecContext& context) {
    Json2Writer writer;
    ZARR_ASSIGN_OR_RETURN(writer.style_, JsonStyle::Make(config));
    writer.is_flat_ = context.is_flat;
    writer.shape_ = context.chunk_shape;
    if (!writer.is_flat_ && writer.shape_.empty())
        return Status::Unsupported("the one element of an array without dimensions");
    writer.strides_ = Strides(writer.shape_, context.fortran_order);
    return writer;
}

Status Json2Writer::CheckCount(std::size_t count) const {
    if (is_flat_) return {};
    std::uint64_t items = 1;
    for (const std::uint64_t n : shape_) items *= n;
    if (items == count) return {};
    return Status::Invalid(std::to_string(count) + " items for shape " + ShapeText(shape_));
}

void Json2Writer::WriteEnd(const std::string& typestr, std::size_t count, JsonText& text) const {
    text.BeginItem(false);
    text.String(typestr);
    text.BeginItem(false);
    text.Open();
    const std::size_t rank = is_flat_ ? 1 : shape_.size();
    for (std::size_t d = 0; d < rank; ++d) {
        text.BeginItem(d == 0);
        text.Number(is_flat_ ? std::uint64_t{count} : shape_[d]);
    }
    text.Close();
    text.Close();
}

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

void JsonText::Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
}

void JsonText::Append(std::string_view text) {
    if (!status_.ok() || text.empty()) return;
    if (text.size() > limit_ - written_)
        return Fail(Status::Limit("encodes to more than " + std::to_string(limit_) + " bytes"));
    const std::size_t end = written_ + text.size();
    if (end > buffer_.size()) {
        constexpr std::size_t kFirst = std::size_t{4} << 10;
        const std::size_t room = std::max({end, kFirst, buffer_.size() * 2, buffer_.capacity()});
        Status status = buffer_.Resize(std::min(room, std::max(limit_, end)));
        if (!status.ok()) return Fail(std::move(status));
    }
    std::memcpy(buffer_.data() + written_, text.data(), text.size());
    written_ = end;
}

Status JsonText::Finish() {
    ZARR_RETURN_IF_ERROR(status_);
    return buffer_.Resize(written_);
}

void JsonText::NewLine() {
    if (!style_.is_indented) return;
    Append("\n");
    for (std::size_t i = 0; i < depth_; ++i) Append(style_.indent);
}

void JsonText::Open() {
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
        return Fail(Status::Invalid("JSON has no NaN and no infinity"));
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
            return Fail(Status::Invalid("text that is not valid UTF-8: " + Quoted(utf8)));
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
        return Fail(Status::Invalid("text with " + std::to_string(code_point) +
                                    ", which is not a Unicode character"));
    if (style_.ensure_ascii) return Append(Escape(code_point, text));
    if (style_.only_ascii && code_point > 0x7f)
        return Fail(Status::Invalid("encoding: text that is not ASCII"));
    utf8_.clear();
    AppendUtf8(utf8_, code_point);
    Append(utf8_);
}

}  // namespace

CodecResult MakeJson2(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(Json2Reader reader, Json2Reader::Make(config, context));
    return std::unique_ptr<Codec>(std::make_unique<Json2>(
        std::move(reader), Json2Writer::Make(config, context), context.dtype));
}

ObjectCodecResult MakeJson2Objects(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(Json2Reader reader, Json2Reader::Make(config, context));
    return std::unique_ptr<ObjectCodec>(
        std::make_unique<Json2Objects>(std::move(reader), Json2Writer::Make(config, context)));
}

}  // namespace zarr
