// SPDX-License-Identifier: MIT
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

enum class ChecksumLocation : std::uint8_t { kStart, kEnd };

using ChecksumFunction = std::function<std::uint32_t(ByteSpan data)>;

constexpr std::size_t kChecksumSize = 4;

std::string Hex(std::uint32_t value) {
    std::string text = "0x";
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15U];
    return text;
}

class Checksum final : public Codec {
  public:
    Checksum(ChecksumFunction function, ChecksumLocation location)
        : function_(std::move(function)), location_(location) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        return {SaturatingAdd(decoded.max, kChecksumSize), decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (encoded.size < kChecksumSize)
            return Status::Corrupt("holds " + std::to_string(encoded.size) +
                                   " bytes, too few for a checksum of " +
                                   std::to_string(kChecksumSize) + " bytes");
        const std::size_t size = encoded.size - kChecksumSize;
        const bool at_start = location_ == ChecksumLocation::kStart;
        const ByteSpan data{encoded.data + (at_start ? kChecksumSize : 0), size};
        const std::uint32_t stored = LoadLittle32(encoded.data + (at_start ? 0 : size));
        const std::uint32_t computed = function_(data);
        if (computed != stored)
            return Status::Corrupt("checksum " + Hex(computed) + " does not match the stored " +
                                   Hex(stored));
        return CopyAll(data, decoded);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(encoded.Reset(SaturatingAdd(decoded.size, kChecksumSize)));
        const bool at_start = location_ == ChecksumLocation::kStart;
        std::uint8_t* data = encoded.data() + (at_start ? kChecksumSize : 0);
        if (decoded.size != 0) std::memcpy(data, decoded.data, decoded.size);
        StoreLittle32(at_start ? encoded.data() : data + decoded.size, function_(decoded));
        return {};
    }

  private:
    ChecksumFunction function_;
    ChecksumLocation location_;
};

std::uint32_t Adler32Of(ByteSpan data) {
    if (data.size == 0) return 1;  // checksum of no bytes, for which `data.data` may be null
    return static_cast<std::uint32_t>(adler32_z(1, data.data, data.size));
}

std::uint32_t Crc32Of(ByteSpan data) {
    return static_cast<std::uint32_t>(crc32_z(0, data.data, data.size));
}

using Table = std::array<std::uint32_t, 256>;

// Returns the tables for eight bytes at a time ("slicing by eight"). tables[k][b] is the CRC of
// byte b followed by k zero bytes.
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

std::uint64_t Fold(std::uint64_t sum) { return sum == 0 ? 0 : (sum - 1) % 65535 + 1; }

// Returns a codec that stores `function` of the data as a checksum, and verifies the checksum when
// decoding.
CodecResult MakeChecksum(ChecksumFunction function, ChecksumLocation location) {
    return std::unique_ptr<Codec>(std::make_unique<Checksum>(std::move(function), location));
}

CodecResult MakeChecksum(ChecksumFunction function, const json::Value& config,
                         ChecksumLocation fallback) {
    const json::Value* member = config.Find("location");
    if (member == nullptr || member->is_null()) return MakeChecksum(std::move(function), fallback);
    const std::string* text = member->as_string();
    if (text != nullptr && *text == "start")
        return MakeChecksum(std::move(function), ChecksumLocation::kStart);
    if (text != nullptr && *text == "end")
        return MakeChecksum(std::move(function), ChecksumLocation::kEnd);
    return json::Expected("location", "\"start\" or \"end\"", *member);
}

}  // namespace

CodecResult MakeAdler32(const json::Value& config, const CodecContext& /*context*/) {
    return MakeChecksum(Adler32Of, config, ChecksumLocation::kStart);
}

CodecResult MakeCrc32(const json::Value& config, const CodecContext& /*context*/) {
    return MakeChecksum(Crc32Of, config, ChecksumLocation::kStart);
}

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

