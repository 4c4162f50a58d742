// SPDX-License-Identifier: MIT
// Bit packing of pco files: unsigned integers of up to 64 bits, lowest bit first.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/bytes.h"

namespace zarr::pco {

// Returns a mask of the lowest `count` <= 64 bits.
inline std::uint64_t LowBits(unsigned count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Reads bits from a sequence of bytes. Reading past the end returns zero bits, and is_beyond_end()
// then returns true.
class BitReader {
  public:
    explicit BitReader(ByteSpan bytes)
        : bytes_(bytes), end_(static_cast<std::uint64_t>(bytes.size) * 8) {}

    // Reads `count` <= 64 bits; returns 0 for a count of 0.
    std::uint64_t Read(unsigned count) {
        if (count > kMaxBitsAtOnce) {
            const std::uint64_t low = Read(32);
            return low | (Read(count - 32) << 32);
        }
        const std::uint64_t bits = (Load(position_ / 8) >> (position_ % 8)) & LowBits(count);
        position_ += count;
        return bits;
    }
    std::uint32_t Read32(unsigned count) { return static_cast<std::uint32_t>(Read(count)); }

    // Skips to the next whole byte.
    void Align() { position_ = (position_ + 7) / 8 * 8; }

    bool is_beyond_end() const { return position_ > end_; }
    // Returns the number of unread bits; 0 beyond the end.
    std::uint64_t left() const { return is_beyond_end() ? 0 : end_ - position_; }

  private:
    static constexpr unsigned kMaxBitsAtOnce = 57;  // 64 bits minus a bit offset of up to 7

    // Returns the eight bytes at `p` as a little-endian integer. The function runs for every
    // number, so it is written such that compilers turn it into a single load.
    static std::uint64_t LoadEight(const std::uint8_t* p) {
        const auto at = [p](int i) { return static_cast<std::uint64_t>(p[i]) << (8 * i); };
        return at(0) | at(1) | at(2) | at(3) | at(4) | at(5) | at(6) | at(7);
    }
    // Returns the eight bytes from offset `byte` on as a little-endian integer.
    std::uint64_t Load(std::uint64_t byte) const {
        if (byte + 8 <= bytes_.size) return LoadEight(bytes_.data + byte);
        std::uint8_t padded[8] = {};
        if (byte < bytes_.size) std::memcpy(padded, bytes_.data + byte, bytes_.size - byte);
        return LoadEight(padded);
    }

    ByteSpan bytes_;
    std::uint64_t end_;
    std::uint64_t position_ = 0;  // position in bits; cannot overflow
};

// Appends bits to a byte vector, in the format that BitReader reads.
class BitWriter {
  public:
    // `bytes` must outlive this object.
    explicit BitWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    // Writes the lowest `count` <= 64 bits of `bits`.
    void Write(std::uint64_t bits, unsigned count) {
        if (count > kMaxBitsAtOnce) {
            Write(bits, 32);
            return Write(bits >> 32, count - 32);
        }
        pending_ |= (bits & LowBits(count)) << pending_count_;
        pending_count_ += count;
        for (; pending_count_ >= 8; pending_count_ -= 8, pending_ >>= 8)
            bytes_.push_back(static_cast<std::uint8_t>(pending_));
    }

    // Pads the last byte with zero bits.
    void Align() { Write(0, (8 - pending_count_) % 8); }

  private:
    // Maximum number of bits to add to `pending_` at once. Up to 7 of the 64 bits of `pending_` are
    // in use, and 56 bits are the largest number of whole bytes that fit the rest.
    static constexpr unsigned kMaxBitsAtOnce = 56;

    std::vector<std::uint8_t>& bytes_;
    std::uint64_t pending_ = 0;
    unsigned pending_count_ = 0;
};

}  // namespace zarr::pco
