// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/codec/item_sink.h"
#include "core/json/value.h"

namespace zarr {

// The members of msgpack2's configuration that an encoder goes by.
struct MessagePackStyle {
    // Errors name the member.
    static Result<MessagePackStyle> Make(const json::Value& config);

    bool use_single_float = false;  // floats take 4 bytes in place of 8
    bool use_bin_type = true;       // without, a text's size takes no form of a single byte
};

// Items in MessagePack, byte for byte as Python's msgpack packs them: each in the shortest form.
class MessagePackBytes final : public ItemSink {
  public:
    MessagePackBytes(const MessagePackStyle& style, Buffer& buffer, std::size_t limit)
        : ItemSink(buffer, limit), style_(style) {}

    void Open(std::size_t count) override;
    void Close() override {}
    void BeginItem(bool /*is_first*/) override {}
    void Number(std::int64_t number) override;
    void Number(std::uint64_t number) override;
    void Number(double number) override;
    void Bool(bool value) override;
    void String(std::string_view utf8) override;
    void String(const std::uint8_t* units, std::size_t count) override;

  private:
    // A byte, and a number of `size` bytes, the highest first.
    void Tagged(unsigned tag, std::uint64_t number, std::size_t size);

    const MessagePackStyle& style_;
};

}  // namespace zarr
