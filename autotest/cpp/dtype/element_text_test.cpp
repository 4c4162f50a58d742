// SPDX-License-Identifier: MIT
#include "core/dtype/element_text.h"

#include <cmath>
#include <limits>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/dtype/fill_value.h"

namespace zarr {
namespace {

using test::Json;
using test::Random;
using test::Succeeds;
using test::Type;

std::string Element(std::string_view type, std::string_view fill) {
    auto bytes = ParseFillValue(Type(type), Json(fill));
    EXPECT_TRUE(Succeeds(bytes)) << type << " " << fill;
    return bytes.ok() ? bytes->Bytes() : std::string(16, '\0');
}

std::string Text(std::string_view type, std::string_view fill) {
    return ElementText(Type(type).Native(),
                       reinterpret_cast<const std::uint8_t*>(Element(type, fill).data()));
}

double Number(std::string_view type, std::string_view fill) {
    return ElementDouble(Type(type).Native(),
                         reinterpret_cast<const std::uint8_t*>(Element(type, fill).data()));
}

TEST(ElementText, NumbersAreExactAndShort) {
    EXPECT_EQ(Text("<i8", "-9223372036854775808"), "-9223372036854775808");
    EXPECT_EQ(Text("<u8", "18446744073709551615"), "18446744073709551615");
    EXPECT_EQ(Text("|i1", "-128"), "-128");
    EXPECT_EQ(Text("|u1", "255"), "255");
    EXPECT_EQ(Text("<i2", "-32768"), "-32768");
    EXPECT_EQ(Text("<u2", "65535"), "65535");
    EXPECT_EQ(Text("<i4", "-2147483648"), "-2147483648");
    EXPECT_EQ(Text("<u4", "4294967295"), "4294967295");
    EXPECT_EQ(Text("|b1", "true"), "1");
    EXPECT_EQ(Text("<f8", "0.1"), "0.1");
    EXPECT_EQ(Text("<f4", "0.1"), "0.1") << "as few digits as a float needs";
    EXPECT_EQ(Text("<f8", "-9999"), "-9999");
    EXPECT_EQ(Text("<f8", "NaN"), "nan");
    EXPECT_EQ(Text("<f4", "-Infinity"), "-inf");
    EXPECT_EQ(Text("<f2", "1.5"), "1.5");
    EXPECT_EQ(Text("<M8[s]", "\"NaT\""), "-9223372036854775808");
    EXPECT_EQ(Text("<m8[D]", "5"), "5");
}

TEST(ElementText, ComplexNumbersHaveBothParts) {
    EXPECT_EQ(Text("<c16", "[1.5, -2]"), "1.5-2j");
    EXPECT_EQ(Text("<c8", "[0, 0.1]"), "0+0.1j");
    EXPECT_EQ(Text("<c8", "[NaN, Infinity]"), "nan+infj");
}

TEST(ElementText, TextAndBytes) {
    EXPECT_EQ(Text("<U4", "\"a\xe2\x82\xac\""), "a\xe2\x82\xac");
    EXPECT_EQ(Text("|S5", "\"aGk=\""), "hi");
    EXPECT_EQ(Text("|S5", "0"), "");
    EXPECT_EQ(Text("|V3", "\"AQID\""), "AQID");
    EXPECT_EQ(Text(R"([["a", "|u1"], ["b", "|V2"]])", "\"AQID\""), "AQID");
}

TEST(DoubleText, ReadsBackToTheSameValue) {
    EXPECT_EQ(DoubleText(0.1), "0.1");
    EXPECT_EQ(DoubleText(1e30), "1e+30");
    EXPECT_EQ(DoubleText(std::numeric_limits<double>::quiet_NaN()), "nan");
    Random random(5);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = random.Below(UINT64_MAX);
        const auto number = LoadNative<double>(&bits);
        if (!std::isfinite(number)) continue;
        ASSERT_EQ(std::strtod(DoubleText(number).c_str(), nullptr), number);
    }
}

TEST(ElementDouble, IsTheValueOrNaN) {
    EXPECT_EQ(Number("<i8", "-9223372036854775808"), -9223372036854775808.0);
    EXPECT_EQ(Number("<u8", "18446744073709551615"), 18446744073709551616.0);
    EXPECT_EQ(Number("|i1", "-1"), -1);
    EXPECT_EQ(Number("<f2", "0.5"), 0.5);
    EXPECT_EQ(Number("<c16", "[3, 4]"), 3);
    EXPECT_EQ(Number("<c8", "[3, 4]"), 3);
    EXPECT_EQ(Number("<m8[s]", "25"), 25);
    for (const char* type : {"|S4", "<U1", "|V4", R"([["a", "<i4"]])"})
        EXPECT_TRUE(std::isnan(Number(type, "0"))) << type;
}

}  // namespace
}  // namespace zarr
