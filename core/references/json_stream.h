// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/text_reader.h"

namespace zarr {

// Reads JSON from its start, token by token, without a tree. Takes a comma before a closing
// bracket, and a byte order mark. Errors are kCorrupt and give the number of the byte, from 0.
// One thread at a time.
class JsonStream {
  public:
    explicit JsonStream(TextReader& text) : text_(text) {}

    // Returns the first byte of the next token; '\0' at the end of the text.
    Result<char> Peek();

    // Takes the byte `expected`.
    Status Take(char expected);

    // Goes to the next member or element of an object or array whose opening bracket was taken:
    // takes a comma if there is one. Returns false if the bracket `close` came, which is taken too.
    // `is_first` is true before the first element, and set to false.
    Result<bool> NextElement(char close, bool& is_first);

    // Reads a text with its escapes resolved, of at most `limit` bytes.
    Status ReadString(std::string& text, std::size_t limit);
    // Reads a text and the colon behind it.
    Status ReadKey(std::string& key, std::size_t limit);
    // Reads an integer that is not negative.
    Result<std::uint64_t> ReadInteger();
    // Reads any value as the text that it is, of at most `limit` bytes and nested at most
    // Limit::kJsonDepth deep.
    Status ReadRaw(std::string& text, std::size_t limit);

    Status Expected(std::string_view what);

  private:
    // Makes at least one byte available; false at the end of the text.
    Result<bool> Fill();
    Status ReadEscape(std::string& text);
    Result<std::uint32_t> ReadHex();

    TextReader& text_;
    ByteSpan rest_;            // of the current block
    std::uint64_t taken_ = 0;  // bytes of the blocks before
    std::size_t block_ = 0;    // size of the current one
    bool is_at_end_ = false;
};

}  // namespace zarr
