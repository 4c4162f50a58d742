// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

// Writes the items of a chunk as nested lists to a buffer. A derived class defines the format, such
// as JSON. After an error, further items are ignored. Not thread-safe.
class ItemSink {
  public:
    // Clears `buffer`, which must outlive this object and must not be read before Finish(). At most
    // `limit` bytes are written.
    ItemSink(Buffer& buffer, std::size_t limit) : buffer_(buffer), limit_(limit) {}
    virtual ~ItemSink() = default;
    ItemSink(const ItemSink&) = delete;
    ItemSink& operator=(const ItemSink&) = delete;

    // Begins a list of `count` items. Call BeginItem() before each item.
    virtual void Open(std::size_t count) = 0;
    virtual void Close() = 0;
    virtual void BeginItem(bool is_first) = 0;

    virtual void Number(std::int64_t number) = 0;
    virtual void Number(std::uint64_t number) = 0;
    virtual void Number(double number) = 0;
    virtual void Bool(bool value) = 0;
    virtual void String(std::string_view utf8) = 0;
    // Writes `count` UCS-4 characters, given in the host's byte order. Omits trailing NULs.
    virtual void String(const std::uint8_t* units, std::size_t count) = 0;

    // Ends writing. Returns kInvalidArgument if the format cannot represent a text or number.
    // Returns kLimit if the output exceeds the `limit` of the constructor.
    Status Finish();

  protected:
    void Append(std::string_view text);
    void Fail(Status status);

  private:
    Buffer& buffer_;
    const std::size_t limit_;
    std::size_t written_ = 0;
    Status status_;
};

}  // namespace zarr
