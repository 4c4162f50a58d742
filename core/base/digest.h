// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace zarr {

// 64-bit FNV-1a digest of bytes and numbers. Equal input gives an equal digest on every machine.
// Not safe against deliberate collisions.
class Digest {
  public:
    Digest& Add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ ^= static_cast<unsigned char>(byte);
            value_ *= 0x100000001b3U;
        }
        return *this;
    }
    Digest& Add(std::uint64_t number) {
        for (int i = 0; i < 8; ++i) {
            const char byte =
                static_cast<char>((number >> (8U * static_cast<unsigned>(i))) & 0xffU);
            Add(std::string_view(&byte, 1));
        }
        return *this;
    }
    std::uint64_t value() const { return value_; }
    // Returns value() after a mixing step, for a sum that is the digest of a set. Without mixing,
    // different sets could easily have equal sums.
    std::uint64_t Summand() const {
        std::uint64_t mixed = value_;  // final mixing step of MurmurHash3
        mixed = (mixed ^ (mixed >> 33U)) * 0xff51afd7ed558ccdU;
        mixed = (mixed ^ (mixed >> 33U)) * 0xc4ceb9fe1a85ec53U;
        return mixed ^ (mixed >> 33U);
    }
    // Returns the digest as 16 lower-case hexadecimal digits.
    std::string Text() const {
        std::string text;
        for (int shift = 60; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[(value_ >> static_cast<unsigned>(shift)) & 0xfU];
        return text;
    }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

inline Digest DigestOf(std::string_view bytes) { return Digest().Add(bytes); }

// Returns the CRC-32 that zip and gzip files use. Ten times as fast as computing a Digest.
std::uint32_t Crc32Of(ByteSpan bytes);

}  // namespace zarr
