// SPDX-License-Identifier: MIT
#include "core/references/snappy.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace zarr {

namespace {

Status DamagedSnappy() { return Status::Corrupt("the Snappy data is damaged or truncated"); }

class SnappyReader {
  public:
    SnappyReader(ByteSpan in, MutableByteSpan out) : in_(in), out_(out) {}

    Status Run() {
        std::uint64_t size = 0;
        if (!ReadSize(size)) return DamagedSnappy();
        if (size != out_.size)
            return Status::Corrupt("the Snappy data contains " + std::to_string(size) +
                                   " bytes, but the page has " + std::to_string(out_.size));
        while (at_ < in_.size)
            if (!ReadElement()) return DamagedSnappy();
        return written_ == out_.size ? Status() : DamagedSnappy();
    }

  private:
    // Reads the number of decompressed bytes, a varint with 7 bits per byte and the lowest bits
    // first.
    bool ReadSize(std::uint64_t& size) {
        constexpr unsigned kSizeBits = 32;
        for (unsigned shift = 0; shift < kSizeBits && at_ < in_.size; shift += 7) {
            const std::uint8_t byte = in_.data[at_++];
            size |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80U) return true;
        }
        return false;
    }

    // Reads a little-endian integer of `count` bytes, at most 4.
    bool ReadNumber(std::size_t count, std::size_t& number) {
        if (in_.size - at_ < count) return false;
        number = 0;
        for (std::size_t i = 0; i < count; ++i) number |= std::size_t{in_.data[at_ + i]} << (8 * i);
        at_ += count;
        return true;
    }

    bool ReadElement() {
        const unsigned tag = in_.data[at_++];
        const std::size_t upper = tag >> 2U;
        std::size_t offset = 0;
        switch (tag & 3U) {
            case 0:
                return CopyLiteral(upper);
            case 1:
                if (!ReadNumber(1, offset)) return false;
                return CopyBack(offset | ((tag >> 5U) << 8U), (upper & 7U) + 4);
            case 2:
                return ReadNumber(2, offset) && CopyBack(offset, upper + 1);
            default:
                return ReadNumber(4, offset) && CopyBack(offset, upper + 1);
        }
    }

    // Copies a literal of the Snappy format. If `upper`, the upper six bits of the tag, is at most
    // 59, it is the length minus 1. Otherwise the next `upper - 59` bytes are the length minus 1.
    bool CopyLiteral(std::size_t upper) {
        constexpr std::size_t kLongestInTag = 59;
        std::size_t length = upper;
        if (upper > kLongestInTag && !ReadNumber(upper - kLongestInTag, length)) return false;
        ++length;
        if (length > in_.size - at_ || length > out_.size - written_) return false;
        std::memcpy(out_.data + written_, in_.data + at_, length);
        at_ += length;
        written_ += length;
        return true;
    }

    // Appends `length` bytes that begin `offset` bytes before the end of the output. Copied and new
    // bytes may overlap.
    bool CopyBack(std::size_t offset, std::size_t length) {
        if (offset == 0 || offset > written_ || length > out_.size - written_) return false;
        std::uint8_t* const to = out_.data + written_;
        const std::uint8_t* const from = to - offset;
        for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
        written_ += length;
        return true;
    }

    const ByteSpan in_;
    const MutableByteSpan out_;
    std::size_t at_ = 0;
    std::size_t written_ = 0;
};

}  // namespace

Status DecompressSnappy(ByteSpan compressed, MutableByteSpan bytes) {
    return SnappyReader(compressed, bytes).Run();
}

}  // namespace zarr
