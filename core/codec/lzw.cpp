// SPDX-License-Identifier: MIT
// imagecodecs' "imagecodecs_lzw", read-only: the LZW compression of TIFF (TIFF 6.0, section 13).
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/codec/decode_only.h"
#include "core/codec/factories.h"

namespace zarr {

namespace {

constexpr unsigned kClear = 256;  // LZW code that empties the table
constexpr unsigned kEnd = 257;
constexpr unsigned kFirstEntry = 258;
constexpr unsigned kShortest = 9;  // bits of the shortest code
constexpr unsigned kLongest = 12;

// Reads codes of a varying number of bits, most significant bit first.
class CodeReader {
  public:
    explicit CodeReader(ByteSpan bytes) : rest_(bytes) {}

    // Returns the next code of `width` bits; nullopt at the end of the input.
    std::optional<unsigned> Next(unsigned width) {
        while (count_ < width) {
            if (rest_.size == 0) return std::nullopt;
            bits_ = bits_ << 8U | rest_.data[0];
            count_ += 8;
            rest_ = rest_.From(1);
        }
        count_ -= width;
        return bits_ >> count_ & ((1U << width) - 1);
    }

  private:
    ByteSpan rest_;
    std::uint32_t bits_ = 0;
    unsigned count_ = 0;  // number of unread bits in `bits_`
};

// A string of the LZW code table, as a part of the decoded bytes. Each string is the string of one
// code plus the byte that was decoded next, so the decoded bytes contain it.
struct Entry {
    std::size_t begin = 0;
    std::size_t size = 0;
};

// Decodes `encoded` and returns the decoded size in bytes, which is at most `limit`; nullopt if the
// size exceeds `limit`. Writes nothing if `out` is nullptr.
Result<std::optional<std::size_t>> Expand(ByteSpan encoded, std::uint8_t* out, std::size_t limit) {
    std::array<Entry, std::size_t{1} << kLongest> table;
    CodeReader codes(encoded);
    unsigned next = kFirstEntry;
    unsigned width = kShortest;
    // String of the previous LZW code; nullopt at the start and after kClear.
    std::optional<Entry> before;
    std::size_t written = 0;
    while (const auto code = codes.Next(width)) {
        if (*code == kEnd) break;
        if (*code == kClear) {
            next = kFirstEntry;
            width = kShortest;
            before.reset();
            continue;
        }
        if (before && next < table.size()) table[next++] = {before->begin, before->size + 1};
        if (*code > kClear && (!before || *code >= next))
            return Status::Corrupt("code " + std::to_string(*code) + " is not in the table");
        const Entry entry = *code < kClear ? Entry{written, 1} : table[*code];
        if (entry.size > limit - written) return std::optional<std::size_t>();
        if (out != nullptr && *code < kClear) out[written] = static_cast<std::uint8_t>(*code);
        // Copies bytes one at a time in ascending order, because source and target may overlap: the
        // last byte of the source may be the first byte that is written here.
        if (out != nullptr && *code > kClear)
            for (std::size_t i = 0; i < entry.size; ++i) out[written + i] = out[entry.begin + i];
        before = Entry{written, entry.size};
        written += entry.size;
        // TIFF's encoders change to longer codes one entry earlier than the size of the table
        // requires.
        if (next + 1 >= 1U << width && width < kLongest) ++width;
    }
    return std::optional(written);
}

class Lzw final : public DecodeOnly {
  public:
    Lzw() : DecodeOnly("LZW") {}

    // Each decoded byte may need a separate code of 12 bits. The bound is thus one and a half times
    // the decoded size.
    SizeBound EncodedSize(SizeBound decoded) const override {
        return {SaturatingAdd(SaturatingAdd(decoded.max, decoded.max / 2), 1024), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        // Writers of TIFF before 1988 stored the bits of a code in the opposite order; such data is
        // rejected.
        if (encoded.size >= 2 && encoded.data[0] == 0 && (encoded.data[1] & 1U) != 0)
            return Status::Unsupported("TIFF's first version of LZW is unsupported");
        ZARR_ASSIGN_OR_RETURN(const auto size, Expand(encoded, nullptr, decoded.limit()));
        if (!size) return decoded.TooLong();
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(*size));
        return Expand(encoded, room.data, room.size).status();
    }
};

}  // namespace

CodecResult MakeLzw(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Lzw>());
}

}  // namespace zarr
