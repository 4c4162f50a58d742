// SPDX-License-Identifier: MIT
#include "core/references/snappy.h"

#include <gtest/gtest.h>

#include <string>

namespace zarr {
namespace {

std::string Decompressed(const std::string& compressed, std::size_t size) {
    std::string bytes(size, '?');
    const Status status = DecompressSnappy(
        ByteSpan(compressed), {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return status.ok() ? bytes : status.message();
}

constexpr const char* kDamaged = "the Snappy data is damaged or truncated";

TEST(Snappy, CopiesLiterals) {
    EXPECT_EQ(Decompressed(std::string("\x00", 1), 0), "");
    EXPECT_EQ(Decompressed("\x03\x08"
                           "abc",
                           3),
              "abc");
    // The length of a literal of 61 bytes may be stored in 1 to 4 bytes after the tag.
    const std::string text(61, 'x');
    EXPECT_EQ(Decompressed("\x3d\xf0\x3c" + text, 61), text);
    EXPECT_EQ(Decompressed(std::string("\x3d\xf4\x3c\x00", 4) + text, 61), text);
    EXPECT_EQ(Decompressed(std::string("\x3d\xf8\x3c\x00\x00", 5) + text, 61), text);
    EXPECT_EQ(Decompressed(std::string("\x3d\xfc\x3c\x00\x00\x00", 6) + text, 61), text);
}

TEST(Snappy, RepeatsEarlierBytes) {
    const std::string abc =
        "\x08"
        "abc";
    EXPECT_EQ(Decompressed("\x07" + abc + "\x01\x03", 7), "abcabca");  // 4 bytes
    EXPECT_EQ(Decompressed(std::string("\x06") + abc + std::string("\x0a\x01\x00", 3), 6),
              "abcccc");  // 3 bytes
    EXPECT_EQ(Decompressed(std::string("\x05") + abc + std::string("\x07\x02\x00\x00\x00", 5), 5),
              "abcbc");
    // The copy has an offset of 258. Its upper bits are in the tag byte, its lower bits in the next
    // byte.
    std::string text = "ab" + std::string(256, 'x');
    EXPECT_EQ(Decompressed("\x86\x02\xf4" + std::string("\x01\x01", 2) + text + "\x21\x02", 262),
              text + "abxx");
}

TEST(Snappy, RejectsDamage) {
    EXPECT_EQ(Decompressed("", 0), kDamaged);
    EXPECT_EQ(Decompressed("\xff\xff\xff\xff\xff\xff", 3), kDamaged);
    EXPECT_EQ(Decompressed("\x03\x08"
                           "ab",
                           3),
              kDamaged);  // error: the literal has fewer bytes than its tag states
    EXPECT_EQ(Decompressed("\x03\x04"
                           "ab",
                           3),
              kDamaged);  // error: decompresses to 2 bytes, but states 3
    EXPECT_EQ(Decompressed("\x02\x08"
                           "abc",
                           2),
              kDamaged);  // error: decompresses to 3 bytes, but states 2
    EXPECT_EQ(Decompressed(std::string("\x04\x01\x01", 3), 4),
              kDamaged);  // error: no earlier byte to repeat
    EXPECT_EQ(Decompressed(std::string("\x05\x00"
                                       "a\x01\x00",
                                       5),
                           5),
              kDamaged);  // error: offset 0
    EXPECT_EQ(Decompressed(std::string("\x04\x00"
                                       "a\x01\x01",
                                       5),
                           4),
              kDamaged);  // error: repeats more bytes than the result may have
    EXPECT_EQ(Decompressed("\x03\xf0", 3), kDamaged);
    EXPECT_EQ(Decompressed("\x03\x03\x01", 3), kDamaged);
    EXPECT_EQ(Decompressed("\x04\x08"
                           "abc",
                           3),
              "the Snappy data contains 4 bytes, but the page has 3");
}

}  // namespace
}  // namespace zarr
