// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/text_reader.h"

namespace zarr {

// Reads JSON token by token from a TextReader, without building a tree of values. Accepts a byte
// order mark, and a comma before a closing bracket. Syntax errors are kCorrupt and give the
// position of the byte, counted from 0. Not thread-safe.
class JsonStream {
  public:
    explicit JsonStream(TextReader& text) : text_(text) {}

    // Returns the first byte of the next token without consuming it; '\0' at the end of the
    // document.
    Result<char> Peek();

    // Skips white space, then consumes the byte `expected`; kCorrupt if another byte follows.
    Status Take(char expected);

    // Moves to the next member of an object or next element of an array, whose opening bracket the
    // caller has consumed. Consumes the comma before the element. Returns false at the end, after
    // consuming the closing bracket `close`. `is_first` must be true at the first call, which sets
    // it to false.
    Result<bool> NextElement(char close, bool& is_first);

    // Reads a JSON string and resolves its escapes; kCorrupt if the string has more than `limit`
    // bytes.
    Status ReadString(std::string& text, std::size_t limit);
    // Reads a member's name, like ReadString(), and the colon after it.
    Status ReadKey(std::string& key, std::size_t limit);
    // Reads an integer from 0 to 2^64 - 1.
    Result<std::uint64_t> ReadInteger();
    // Copies any JSON value to `text` without parsing it. Fails if the value has more than `limit`
    // bytes or is nested deeper than Limit::kJsonDepth.
    Status ReadRaw(std::string& text, std::size_t limit);

    Status Expected(std::string_view what);

  private:
    // Loads the next block if no byte is left in `rest_`. Returns false at the end of the document.
    Result<bool> Fill();
    Status ReadEscape(std::string& text);
    Result<std::uint32_t> ReadHex();

    TextReader& text_;
    ByteSpan rest_;            // bytes of the current block that are not consumed
    std::uint64_t taken_ = 0;  // size of all blocks before the current block, in bytes
    std::size_t block_ = 0;    // size of the current block in bytes
    bool is_at_end_ = false;
};

}  // namespace zarr
