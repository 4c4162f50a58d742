// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/codec/item_sink.h"
#include "core/json/value.h"

namespace zarr {

// Options of numcodecs' "msgpack2" that affect encoding.
struct MessagePackStyle {
    // Parses the options. Errors name the invalid member.
    static Result<MessagePackStyle> Make(const json::Value& config);

    bool use_single_float = false;  // floats take 4 bytes instead of 8
    // If false, the length of a text of 32 to 255 bytes takes two bytes instead of one.
    // MessagePack's older format has no shorter form.
    bool use_bin_type = true;
};

// Writes items as MessagePack. Each item is written in its shortest form, so that the output equals
// the output of Python's msgpack.
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
    // Writes the byte `tag`, then `number` as a big-endian integer of `size` bytes.
    void Tagged(unsigned tag, std::uint64_t number, std::size_t size);

    const MessagePackStyle& style_;
};

}  // namespace zarr
