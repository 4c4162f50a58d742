// SPDX-License-Identifier: MIT
#include "core/base/digest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace zarr {
namespace {

// Published reference value of the 64-bit FNV-1a hash of "foobar".
TEST(Digest, IsFnv1a) { EXPECT_EQ(DigestOf("foobar").value(), 0x85944171f73967e8U); }

// A write can change the encoded sizes of two chunks by the same amount, for example if all pixels
// get one value. The sum of the digests of both keys and sizes must still change.
TEST(Digest, SumsTellContentsApart) {
    std::set<std::uint64_t> sums;
    for (std::uint64_t size = 1; size <= 4096; ++size)
        sums.insert(DigestOf("c/0/0/0").Add(size).Summand() +
                    DigestOf("c/1/0/0").Add(size).Summand());
    EXPECT_EQ(sums.size(), 4096U);
}

// Check values of "CRC-32/ISO-HDLC" in the catalogue of CRC algorithms.
TEST(Digest, HasTheCrcOfZipFiles) {
    constexpr std::string_view kDigits = "123456789";
    EXPECT_EQ(Crc32Of({reinterpret_cast<const std::uint8_t*>(kDigits.data()), kDigits.size()}),
              0xcbf43926U);
    EXPECT_EQ(Crc32Of({}), 0U);
}

}  // namespace
}  // namespace zarr
