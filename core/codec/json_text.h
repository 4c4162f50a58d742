// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/codec/item_sink.h"
#include "core/json/value.h"

namespace zarr {

// Options of numcodecs' "json2" that affect encoding.
struct JsonStyle {
    // Parses the options. Errors name the invalid member.
    static Result<JsonStyle> Make(const json::Value& config);

    bool ensure_ascii = true;  // escape every character that is not ASCII
    bool only_ascii = false;   // reject every character that is not ASCII
    bool allow_nan = true;
    bool is_indented = false;
    std::string indent;     // indentation of one level
    std::string separator;  // text between items
};

// Writes items as JSON, in exactly the format of Python's json module.
class JsonText final : public ItemSink {
  public:
    JsonText(const JsonStyle& style, Buffer& buffer, std::size_t limit)
        : ItemSink(buffer, limit), style_(style) {}

    void Open(std::size_t count) override;
    void Close() override;
    void BeginItem(bool is_first) override;
    void Number(std::int64_t number) override;
    void Number(std::uint64_t number) override;
    void Number(double number) override;
    void Bool(bool value) override { Append(value ? "true" : "false"); }
    void String(std::string_view utf8) override;
    void String(const std::uint8_t* units, std::size_t count) override;

  private:
    void NewLine();
    void Character(std::uint32_t code_point);

    const JsonStyle& style_;
    std::size_t depth_ = 0;
    std::string utf8_;  // scratch: one character in UTF-8
};

}  // namespace zarr
