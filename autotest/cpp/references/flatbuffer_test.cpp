// SPDX-License-Identifier: MIT
#include "core/references/flatbuffer.h"

#include <gtest/gtest.h>

#include <string>

#include "autotest/cpp/support/flat_writer.h"

namespace zarr {
namespace {

// Returns a flatbuffer with one table. Its fields are uint8 7, uint32 70000, an absent field, the
// string "text", uint64 2^40, a struct of 12 bytes, and a vector of two tables.
std::string Sample() {
    FlatWriter out;
    out.Link(0);
    // The vtable precedes the table, so the offset to the root table is known only now.
    const std::size_t root = out.Table({1, 4, 0, 4, 8, 12, 4});
    out.Put(0, root, 4);
    out.Put(out.Field(root, 0), 7, 1);
    out.Put(out.Field(root, 1), 70000, 4);
    out.Put(out.Field(root, 4), std::uint64_t{1} << 40U, 8);
    out.PutBytes(out.Field(root, 5), "ABCDEFGHIJKL");
    out.String(out.Field(root, 3), "text");
    const std::size_t list = out.Offsets(out.Field(root, 6), 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t item = out.Table({1});
        out.Put(list + 4 * i, item - (list + 4 * i), 4);
        out.Put(out.Field(item, 0), 10 + i, 1);
    }
    return out.bytes();
}

// Reads every field of a buffer that has the layout of the buffer of Sample(). Returns "ok" or the
// first error.
std::string ReadFlatbuffer(ByteSpan buffer) {
    const auto read = [&]() -> Status {
        ZARR_ASSIGN_OR_RETURN(const FlatTable root, FlatTable::Root(buffer, "Ichk"));
        ZARR_RETURN_IF_ERROR(root.Uint8(0, 0).status());
        ZARR_RETURN_IF_ERROR(root.Uint32(1, 0).status());
        ZARR_RETURN_IF_ERROR(root.Uint64(4, 0).status());
        ZARR_RETURN_IF_ERROR(root.String(3).status());
        ZARR_RETURN_IF_ERROR(root.Struct(5, 12).status());
        ZARR_ASSIGN_OR_RETURN(const auto list, root.Vector(6, 4));
        for (std::size_t i = 0; list && i < list->size(); ++i) {
            ZARR_ASSIGN_OR_RETURN(const FlatTable item, list->Table(i));
            ZARR_RETURN_IF_ERROR(item.Uint8(0, 0).status());
        }
        return {};
    };
    const Status status = read();
    return status.ok() ? "ok" : status.message();
}

TEST(Flatbuffer, ReadsFields) {
    const std::string bytes = Sample();
    const auto root = FlatTable::Root(ByteSpan(bytes), "Ichk");
    ASSERT_TRUE(root.ok()) << root.status().message();
    EXPECT_EQ(*root->Uint8(0, 1), 7);
    EXPECT_EQ(*root->Uint32(1, 1), 70000U);
    EXPECT_EQ(*root->Uint32(2, 42), 42U);
    EXPECT_EQ(*root->Uint8(99, 42), 42);
    EXPECT_EQ(**root->String(3), "text");
    EXPECT_FALSE(root->String(2)->has_value());
    EXPECT_EQ(*root->Uint64(4, 0), std::uint64_t{1} << 40U);
    EXPECT_EQ((**root->Struct(5, 12)).text(), "ABCDEFGHIJKL");
    const auto list = root->Vector(6, 4);
    ASSERT_EQ((*list)->size(), 2U);
    EXPECT_EQ(*(*list)->Table(1)->Uint8(0, 0), 11);
}

TEST(Flatbuffer, RefusesAnotherIdentifierAndShortBuffers) {
    const std::string bytes = Sample();
    EXPECT_EQ(FlatTable::Root(ByteSpan(bytes), "Othr").status().message(),
              "byte 4 of the flatbuffer: the buffer has another identifier");
    EXPECT_EQ(FlatTable::Root(ByteSpan(std::string_view("1234567")), "Ichk").status().code(),
              StatusCode::kCorrupt);
    EXPECT_EQ(FlatTable::Root(ByteSpan(), "Ichk").status().code(), StatusCode::kCorrupt);
}

TEST(Flatbuffer, RefusesOffsetsThatLeadOutside) {
    const std::string good = Sample();
    const auto with = [&](std::size_t at, std::uint32_t value) {
        std::string bytes = good;
        for (std::size_t i = 0; i < 4; ++i)
            bytes[at + i] = static_cast<char>((value >> (8 * i)) & 255U);
        return ReadFlatbuffer(ByteSpan(bytes));
    };
    const auto root = static_cast<std::uint32_t>(static_cast<unsigned char>(good[0]));
    EXPECT_EQ(with(0, 0), "byte 0 of the flatbuffer: the offset leads outside");
    EXPECT_EQ(with(0, 0xffffffff), "byte 0 of the flatbuffer: the offset leads outside");
    EXPECT_EQ(
        with(0, static_cast<std::uint32_t>(good.size() - 3)),
        "byte " + std::to_string(good.size() - 3) + " of the flatbuffer: the table lies outside");
    // The distance to the vtable is signed. Large values lead before the buffer or past its end.
    EXPECT_NE(with(root, 0x80000000), "ok");
    EXPECT_NE(with(root, 0x7fffffff), "ok");
}

TEST(Flatbuffer, ReadsWithinTheBufferWhateverTheBytes) {
    const std::string good = Sample();
    ASSERT_EQ(ReadFlatbuffer(ByteSpan(good)), "ok");
    for (std::size_t size = 0; size < good.size(); ++size) {
        // A copy of the truncated buffer, so that AddressSanitizer notices a read past its end.
        const std::vector<char> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_NE(ReadFlatbuffer(ByteSpan(std::string_view(cut.data(), cut.size()))), "ok") << size;
    }
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
            std::vector<char> bytes(good.begin(), good.end());
            bytes[at] = static_cast<char>(value);
            static_cast<void>(
                ReadFlatbuffer(ByteSpan(std::string_view(bytes.data(), bytes.size()))));
        }
}

}  // namespace
}  // namespace zarr
