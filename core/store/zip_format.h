// SPDX-License-Identifier: MIT
// Numbers of the zip format (APPNOTE 6.3.10, sections 4.3 and 4.4). All are little-endian.
#pragma once

#include <cstdint>

namespace zarr::zip {

// What records begin with.
inline constexpr std::uint32_t kLocalMark = 0x04034b50;    // a member's local header
inline constexpr std::uint32_t kEntryMark = 0x02014b50;    // its entry in the central directory
inline constexpr std::uint32_t kEnd64Mark = 0x06064b50;    // the zip64 end of that
inline constexpr std::uint32_t kLocatorMark = 0x07064b50;  // what leads to it
inline constexpr std::uint32_t kEndMark = 0x06054b50;      // the end of the file

// Methods of compression.
inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

inline constexpr std::uint16_t kZip64Extra = 1;     // the zip64 field, among the extra fields
inline constexpr std::uint64_t kIn64 = 0xffffffff;  // a number that the zip64 field has
inline constexpr std::uint64_t kCountIn64 = 0xffff;

}  // namespace zarr::zip
