// SPDX-License-Identifier: MIT
// Where a codec puts what it makes: memory of the caller, of exactly known size, or a buffer that
// grows up to a limit. Either way nothing is written past the limit, whatever the input claims.
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/limits.h"

namespace zarr {

class Output {
  public:
    // Decodes into `memory`; `memory.size` is the limit.
    explicit Output(MutableByteSpan memory) : memory_(memory), limit_(memory.size) {}
    // Decodes into `buffer`, whose contents are dropped, growing it to at most `limit` bytes, which
    // is what the metadata allow, or follows from `cause`. `buffer` must outlive this and be read
    // only after Finish().
    Output(Buffer& buffer, std::size_t limit, std::optional<Limit> cause = {})
        : buffer_(&buffer), limit_(limit), cause_(cause) {}

    // For codecs that know their decoded size: room for exactly `size` bytes, which counts as
    // written. Fails with TooLong() where that is over the limit. Call once, instead of Room().
    Result<MutableByteSpan> Prepare(std::size_t size);

    // For codecs that stream: the free room after what is written, made larger if it is empty. It
    // is empty only at the limit.
    Result<MutableByteSpan> Room();
    // Counts the first `size` bytes of the last Room() as written.
    void Commit(std::size_t size) { written_ += size; }

    // Copies `bytes` after what is written.
    Status Append(ByteSpan bytes);

    // True for caller's memory.
    bool is_fixed() const { return buffer_ == nullptr; }
    std::size_t written() const { return written_; }
    std::size_t limit() const { return limit_; }
    // The error for a codec that has more to say than the limit allows.
    Status TooLong() const;

    // Cuts a growing buffer to what was written; a no-op for caller's memory.
    Status Finish();

  private:
    MutableByteSpan memory_;
    Buffer* buffer_ = nullptr;
    std::size_t limit_;
    std::optional<Limit> cause_;
    std::size_t written_ = 0;
};

}  // namespace zarr
