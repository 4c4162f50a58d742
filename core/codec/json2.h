// SPDX-License-Identifier: MIT
// The JSON text of json2's chunks, letter for letter as Python's json module writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/codec.h"
#include "core/json/value.h"

namespace zarr {

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

}  // namespace zarr
