// SPDX-License-Identifier: MIT
#include "core/base/text.h"

#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"

namespace zarr {
namespace {

using test::Fails;
using test::Random;
using test::Succeeds;

std::string Utf8(std::uint32_t code_point) {
    std::string text;
    AppendUtf8(text, code_point);
    return text;
}

TEST(Utf8, SpellsKnownCodePoints) {
    EXPECT_EQ(Utf8('A'), "A");
    EXPECT_EQ(Utf8(0), std::string(1, '\0'));
    EXPECT_EQ(Utf8(0xb0), "\xc2\xb0");
    EXPECT_EQ(Utf8(0x20ac), "\xe2\x82\xac");
    EXPECT_EQ(Utf8(0x1f30d), "\xf0\x9f\x8c\x8d");
    EXPECT_EQ(Utf8(0x10ffff), "\xf4\x8f\xbf\xbf");
}

TEST(Utf8, EveryCodePointRoundTrips) {
    for (std::uint32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
        if (code_point >= 0xd800 && code_point <= 0xdfff) continue;
        const std::string text = Utf8(code_point);
        const auto units = Utf8ToUcs4(text);
        ASSERT_TRUE(units.ok() && units->size() == 1 && (*units)[0] == code_point) << code_point;
    }
}

TEST(Utf8, ReplacesInvalidCodePoints) {
    for (const std::uint32_t bad : {0xd800U, 0xdfffU, 0x110000U, 0xffffffffU})
        EXPECT_EQ(Utf8(bad), "\xef\xbf\xbd");
}

TEST(Utf8, RefusesInvalidText) {
    const std::vector<std::string> bad = {
        "\x80",              // a continuation byte alone
        "\xc0\x80",          // overlong: 2 bytes for U+0000
        "\xc1\xbf",          // overlong: 2 bytes for U+007F
        "\xe0\x9f\xbf",      // overlong: 3 bytes for U+07FF
        "\xf0\x8f\xbf\xbf",  // overlong: 4 bytes for U+FFFF
        "\xed\xa0\x80",      // the surrogate U+D800
        "\xf4\x90\x80\x80",  // beyond U+10FFFF
        "\xf5\x80\x80\x80",
        "\xff",
        "\xfe",
        "\xc3",  // continuation byte missing
        "\xe2\x82",
        "\xf0\x9f\x8c",
        "\xc3(",  // "(" instead of a continuation byte
        "\xe2\x82(",
        "\xe2(\xac",
    };
    for (const std::string& text : bad) {
        EXPECT_FALSE(IsValidUtf8(text)) << Quoted(text);
        EXPECT_TRUE(Fails(Utf8ToUcs4("ab" + text), StatusCode::kCorrupt, "UTF-8 at byte 2"));
    }
    EXPECT_TRUE(IsValidUtf8(""));
    EXPECT_TRUE(IsValidUtf8("gr\xc3\xbcn"));
}

TEST(Utf8, CanBeMadeValid) {
    EXPECT_EQ(ReplaceInvalidUtf8("gr\xc3\xbcn"), "gr\xc3\xbcn");
    EXPECT_EQ(ReplaceInvalidUtf8("a\xff"
                                 "b\xe2\x82"),
              "a\xef\xbf\xbd"
              "b\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(ReplaceInvalidUtf8(""), "");
}

TEST(Ucs4, DropsThePaddingAtTheEndOnly) {
    // The code points begin at byte 1 of `units`, so none is aligned to 4 bytes.
    std::vector<std::uint8_t> units(1 + 6 * 4, 0);
    const std::uint32_t text[] = {'a', 0, 0x20ac, 'b', 0, 0};
    for (std::size_t i = 0; i < 6; ++i) StoreNative(units.data() + 1 + 4 * i, text[i]);
    using namespace std::string_literals;
    EXPECT_EQ(Ucs4ToUtf8(units.data() + 1, 6),
              "a\0\xe2\x82\xac"
              "b"s);
    EXPECT_EQ(Ucs4ToUtf8(units.data() + 1 + 16, 2), "");
    EXPECT_EQ(Ucs4ToUtf8(nullptr, 0), "");
}

TEST(Base64, KnownVectors) {  // test vectors of RFC 4648, section 10
    const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(Base64Encode(ByteSpan(std::string_view(bytes))), text);
        const auto decoded = Base64Decode(text);
        ASSERT_TRUE(Succeeds(decoded));
        EXPECT_EQ(*decoded, bytes);
    }
    EXPECT_EQ(Base64Encode(ByteSpan(std::string_view("\xfb\xff\xbf"))), "+/+/");
}

TEST(Base64, RoundTripsEveryLength) {
    Random random(1);
    for (std::size_t size = 0; size < 200; ++size) {
        const std::string bytes = random.Bytes(size);
        const auto decoded = Base64Decode(Base64Encode(ByteSpan(bytes)));
        ASSERT_TRUE(Succeeds(decoded));
        EXPECT_EQ(*decoded, bytes);
    }
}

TEST(Base64, RefusesDamagedTexts) {
    for (const char* text : {"Zg", "Zg=", "Zm9vY", "Z"})
        EXPECT_TRUE(Fails(Base64Decode(text), StatusCode::kCorrupt, "not a multiple of 4"));
    EXPECT_TRUE(Fails(Base64Decode("Zm9v\nZm9"), StatusCode::kCorrupt, "at position 4"));
    EXPECT_TRUE(Fails(Base64Decode("Zm-_"), StatusCode::kCorrupt, "at position 2"));
    EXPECT_TRUE(Fails(Base64Decode("Zg==Zg=="), StatusCode::kCorrupt, "at position 2"));
    EXPECT_TRUE(Fails(Base64Decode("Z==="), StatusCode::kCorrupt, "at position 1"));
    EXPECT_TRUE(Fails(Base64Decode("===="), StatusCode::kCorrupt, "at position 0"));
}

TEST(Shortened, CutsBetweenCharacters) {
    EXPECT_EQ(Shortened("depth", 5), "depth");
    EXPECT_EQ(Shortened("depths", 5), "depth...");
    EXPECT_EQ(Shortened("a\xc2\xb5\xe2\x82\xac", 6), "a\xc2\xb5\xe2\x82\xac");
    EXPECT_EQ(Shortened("a\xc2\xb5\xe2\x82\xac", 5), "a\xc2\xb5...");
    EXPECT_EQ(Shortened("a\xc2\xb5\xe2\x82\xac", 2), "a...");
    EXPECT_EQ(Shortened("\x80\x80\x80", 2), "...");
}

TEST(Quoted, EscapesAndCuts) {
    EXPECT_EQ(Quoted("dem"), "\"dem\"");
    EXPECT_EQ(Quoted("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\x0a\\x7f\"");
    EXPECT_EQ(Quoted(std::string_view("\0", 1)), "\"\\x00\"");
    const std::string cut = Quoted(std::string(1000, 'x'), 20);
    EXPECT_EQ(cut.substr(cut.size() - 5), "x...\"");
    EXPECT_LE(cut.size(), 25U);
}

}  // namespace
}  // namespace zarr
