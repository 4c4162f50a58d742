// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/guarded_memory.h"
#include "core/base/row_converter.h"
#include "core/grid/copy.h"

namespace zarr {
namespace {

using test::GuardedMemory;
using test::Random;

constexpr std::size_t kLine = 64;
constexpr std::size_t kOffsets[] = {0, 1, 8, 15, 16, 17, 31, 33, 48, 63};

// Memory that begins at the start of a CPU cache line.
class Lines {
  public:
    explicit Lines(std::size_t size, std::uint8_t fill) : memory_(size + kLine, fill) {
        const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
        first_ = memory_.data() + (kLine - at % kLine) % kLine;
    }
    std::uint8_t* data() { return first_; }

  private:
    std::vector<std::uint8_t> memory_;
    std::uint8_t* first_;
};

// Copies each number of bytes in `sizes` from and to all offsets in a cache line. Also compares the
// bytes around the copy, which must not change.
void CheckSizes(const std::vector<std::size_t>& sizes) {
    const std::size_t room = sizes.back() + 4 * kLine;
    Random random(71);
    const std::string bytes = random.Bytes(room);
    Lines src(room, 0);
    std::copy(bytes.begin(), bytes.end(), src.data());
    Lines dst(room, 0xcc);
    Lines expected(room, 0xcc);
    for (const std::size_t to : kOffsets) {
        for (const std::size_t from : kOffsets) {
            for (const std::size_t size : sizes) {
                std::uint8_t* const copy = dst.data() + kLine + to;
                std::memcpy(expected.data() + kLine + to, src.data() + from, size);
                StreamedCopy(copy, src.data() + from, size);
                EndStreamedCopies();
                ASSERT_EQ(std::memcmp(dst.data(), expected.data(), room), 0)
                    << size << " bytes, " << from << " to " << to;
                std::memset(copy, 0xcc, size);
                std::memset(expected.data() + kLine + to, 0xcc, size);
            }
        }
    }
}

TEST(StreamedCopy, CopiesEverySmallSizeAtAnyOffsets) {
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size <= 600; ++size) sizes.push_back(size);
    CheckSizes(sizes);
}

TEST(StreamedCopy, CopiesLargeSizesAtAnyOffsets) { CheckSizes({4095, 4096, 4159, 70001}); }

TEST(StreamedCopy, TouchesNothingPastEitherEnd) {
    GuardedMemory src;
    GuardedMemory dst;
    Random random(72);
    for (std::size_t size = 0; size <= 600; ++size) {
        const std::string bytes = random.Bytes(size);
        const ByteSpan from = src.Copy(ByteSpan(bytes));
        const MutableByteSpan to = dst.Last(size);
        StreamedCopy(to.data, from.data, size);
        EndStreamedCopies();
        ASSERT_EQ(ByteSpan(to).text(), bytes);
    }
}

TEST(StreamedCopy, CanBeSeenByAnotherThreadOnceItEnded) {
    Random random(73);
    const std::string bytes = random.Bytes(std::size_t{4} << 20);
    std::string copy(bytes.size(), '\0');
    std::thread other([&] {
        StreamedCopy(reinterpret_cast<std::uint8_t*>(copy.data()),
                     reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        EndStreamedCopies();
    });
    other.join();
    EXPECT_TRUE(copy == bytes);
}

TEST(StreamedCopyConverter, HasThePropertiesOfCopyConverter) {
    for (const std::size_t size : {0U, 1U, 4U, 8U, 24U}) {
        const Converter plain = CopyConverter(size);
        const Converter op = StreamedCopyConverter(size);
        EXPECT_TRUE(op.is_copy);
        EXPECT_EQ(op.dst_size, plain.dst_size);
        EXPECT_EQ(op.src_size, plain.src_size);
        EXPECT_EQ(op.unit, plain.unit);
        EXPECT_EQ(op.context, plain.context);
        EXPECT_NE(op.finish, nullptr);
        EXPECT_EQ(plain.finish, nullptr);
    }
}

// Copies windows with long rows, for which the converter uses streaming stores. Rows begin at any
// offset in a cache line.
TEST(StreamedCopyConverter, CopiesWindowsLikeCopyConverter) {
    constexpr std::uint64_t kSeed = 74;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    for (int round = 0; round < 150; ++round) {
        const std::size_t size = std::size_t{1} << random.Below(4);
        const DimVector<std::uint64_t> room{1 + random.Below(4), 1 + random.Below(12),
                                            1 + random.Below(1500)};
        DimVector<std::uint64_t> count;
        for (const std::uint64_t n : room)
            count.push_back(random.Below(3) == 0 ? n : 1 + random.Below(n));
        const Strides whole = ContiguousStrides(room, size, random.Below(4) == 0);
        const Strides packed = ContiguousStrides(count, size, random.Below(4) == 0);
        const bool gathers = random.Chance();
        const auto bytes = static_cast<std::size_t>(room[0] * room[1] * room[2]) * size;
        const std::string src = random.Bytes(bytes + kLine);
        const std::size_t from = random.Below(kLine);
        const std::size_t to = random.Below(kLine);
        std::string streamed(bytes + kLine, '\xcc');
        std::string plain = streamed;
        const auto copy = [&](std::string& dst, const Converter& op) {
            CopyBlock(count, reinterpret_cast<std::uint8_t*>(dst.data()) + to,
                      gathers ? packed : whole,
                      reinterpret_cast<const std::uint8_t*>(src.data()) + from,
                      gathers ? whole : packed, op);
        };
        copy(streamed, StreamedCopyConverter(size));
        copy(plain, CopyConverter(size));
        ASSERT_TRUE(streamed == plain) << "round " << round;
    }
}

int rows = 0;
int finishes = 0;
int rows_at_finish = 0;

TEST(CopyBlock, FinishesOnceAfterTheLastRow) {
    Converter op = CopyConverter(1);
    op.row = [](const Converter&, std::uint8_t*, std::ptrdiff_t, const std::uint8_t*,
                std::ptrdiff_t, std::size_t) { ++rows; };
    op.finish = [] {
        ++finishes;
        rows_at_finish = rows;
    };
    std::uint8_t dst[100] = {};
    const std::uint8_t src[100] = {};
    CopyBlock({4, 5}, dst, {20, 1}, src, {10, 1}, op);
    EXPECT_EQ(rows, 4);
    EXPECT_EQ(rows_at_finish, 4);
    EXPECT_EQ(finishes, 1);
    FillBlock({2, 2}, dst, {20, 1}, src, op);
    EXPECT_EQ(rows_at_finish, rows);
    EXPECT_EQ(finishes, 2);
    CopyBlock({}, dst, {}, src, {}, op);
    EXPECT_EQ(rows_at_finish, rows);
    EXPECT_EQ(finishes, 3);
}

}  // namespace
}  // namespace zarr
