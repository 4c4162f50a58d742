// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/codec/item_sink.h"
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

// Items in JSON, letter for letter as Python's json module writes it.
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
    std::string utf8_;  // of one character
};

}  // namespace zarr
