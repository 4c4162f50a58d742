// SPDX-License-Identifier: MIT
// Constants of the zip format (APPNOTE 6.3.10, sections 4.3 and 4.4). All numbers are
// little-endian.
#pragma once

#include <cstdint>

namespace zarr::zip {

// Signatures: the first four bytes of each kind of record, as a little-endian number.
inline constexpr std::uint32_t kLocalMark = 0x04034b50;    // local header of a member
inline constexpr std::uint32_t kEntryMark = 0x02014b50;    // entry of the central directory
inline constexpr std::uint32_t kEnd64Mark = 0x06064b50;    // zip64 end of central directory record
inline constexpr std::uint32_t kLocatorMark = 0x07064b50;  // zip64 end of central directory locator
inline constexpr std::uint32_t kEndMark = 0x06054b50;      // end of central directory record

// Compression methods of members.
inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

// Id of the extra field with 64-bit sizes and offsets.
inline constexpr std::uint16_t kZip64Extra = 1;
// Marks a size or offset that is in the zip64 extra field.
inline constexpr std::uint64_t kIn64 = 0xffffffff;
inline constexpr std::uint64_t kCountIn64 = 0xffff;

}  // namespace zarr::zip
