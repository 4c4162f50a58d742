// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

// Takes the items of a chunk as nested lists, and appends them to a buffer in some notation. The
// first failure stays, and what follows it is dropped. Not for several threads.
class ItemSink {
  public:
    // Drops the contents of `buffer`, which must outlive this and be read only after Finish(). It
    // gets at most `limit` bytes.
    ItemSink(Buffer& buffer, std::size_t limit) : buffer_(buffer), limit_(limit) {}
    virtual ~ItemSink() = default;
    ItemSink(const ItemSink&) = delete;
    ItemSink& operator=(const ItemSink&) = delete;

    // Begins a list of `count` items, each of which begins with BeginItem().
    virtual void Open(std::size_t count) = 0;
    virtual void Close() = 0;
    virtual void BeginItem(bool is_first) = 0;

    virtual void Number(std::int64_t number) = 0;
    virtual void Number(std::uint64_t number) = 0;
    virtual void Number(double number) = 0;
    virtual void Bool(bool value) = 0;
    virtual void String(std::string_view utf8) = 0;
    // `units` are native-endian UCS-4; NULs at the end do not count.
    virtual void String(const std::uint8_t* units, std::size_t count) = 0;

    // kInvalidArgument for text or a number that the notation does not have; kLimit past the limit.
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
