// SPDX-License-Identifier: MIT
#include "core/base/endian.h"

#include <algorithm>

namespace zarr {

namespace {

std::uint16_t Swap(std::uint16_t v) { return static_cast<std::uint16_t>((v << 8) | (v >> 8)); }

std::uint32_t Swap(std::uint32_t v) {
    return (v << 24) | ((v & 0xff00U) << 8) | ((v >> 8) & 0xff00U) | (v >> 24);
}

std::uint64_t Swap(std::uint64_t v) {
    return (static_cast<std::uint64_t>(Swap(static_cast<std::uint32_t>(v))) << 32) |
           Swap(static_cast<std::uint32_t>(v >> 32));
}

template <class U>
void CopySwappedAs(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                   std::ptrdiff_t src_stride, std::size_t count) {
    constexpr auto kUnit = static_cast<std::ptrdiff_t>(sizeof(U));
    if (dst_stride == kUnit && src_stride == kUnit) {  // constant strides: the compiler vectorises
        for (std::size_t i = 0; i < count; ++i)
            StoreNative(dst + i * sizeof(U), Swap(LoadNative<U>(src + i * sizeof(U))));
        return;
    }
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        StoreNative(dst, Swap(LoadNative<U>(src)));
}

}  // namespace

bool HostIsLittleEndian() {
    const std::uint16_t probe = 1;
    return LoadNative<std::uint8_t>(&probe) == 1;
}

void CopySwapped(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                 std::ptrdiff_t src_stride, std::size_t unit, std::size_t count) {
    switch (unit) {
        case 2:
            return CopySwappedAs<std::uint16_t>(dst, dst_stride, src, src_stride, count);
        case 4:
            return CopySwappedAs<std::uint32_t>(dst, dst_stride, src, src_stride, count);
        case 8:
            return CopySwappedAs<std::uint64_t>(dst, dst_stride, src, src_stride, count);
        default:
            for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
                std::reverse_copy(src, src + unit, dst);
    }
}

void SwapUnits(std::uint8_t* data, std::size_t unit, std::size_t count) {
    for (std::size_t i = 0; unit > 1 && i < count; ++i, data += unit)
        std::reverse(data, data + unit);
}

std::uint16_t LoadLittle16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>(p[0] | (p[1] << 8));
}
std::uint32_t LoadLittle32(const std::uint8_t* p) {
    return LoadLittle16(p) | (static_cast<std::uint32_t>(LoadLittle16(p + 2)) << 16);
}
std::uint64_t LoadLittle64(const std::uint8_t* p) {
    return LoadLittle32(p) | (static_cast<std::uint64_t>(LoadLittle32(p + 4)) << 32);
}
std::uint16_t LoadBig16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>((p[0] << 8) | p[1]);
}
void StoreLittle64(std::uint8_t* p, std::uint64_t value) {
    for (int i = 0; i < 8; ++i) p[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void StoreLittle32(std::uint8_t* p, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) p[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace zarr
