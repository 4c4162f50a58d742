// SPDX-License-Identifier: MIT
// The only place that knows byte order. Nothing here assumes alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zarr {

// True on a little-endian host.
bool HostIsLittleEndian();

// Reverses the bytes of each of `count` units of `unit` bytes (1, 2, 4, 8 or 16), in place.
void SwapUnits(std::uint8_t* data, std::size_t unit, std::size_t count);

// The same from `src` to `dst`, which must not overlap, with byte strides between units.
void CopySwapped(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                 std::ptrdiff_t src_stride, std::size_t unit, std::size_t count);

// Unsigned integers of a fixed byte order, as found in headers and checksums.
std::uint16_t LoadLittle16(const std::uint8_t* p);
std::uint32_t LoadLittle32(const std::uint8_t* p);
std::uint64_t LoadLittle64(const std::uint8_t* p);
std::uint16_t LoadBig16(const std::uint8_t* p);
void StoreLittle32(std::uint8_t* p, std::uint32_t value);
void StoreLittle64(std::uint8_t* p, std::uint64_t value);

// A value of trivially copyable T at any address, in the host's order.
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
