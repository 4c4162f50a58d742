// SPDX-License-Identifier: MIT
// Byte order conversions; no other file deals with byte order. Pointers need no alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zarr {

bool HostIsLittleEndian();

// Reverses the bytes of each of `count` units in place. `unit` is 1, 2, 4, 8 or 16 bytes.
void SwapUnits(std::uint8_t* data, std::size_t unit, std::size_t count);

// Copies `count` units from `src` to `dst` and reverses the bytes of each. Strides between units
// are in bytes. `src` and `dst` must not overlap.
void CopySwapped(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                 std::ptrdiff_t src_stride, std::size_t unit, std::size_t count);

// Load and store unsigned integers of a fixed byte order, as in headers and checksums.
std::uint16_t LoadLittle16(const std::uint8_t* p);
std::uint32_t LoadLittle32(const std::uint8_t* p);
std::uint64_t LoadLittle64(const std::uint8_t* p);
std::uint16_t LoadBig16(const std::uint8_t* p);
void StoreLittle32(std::uint8_t* p, std::uint32_t value);
void StoreLittle64(std::uint8_t* p, std::uint64_t value);

// Load and store a trivially copyable T at any address, in the host's byte order.
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
