// SPDX-License-Identifier: MIT
// Destination to which a codec writes: memory of the caller, or a buffer that grows up to a limit.
// Nothing is written past the limit, even if the input is damaged.
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/limits.h"

namespace zarr {

class Output {
  public:
    // Writes to `memory`, whose size is the limit.
    explicit Output(MutableByteSpan memory) : memory_(memory), limit_(memory.size) {}
    // Clears `buffer` and writes to it. `buffer` grows to at most `limit` bytes. `cause` is the
    // Limit from which `limit` comes; nullopt if `limit` comes from the metadata. `buffer` must
    // outlive this object and must not be read before Finish().
    Output(Buffer& buffer, std::size_t limit, std::optional<Limit> cause = {})
        : buffer_(&buffer), limit_(limit), cause_(cause) {}

    // Returns memory for exactly `size` bytes, and counts these bytes as written. Codecs that know
    // the decoded size call Prepare() once, instead of Room(). Returns TooLong() if `size` exceeds
    // the limit.
    Result<MutableByteSpan> Prepare(std::size_t size);

    // Returns the unused memory after the written bytes, and grows the buffer if none is left. The
    // result is empty only if the limit is reached. Streaming codecs call Room() repeatedly, each
    // time followed by Commit().
    Result<MutableByteSpan> Room();
    // Counts the first `size` bytes of the memory that Room() returned as written.
    void Commit(std::size_t size) { written_ += size; }

    // Appends `bytes` to the written bytes.
    Status Append(ByteSpan bytes);

    // True if the output is memory of the caller, not a growing buffer.
    bool is_fixed() const { return buffer_ == nullptr; }
    std::size_t written() const { return written_; }
    std::size_t limit() const { return limit_; }
    // Returns the error for a codec whose output exceeds the limit.
    Status TooLong() const;

    // Shrinks a growing buffer to the written bytes; does nothing for memory of the caller.
    Status Finish();

  private:
    MutableByteSpan memory_;
    Buffer* buffer_ = nullptr;
    std::size_t limit_;
    std::optional<Limit> cause_;
    std::size_t written_ = 0;
};

}  // namespace zarr
