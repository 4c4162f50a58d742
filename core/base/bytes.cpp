// SPDX-License-Identifier: MIT
#include "core/base/bytes.h"

#include <cstring>

#include "core/base/memory.h"

namespace zarr {

namespace {
Status NoMemory(std::size_t size) {
    return Status::OutOfMemory("cannot allocate " + std::to_string(size) + " bytes");
}
}  // namespace

Status Buffer::Resize(std::size_t size) {
    if (size > capacity_) {
        auto* grown = bytes_ == nullptr
                          ? AllocateBytes(size)
                          : static_cast<std::uint8_t*>(std::realloc(bytes_.get(), size));
        if (grown == nullptr) return NoMemory(size);
        static_cast<void>(bytes_.release());
        bytes_.reset(grown);
        capacity_ = size;
    }
    size_ = size;
    return {};
}

Status Buffer::Reset(std::size_t size) {
    if (size > capacity_) {
        bytes_.reset();
        size_ = capacity_ = 0;
    }
    return Resize(size);
}

Status Buffer::Assign(ByteSpan bytes) {
    ZARR_RETURN_IF_ERROR(Reset(bytes.size));
    if (bytes.size != 0) std::memcpy(data(), bytes.data, bytes.size);
    return {};
}

}  // namespace zarr
