// SPDX-License-Identifier: MIT
#include <cstring>

#include "autotest/cpp/support/checks.h"
#include "core/base/bytes.h"

namespace zarr {
namespace {

using test::BufferOf;
using test::Fails;
using test::Succeeds;
using test::TextOf;

// A size that no machine can allocate, but that an allocator does not reject as invalid.
constexpr std::size_t kTooMuch = SIZE_MAX / 4;

TEST(Buffer, KeepsThePrefixWhenResized) {
    Buffer buffer = BufferOf("chunk");
    ASSERT_TRUE(Succeeds(buffer.Resize(100000)));
    EXPECT_EQ(buffer.size(), 100000U);
    EXPECT_EQ(std::memcmp(buffer.data(), "chunk", 5), 0);
    ASSERT_TRUE(Succeeds(buffer.Resize(3)));
    EXPECT_EQ(TextOf(buffer), "chu");
    EXPECT_GE(buffer.capacity(), 100000U);
}

TEST(Buffer, KeepsItsMemoryWhenItShrinksAndGrowsBack) {
    Buffer buffer;
    ASSERT_TRUE(Succeeds(buffer.Reset(4096)));
    const std::uint8_t* before = buffer.data();
    ASSERT_TRUE(Succeeds(buffer.Reset(0)));
    EXPECT_EQ(buffer.size(), 0U);
    ASSERT_TRUE(Succeeds(buffer.Reset(4096)));
    EXPECT_EQ(buffer.data(), before);
}

TEST(Buffer, IsEmptyAndUsableAfterItWasMovedFrom) {
    Buffer from = BufferOf("chunk");
    const Buffer to = std::move(from);
    EXPECT_EQ(TextOf(to), "chunk");
    // NOLINTNEXTLINE(bugprone-use-after-move): the test checks a moved-from buffer
    EXPECT_EQ(from.size() + from.capacity(), 0U);
    ASSERT_TRUE(Succeeds(from.Reset(3)));
    ASSERT_NE(from.data(), nullptr);
    Buffer other = BufferOf("other");
    other = std::move(from);
    EXPECT_EQ(other.size(), 3U);
    EXPECT_EQ(from.capacity(), 0U);
}

TEST(Buffer, IsAlignedForAnyScalar) {
    for (const std::size_t size : {1U, 7U, 33U, 1000U}) {
        Buffer buffer;
        ASSERT_TRUE(Succeeds(buffer.Resize(size)));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % alignof(std::max_align_t), 0U);
    }
}

TEST(Buffer, AssignsBytesAndNoBytes) {
    Buffer buffer = BufferOf("a longer text");
    ASSERT_TRUE(Succeeds(buffer.Assign(ByteSpan(std::string_view("ab")))));
    EXPECT_EQ(TextOf(buffer), "ab");
    ASSERT_TRUE(Succeeds(buffer.Assign(ByteSpan())));
    EXPECT_EQ(buffer.size(), 0U);
}

TEST(Buffer, MovesItsBytes) {
    Buffer from = BufferOf("payload");
    const Buffer to = std::move(from);
    EXPECT_EQ(TextOf(to), "payload");
}

TEST(Buffer, ReportsOutOfMemory) {
    Buffer buffer = BufferOf("kept");
    EXPECT_TRUE(Fails(buffer.Resize(kTooMuch), StatusCode::kOutOfMemory,
                      "cannot allocate " + std::to_string(kTooMuch) + " bytes"));
    EXPECT_EQ(TextOf(buffer), "kept");
    EXPECT_TRUE(Fails(buffer.Reset(kTooMuch), StatusCode::kOutOfMemory, "cannot allocate"));
    ASSERT_TRUE(Succeeds(buffer.Reset(5)));
    EXPECT_EQ(buffer.size(), 5U);
}

TEST(ByteSpan, ShowsTextAndTails) {
    const ByteSpan span(std::string_view("zarr"));
    EXPECT_EQ(span.From(1).text(), "arr");
    EXPECT_EQ(span.From(4).size, 0U);
}

}  // namespace
}  // namespace zarr
