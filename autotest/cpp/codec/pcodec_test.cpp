// SPDX-License-Identifier: MIT
// Tests of damaged pco files. The tests build the files bit by bit; vectors.json has valid files.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/codec/pco_decoder.h"
#include "core/codec/pco_encoder.h"

namespace zarr::test {

namespace {

// Packs integers into bytes, with the lowest bit first.
class Bits {
  public:
    Bits& Add(std::uint64_t value, unsigned count) {
        for (unsigned i = 0; i < count; ++i, ++size_) {
            if (size_ % 8 == 0) bytes_ += '\0';
            if (((value >> i) & 1) != 0)
                bytes_.back() = static_cast<char>(bytes_.back() | (1 << (size_ % 8)));
        }
        return *this;
    }
    Bits& Align() {
        size_ = bytes_.size() * 8;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
    std::size_t size_ = 0;
};

constexpr unsigned kUint32 = 1;
constexpr unsigned kFloat32 = 5;
constexpr unsigned kClassic = 0;
constexpr unsigned kNone = 0;

// Returns the header of a pco file and the start of a chunk of `count` numbers. The number type is
// stated in the chunk, not in the header.
Bits Begin(unsigned count, unsigned type = kUint32) {
    Bits bits;
    // "pco!", version 3, no number type common to all chunks.
    bits.Add(0x216f6370, 32).Add(3, 8).Add(0, 8);
    bits.Add(0, 6).Add(0, 1).Align();  // no hint of the number of elements
    bits.Add(4, 8).Add(1, 8);
    return bits.Add(type, 8).Add(count - 1, 24);
}

// Appends the metadata of a latent variable of pco. It has one bin, which begins at `lower` and has
// offsets of `offset_bits` bits.
Bits& AddBin(Bits& bits, std::uint64_t lower, unsigned offset_bits, unsigned width = 6) {
    return bits.Add(0, 4).Add(1, 15).Add(lower, 32).Add(offset_bits, width);
}

Result<std::string> Decode(const std::string& file, std::size_t limit = 4096,
                           std::optional<pco::NumberType> type = {}) {
    Buffer buffer;
    Output output(buffer, limit);
    ZARR_RETURN_IF_ERROR(pco::DecodeFile(ByteSpan(file), type, output));
    ZARR_RETURN_IF_ERROR(output.Finish());
    return std::string(ByteSpan(buffer.span()).text());
}

std::string Uint32s(std::initializer_list<std::uint32_t> numbers) {
    return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * 4};
}

TEST(Pcodec, ReadsAFileBuiltBitByBit) {
    Bits bits = Begin(3).Add(kClassic, 4).Add(kNone, 4);
    AddBin(bits, 100, 4).Align();
    bits.Add(1, 4).Add(15, 4).Add(7, 4).Align().Add(0, 8);
    const auto decoded = Decode(bits.bytes());
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_EQ(*decoded, Uint32s({101, 115, 107}));
}

// An example of the pco specification: the moments are 1 and 2, the differences 0, 10 and 0.
TEST(Pcodec, SumsDifferencesAsTheSpecificationDoes) {
    Bits bits = Begin(5).Add(kClassic, 4).Add(1, 4).Add(2, 3).Add(0, 1);
    AddBin(bits, 1U << 31, 4).Align();
    bits.Add(1, 32).Add(2, 32).Align();
    bits.Add(0, 4).Add(10, 4).Add(0, 4).Align().Add(0, 8);
    const auto decoded = Decode(bits.bytes());
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_EQ(*decoded, Uint32s({1, 3, 5, 17, 29}));
}

TEST(Pcodec, ReadsFewerNumbersThanTheOrderOfDifferences) {
    Bits bits = Begin(2).Add(kClassic, 4).Add(1, 4).Add(3, 3).Add(0, 1);
    bits.Add(0, 4).Add(0, 15).Align();  // no bins
    bits.Add(7, 32).Add(2, 32).Add(9, 32).Align().Add(0, 8);
    const auto decoded = Decode(bits.bytes());
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_EQ(*decoded, Uint32s({7, 9}));
}

TEST(Pcodec, ErrorsNameTheFault) {
    const auto whole = [] {
        Bits bits = Begin(2).Add(kClassic, 4).Add(kNone, 4);
        AddBin(bits, 5, 8).Align();
        return bits.Add(0x0201, 16).Add(0, 8).bytes();
    }();
    ASSERT_TRUE(Succeeds(Decode(whole)));
    const auto changed = [&](std::size_t at, char byte) {
        std::string file = whole;
        file[at] = byte;
        return file;
    };
    const auto chunk = [](unsigned mode, unsigned type = kUint32) {
        return Begin(2, type).Add(mode, 4);
    };
    Bits offsets = chunk(kClassic).Add(kNone, 4);
    AddBin(offsets, 5, 33).Align();
    Bits weights = chunk(kClassic).Add(kNone, 4).Add(1, 4).Add(1, 15).Add(0, 1);
    weights.Add(0, 38).Align();
    Bits back = chunk(kClassic).Add(2, 4).Add(0, 5).Add(0, 4).Add(0, 1);
    AddBin(back, 2, 0);
    AddBin(back, 0, 0).Align().Add(9, 32).Align().Add(0, 8);
    Bits dictionary = chunk(4).Add(1, 25).Align().Add(77, 32).Add(kNone, 4);
    AddBin(dictionary, 1, 0).Align().Add(0, 8);

    const struct {
        std::string file;
        StatusCode code;
        const char* message;
    } cases[] = {
        {changed(0, 'q'), StatusCode::kCorrupt, "does not begin with \"pco!\""},
        {"", StatusCode::kCorrupt, "does not begin with \"pco!\""},
        {changed(4, 1), StatusCode::kUnsupported,
         "version 1 of pco's standalone format is unsupported; only 2 and 3 are supported"},
        {changed(5, 2), StatusCode::kCorrupt, "a chunk has number type 1, but its header states 2"},
        {changed(7, 5), StatusCode::kUnsupported,
         "version 5 of pco's format is unsupported; only 0 to 4 are supported"},
        {whole.substr(0, 7), StatusCode::kCorrupt, "pco data is truncated within its header"},
        {whole.substr(0, 9), StatusCode::kCorrupt, "its end mark is missing"},
        {changed(9, 12), StatusCode::kUnsupported, "pco number type 12 is unknown"},
        {whole.substr(0, 16), StatusCode::kCorrupt,
         "pco data is truncated within the metadata of a chunk"},
        {whole.substr(0, whole.size() - 2), StatusCode::kCorrupt,
         "pco data is truncated within the numbers of a chunk"},
        {whole.substr(0, whole.size() - 1), StatusCode::kCorrupt, "its end mark is missing"},
        {chunk(5).bytes(), StatusCode::kUnsupported, "pco mode 5 is unknown"},
        {chunk(2).bytes(), StatusCode::kCorrupt,
         "pco mode 2 is not allowed for numbers of type uint32"},
        {chunk(1, kFloat32).bytes(), StatusCode::kCorrupt,
         "pco mode 1 is not allowed for numbers of type float32"},
        {chunk(1).Add(0, 32).bytes(), StatusCode::kCorrupt, "numbers are stored as multiples of 0"},
        {chunk(2, kFloat32).Add(0xff800000, 32).bytes(), StatusCode::kCorrupt,
         "numbers are stored as multiples of 0, NaN or infinity"},
        {chunk(3, kFloat32).Add(24, 8).bytes(), StatusCode::kCorrupt,
         "numbers of type float32 cannot be quantized by 24 bits"},
        {chunk(4).Add(3, 25).Align().Add(0, 64).bytes(), StatusCode::kCorrupt,
         "pco data is truncated within its dictionary of 3 numbers"},
        {dictionary.bytes(), StatusCode::kCorrupt, "index 1 exceeds the dictionary of 1 numbers"},
        {chunk(kClassic).Add(4, 4).bytes(), StatusCode::kUnsupported,
         "pco delta encoding 4 is unknown"},
        {chunk(kClassic).Add(1, 4).Add(0, 4).bytes(), StatusCode::kCorrupt,
         "its delta encoding has order 0"},
        {back.bytes(), StatusCode::kCorrupt, "lookback distance 2 is not between 1 and 1"},
        {chunk(kClassic).Add(kNone, 4).Add(15, 4).bytes(), StatusCode::kCorrupt,
         "has a table of 2^15 states, more than 2^14"},
        {chunk(kClassic).Add(kNone, 4).Add(2, 4).Add(5, 15).bytes(), StatusCode::kCorrupt,
         "it has 5 bins in a table of 4 states"},
        {weights.bytes(), StatusCode::kCorrupt,
         "its bins have the total weight 1 in a table of 2 states"},
        {offsets.bytes(), StatusCode::kCorrupt,
         "has a bin with offsets of 33 bits, more than the 32 of its numbers"},
        {chunk(kClassic).Add(kNone, 4).Add(0, 19).Align().bytes(), StatusCode::kCorrupt,
         "the chunk has numbers but no bins"},
    };
    for (const auto& c : cases) EXPECT_TRUE(Fails(Decode(c.file), c.code, c.message));
    EXPECT_TRUE(Fails(Decode(whole, 4096, pco::NumberTypeOf(kFloat32)), StatusCode::kCorrupt,
                      "has numbers of type uint32, but the array has float32"));
}

TEST(Pcodec, StopsAtTheLimitHoweverManyNumbersThereAre) {
    Bits bits = Begin(1U << 24).Add(kClassic, 4).Add(kNone, 4);
    AddBin(bits, 5, 0).Align().Add(0, 8);
    EXPECT_TRUE(
        Fails(Decode(bits.bytes()), StatusCode::kCorrupt, "decodes to more than the 4096 bytes"));
}

// Each chunk has one number but a table of the largest size. A file with too many of these tables
// is rejected.
TEST(Pcodec, RefusesManyLargeTablesForFewNumbers) {
    std::string file = Begin(1).bytes();
    Bits chunk;
    chunk.Add(kUint32, 8).Add(0, 24).Add(kClassic, 4).Add(kNone, 4);
    chunk.Add(14, 4).Add(1, 15).Add((1U << 14) - 1, 14).Add(0, 38).Align();
    chunk.Add(0, 4 * 14).Align();
    file.resize(file.size() - 4);
    for (int i = 0; i < 100; ++i) file += chunk.bytes();
    EXPECT_TRUE(Fails(Decode(file), StatusCode::kLimit, "has tables of "));
    file.resize(file.size() - 40 * chunk.bytes().size());
    EXPECT_TRUE(Succeeds(Decode(file + '\0')));
}

// Returns `count` numbers of `size` bytes each. `distribution` (0 to 5) selects how the numbers are
// distributed.
std::string Numbers(unsigned distribution, std::size_t count, std::size_t size) {
    std::mt19937_64 random(distribution * 1000 + count);
    std::string bytes;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (distribution == 0) number = random();
        if (distribution == 1) number = 7;
        if (distribution == 2) number += random() % 11 - 5;
        if (distribution == 3) number = i * i;
        if (distribution == 4) number = random() % 50 == 0 ? random() : 1000;
        if (distribution == 5) number = std::uint64_t{1} << (random() % 64);
        for (std::size_t byte = 0; byte < size; ++byte)
            bytes += static_cast<char>(number >> (8 * byte));
    }
    return bytes;
}

TEST(PcodecEncoder, DecodesToTheInput) {
    constexpr std::uint8_t kOfEightBits = 10;
    for (std::uint8_t code = 1; code < kOfEightBits; ++code) {
        const pco::NumberType type = *pco::NumberTypeOf(code);
        for (const std::size_t count : {1U, 2U, 255U, 256U, 257U, 3000U})
            for (unsigned distribution = 0; distribution < 6; ++distribution) {
                const std::string numbers = Numbers(distribution, count, type.bits / 8);
                std::vector<std::uint8_t> file;
                const auto expect = [&](const pco::EncoderOptions& options) {
                    pco::EncodeFile(ByteSpan(numbers), type, options, file);
                    const auto again = Decode({file.begin(), file.end()}, numbers.size(), type);
                    ASSERT_TRUE(Succeeds(again));
                    EXPECT_TRUE(*again == numbers)
                        << type.name() << ", " << count << " of " << distribution;
                };
                expect({8, std::nullopt, 1U << 24});
                expect({0, std::nullopt, 100});
                expect({12, 0, 1U << 24});
                expect({8, 1, 200});
                expect({8, 7, 2});
            }
    }
}

TEST(PcodecEncoder, CompressesRegularNumbers) {
    const auto size_of = [](unsigned distribution) {
        std::vector<std::uint8_t> file;
        pco::EncodeFile(ByteSpan(Numbers(distribution, 3000, 4)), *pco::NumberTypeOf(kUint32),
                        {8, std::nullopt, 1U << 24}, file);
        return file.size();
    };
    EXPECT_LT(size_of(0), 12100U);  // 12000 bytes of noise, which cannot be compressed
    EXPECT_LT(size_of(1), 40U);
    // Neighbours differ by one of 11 values, which need log2(11) = 3.46 bits per number, so 1298
    // bytes are the optimum.
    EXPECT_LT(size_of(2), 1400U);
    EXPECT_LT(size_of(3), 60U);  // the numbers are i * i: all second differences are 2
}

}  // namespace

}  // namespace zarr::test