std::uint32_t Fletcher32Of(ByteSpan data) {
    // Folding after this number of words keeps sum1 and sum2 below 2^49.
    constexpr std::size_t kWordsPerFold = std::size_t{1} << 16;
    std::uint64_t sum1 = 0;
    std::uint64_t sum2 = 0;
    const std::uint8_t* p = data.data;
    for (std::size_t words = data.size / 2; words > 0;) {
        const std::size_t run = std::min(words, kWordsPerFold);
        for (std::size_t i = 0; i < run; ++i, p += 2) {
            sum1 += LoadBig16(p);
            sum2 += sum1;
        }
        sum1 = Fold(sum1);
        sum2 = Fold(sum2);
        words -= run;
    }
    if (data.size % 2 != 0) {
        sum1 = Fold(sum1 + (std::uint64_t{*p} << 8));
        sum2 = Fold(sum2 + sum1);
    }
    return static_cast<std::uint32_t>((sum2 << 16) | sum1);
}

CodecResult MakeFletcher32(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return MakeChecksum(Fletcher32Of, ChecksumLocation::kEnd);
}

// Bob Jenkins' hash "hashlittle" (lookup3, 2006), with three words of state and rounds of twelve
// bytes.
std::uint32_t JenkinsLookup3Of(ByteSpan data, std::uint32_t seed) {
    const auto rotated = [](std::uint32_t word, int by) {
        return (word << by) | (word >> (32 - by));
    };
    std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(data.size) + seed;
    std::uint32_t b = a;
    std::uint32_t c = a;
    // Performs one step of a round: mixes `y` into `x`, then adds `z` to `y`.
    const auto step = [&rotated](std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int by) {
        x = (x - y) ^ rotated(y, by);
        y += z;
    };
    const std::uint8_t* p = data.data;
    std::size_t left = data.size;
    for (; left > 12; left -= 12, p += 12) {
        a += LoadLittle32(p);
        b += LoadLittle32(p + 4);
        c += LoadLittle32(p + 8);
        step(a, c, b, 4);
        step(b, a, c, 6);
        step(c, b, a, 8);
        step(a, c, b, 16);
        step(b, a, c, 19);
        step(c, b, a, 4);
    }
    if (left == 0) return c;
    std::array<std::uint8_t, 12> last{};
    std::memcpy(last.data(), p, left);
    a += LoadLittle32(last.data());
    b += LoadLittle32(last.data() + 4);
    c += LoadLittle32(last.data() + 8);
    const auto end = [&rotated](std::uint32_t& x, std::uint32_t y, int by) {
        x = (x ^ y) - rotated(y, by);
    };
    end(c, b, 14);
    end(a, c, 11);
    end(b, a, 25);
    end(c, b, 16);
    end(a, c, 4);
    end(b, a, 14);
    end(c, b, 24);
    return c;
}

CodecResult MakeJenkinsLookup3(const json::Value& config, const CodecContext& /*context*/) {
    std::uint64_t seed = 0;
    const json::Value* const given = config.Find("initval");
    if (given != nullptr && !given->is_null() && (!given->GetUint64(seed) || seed > UINT32_MAX))
        return json::Expected("initval", "an integer below 2^32", *given);
    std::string prefix;  // bytes that are hashed before the chunk's data
    const json::Value* const bytes = config.Find("prefix");
    if (bytes != nullptr && !bytes->is_null()) {
        ZARR_ASSIGN_OR_RETURN(const auto numbers, json::UintsAtLeast(*bytes, 0, "prefix"));
        for (const std::uint64_t number : numbers) {
            if (number > UINT8_MAX) return json::Expected("prefix", "a list of bytes", *bytes);
            prefix.push_back(static_cast<char>(number));
        }
    }
    const auto start = static_cast<std::uint32_t>(seed);
    if (prefix.empty())
        return MakeChecksum([start](ByteSpan data) { return JenkinsLookup3Of(data, start); },
                            ChecksumLocation::kEnd);
    return MakeChecksum(
        [start, prefix](ByteSpan data) {
            std::string all = prefix;
            all.append(reinterpret_cast<const char*>(data.data), data.size);
            return JenkinsLookup3Of(ByteSpan(all), start);
        },
        ChecksumLocation::kEnd);
}

}  // namespace zarr
