// SPDX-License-Identifier: MIT
// crc32c: the CRC-32C of RFC 3720 (Castagnoli's polynomial) after the data (numcodecs.CRC32C).
#include <array>

#include "core/base/endian.h"
#include "core/codec/checksum.h"

namespace zarr {

namespace {

using Table = std::array<std::uint32_t, 256>;

// tables[k][b] is the CRC of byte b followed by k zero bytes, so that eight bytes are looked up
// side by side ("slicing by eight").
constexpr std::array<Table, 8> MakeTables() {
    constexpr std::uint32_t kReflectedPolynomial = 0x82f63b78;
    std::array<Table, 8> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
        tables[0][byte] = crc;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte)
            tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xffU];
    return tables;
}

constexpr std::array<Table, 8> kTables = MakeTables();

}  // namespace

std::uint32_t Crc32cOf(ByteSpan data) {
    std::uint32_t crc = 0xffffffffU;
    const std::uint8_t* p = data.data;
    std::size_t left = data.size;
    for (; left >= 8; left -= 8, p += 8) {
        const std::uint32_t low = crc ^ LoadLittle32(p);
        const std::uint32_t high = LoadLittle32(p + 4);
        crc = kTables[7][low & 0xffU] ^ kTables[6][(low >> 8) & 0xffU] ^
              kTables[5][(low >> 16) & 0xffU] ^ kTables[4][low >> 24] ^ kTables[3][high & 0xffU] ^
              kTables[2][(high >> 8) & 0xffU] ^ kTables[1][(high >> 16) & 0xffU] ^
              kTables[0][high >> 24];
    }
    for (; left > 0; --left, ++p) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 0xffU];
    return ~crc;
}

CodecResult MakeCrc32c(const json::Value& config, const CodecContext& /*context*/) {
    return MakeChecksum(Crc32cOf, config, ChecksumLocation::kEnd);
}

}  // namespace zarr
