// SPDX-License-Identifier: MIT
// Bits as pco packs them: unsigned integers of any number of bits up to 64, the lowest bit first.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/bytes.h"

namespace zarr::pco {

// The bits below `count`, which is at most 64.
inline std::uint64_t LowBits(unsigned count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Reads a run of bytes, of which it never leaves the end: there are only zeros behind it, and
// is_beyond_end() tells that some were read.
class BitReader {
  public:
    explicit BitReader(ByteSpan bytes)
        : bytes_(bytes), end_(static_cast<std::uint64_t>(bytes.size) * 8) {}

    // At most 64 bits; 0 has none.
    std::uint64_t Read(unsigned count) {
        if (count > kMostAtOnce) {
            const std::uint64_t low = Read(32);
            return low | (Read(count - 32) << 32);
        }
        const std::uint64_t bits = (Load(position_ / 8) >> (position_ % 8)) & LowBits(count);
        position_ += count;
        return bits;
    }
    std::uint32_t Read32(unsigned count) { return static_cast<std::uint32_t>(Read(count)); }

    // Goes on with the next whole byte.
    void Align() { position_ = (position_ + 7) / 8 * 8; }

    bool is_beyond_end() const { return position_ > end_; }
    // Bits that are left; 0 beyond the end.
    std::uint64_t left() const { return is_beyond_end() ? 0 : end_ - position_; }

  private:
    static constexpr unsigned kMostAtOnce = 57;  // of 64 bits that begin with a whole byte

    // Inline, and in a form that compilers know as one load; it is called for every number.
    static std::uint64_t LoadEight(const std::uint8_t* p) {
        const auto at = [p](int i) { return static_cast<std::uint64_t>(p[i]) << (8 * i); };
        return at(0) | at(1) | at(2) | at(3) | at(4) | at(5) | at(6) | at(7);
    }
    // The eight bytes from `byte` on.
    std::uint64_t Load(std::uint64_t byte) const {
        if (byte + 8 <= bytes_.size) return LoadEight(bytes_.data + byte);
        std::uint8_t padded[8] = {};
        if (byte < bytes_.size) std::memcpy(padded, bytes_.data + byte, bytes_.size - byte);
        return LoadEight(padded);
    }

    ByteSpan bytes_;
    std::uint64_t end_;
    std::uint64_t position_ = 0;  // in bits; grows by what is read, so it cannot overflow
};

// Writes what BitReader reads, behind what is there.
class BitWriter {
  public:
    // `bytes` must outlive this.
    explicit BitWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    // The lowest `count` bits, at most 64.
    void Write(std::uint64_t bits, unsigned count) {
        if (count > kMostAtOnce) {
            Write(bits, 32);
            return Write(bits >> 32, count - 32);
        }
        pending_ |= (bits & LowBits(count)) << pending_count_;
        pending_count_ += count;
        for (; pending_count_ >= 8; pending_count_ -= 8, pending_ >>= 8)
            bytes_.push_back(static_cast<std::uint8_t>(pending_));
    }

    // Fills the last byte with zeros.
    void Align() { Write(0, (8 - pending_count_) % 8); }

  private:
    static constexpr unsigned kMostAtOnce = 56;  // beside up to 7 that are pending

    std::vector<std::uint8_t>& bytes_;
    std::uint64_t pending_ = 0;
    unsigned pending_count_ = 0;
};

}  // namespace zarr::pco
