// SPDX-License-Identifier: MIT
// fletcher32: HDF5's checksum (its filter of the same name, also numcodecs.Fletcher32) after the
// data. The data are big-endian 16-bit words, a last odd byte being the high half of one. The sums
// are folded, as in ones' complement: a multiple of 65535 that is not zero gives 65535, not 0.
#include <algorithm>

#include "core/base/endian.h"
#include "core/codec/checksum.h"

namespace zarr {

namespace {

std::uint64_t Fold(std::uint64_t sum) { return sum == 0 ? 0 : (sum - 1) % 65535 + 1; }

}  // namespace

std::uint32_t Fletcher32Of(ByteSpan data) {
    constexpr std::size_t kWordsPerFold = std::size_t{1} << 16;  // sums stay below 2^49
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

}  // namespace zarr
