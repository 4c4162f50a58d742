// SPDX-License-Identifier: MIT
// The JSON text of json2's chunks, letter for letter as Python's json module writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
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

}  // namespace zarr
