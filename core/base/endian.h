// SPDX-License-Identifier: MIT
// Conversions between byte orders; no other file contains any. Pointers need no alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zarr {

bool HostIsLittleEndian();

// Reverses the bytes of each of `count` consecutive numbers, in place. A number has `unit` bytes:
// 1, 2, 4, 8 or 16.
void SwapUnits(std::uint8_t* data, std::size_t unit, std::size_t count);

// Copies `count` numbers of `unit` bytes from `src` to `dst`, and reverses the bytes of each
// number. Strides are the distances in bytes between numbers. `src` and `dst` must not overlap.
void CopySwapped(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                 std::ptrdiff_t src_stride, std::size_t unit, std::size_t count);

// Load or store an unsigned integer in little- or big-endian byte order, as in headers and
// checksums. `p` may have any alignment.
std::uint16_t LoadLittle16(const std::uint8_t* p);
std::uint32_t LoadLittle32(const std::uint8_t* p);
std::uint64_t LoadLittle64(const std::uint8_t* p);
std::uint16_t LoadBig16(const std::uint8_t* p);
void StoreLittle32(std::uint8_t* p, std::uint32_t value);
void StoreLittle64(std::uint8_t* p, std::uint64_t value);

// Load or store a trivially copyable T at any address, in the host's byte order.
template <class T>
T LoadNative(const void* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
template <class T>
void StoreNative(void* p, T value) {
    std::memcpy(p, &value, sizeof value);
}

}  // namespace zarr
