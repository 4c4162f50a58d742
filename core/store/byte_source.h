// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

// A file that is read at any place, such as an archive. Thread-safe.
class ByteSource {
  public:
    virtual ~ByteSource() = default;

    // In bytes; does not change.
    virtual std::uint64_t size() const = 0;

    // Fills `memory` from `offset`. Fewer bytes than that are an error, as is any failure.
    virtual Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const = 0;

    // True where each read takes so long that a few more bytes are better than a second read.
    virtual bool is_distant() const { return false; }
};

}  // namespace zarr
