// SPDX-License-Identifier: MIT
// Tests of arrays of variable-length strings (dtype
// O, filter vlen-utf8).
#include <cstring>

#include "autotest/cpp/array/sample_array.h"
#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/chunk_grid.h"

namespace zarr::test {
namespace {

// Encodes strings as numcodecs.VLenUTF8 does.
std::string Encoded(const std::vector<std::string>& items) {
    const auto number = [](std::size_t n) {
        std::uint8_t bytes[4];
        StoreLittle32(bytes, static_cast<std::uint32_t>(n));
        return std::string(bytes, bytes + 4);
    };
    std::string encoded = number(items.size());
    for (const std::string& item : items) encoded += number(item.size()) + item;
    return encoded;
}

SampleSpec Names(std::vector<std::uint64_t> shape, std::vector<std::uint64_t> chunks) {
    SampleSpec spec{std::move(shape), std::move(chunks), "\"|O\"", "\"nobody\""};
    spec.filters = R"([{"id": "vlen-utf8"}])";
    return spec;
}

// Text of the element at `index`. Elements of edge chunks that lie outside of the array have a
// different text.
std::string NameOf(const DimVector<std::uint64_t>& index) {
    return "gr\xc3\xbc\xc3\x9f " + ChunkText(index) +
           std::string(index.empty() ? 0 : index[0], '.');
}

// Returns a store with all chunks except the one with the key `absent`.
std::shared_ptr<MemoryStore> Filled(const SampleSpec& spec, const std::string& absent) {
    const auto store = std::make_shared<MemoryStore>();
    const std::size_t rank = spec.shape.size();
    DimVector<std::uint64_t> grid;
    DimVector<std::uint64_t> sizes;  // chunk shape, slowest dimension first
    for (std::size_t i = 0; i < rank; ++i) {
        grid.push_back(CeilDiv(spec.shape[i], spec.chunks[i]));
        sizes.push_back(spec.chunks[spec.fortran_order ? rank - 1 - i : i]);
    }
    DimVector<std::uint64_t> chunk(rank, 0);
    do {
        std::vector<std::string> items;
        DimVector<std::uint64_t> inside(rank, 0);
        do {
            DimVector<std::uint64_t> index(rank);
            bool exists = true;
            for (std::size_t i = 0; i < rank; ++i) {
                index[i] =
                    chunk[i] * spec.chunks[i] + inside[spec.fortran_order ? rank - 1 - i : i];
                exists = exists && index[i] < spec.shape[i];
            }
            items.push_back(exists ? NameOf(index) : "overhang");
        } while (NextIndex(inside, sizes));
        const std::string key = ChunkKey("dem", chunk, '.');
        if (key == absent) continue;
        const std::string value = spec.is_compressed() ? Deflated(Encoded(items)) : Encoded(items);
        EXPECT_TRUE(Succeeds(store->Set(key, ByteSpan(value))));
    } while (NextIndex(chunk, grid));
    return store;
}

std::shared_ptr<const Array> OpenIt(const std::shared_ptr<MemoryStore>& store,
                                    const SampleSpec& spec, std::size_t cache_bytes) {
    auto array =
        Array::Open(store, "dem", spec.Metadata(), std::make_shared<ArrayContext>(cache_bytes));
    EXPECT_TRUE(Succeeds(array));
    return array.ok() ? array.Take() : nullptr;
}

TEST(Objects, GiveTheElementsOfRandomRegions) {
    Random random(23);
    for (int round = 0; round < 60; ++round) {
        SampleSpec spec;
        const std::uint64_t rank = random.Below(4);
        for (std::uint64_t i = 0; i < rank; ++i) {
            spec.shape.push_back(1 + random.Below(9));
            spec.chunks.push_back(1 + random.Below(5));
        }
        spec = Names(spec.shape, spec.chunks);
        spec.fortran_order = random.Chance();
        if (random.Chance()) spec.compressor = R"({"id": "zlib"})";
        const std::string absent = ChunkKey("dem", DimVector<std::uint64_t>(rank, 0), '.');
        const auto store = Filled(spec, absent);
        for (const std::size_t cache_bytes : {0U, 500U, 1U << 20}) {
            const auto array = OpenIt(store, spec, cache_bytes);
            for (int i = 0; i < 3; ++i) {
                const Region region = RandomRegion(random, spec.shape);
                const auto read = array->ReadObjects(region, random.Chance() ? 1 : 4);
                ASSERT_TRUE(Succeeds(read));
                ASSERT_EQ(read->size(), region.size());
                DimVector<std::uint64_t> at(rank, 0);
                for (const std::string& name : *read) {
                    DimVector<std::uint64_t> index(rank);
                    bool in_first_chunk = true;
                    for (std::size_t d = 0; d < rank; ++d) {
                        index[d] =
                            region.start[d] + at[d] * static_cast<std::uint64_t>(region.step[d]);
                        in_first_chunk = in_first_chunk && index[d] < spec.chunks[d];
                    }
                    ASSERT_EQ(name, in_first_chunk ? "nobody" : NameOf(index));
                    NextIndex(at, region.count);
                }
            }
        }
    }
}

TEST(Objects, NullFillIsTheEmptyText) {
    SampleSpec spec = Names({3}, {2});
    spec.fill_value = "null";
    const auto read =
        OpenIt(std::make_shared<MemoryStore>(), spec, 0)->ReadObjects(Region::All({3}), 1);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_EQ(*read, std::vector<std::string>(3));
}

TEST(Objects, ErrorsNameChunkAndCodec) {
    const SampleSpec spec = Names({4}, {2});
    const std::pair<std::string, const char*> cases[] = {
        {"", "dem/1: chunk [1]: vlen-utf8: "},
        {Encoded({"one"}), "dem/1: chunk [1]: vlen-utf8: holds 1 items instead of 2"},
        {Encoded({"a", "b"}).substr(0, 13), "dem/1: chunk [1]: vlen-utf8: "},
        {Encoded({"a", "b"}) + "x", "dem/1: chunk [1]: vlen-utf8: holds 1 bytes after"},
        {Encoded({"a", "\xff"}), "dem/1: chunk [1]: vlen-utf8: item 1 is not valid UTF-8"}};
    for (const auto& [value, message] : cases) {
        const auto store = Filled(spec, "");
        ASSERT_TRUE(Succeeds(store->Set("dem/1", ByteSpan(value))));
        EXPECT_TRUE(Fails(OpenIt(store, spec, 1U << 20)->ReadObjects(Region::All({4}), 2),
                          StatusCode::kCorrupt, message));
    }
}

TEST(Objects, AConverterIsApplied) {
    const SampleSpec spec = Names({4}, {2});
    const auto store = std::make_shared<MemoryStore>();
    const std::string chunk = Encoded({"a", "four"});
    ASSERT_TRUE(Succeeds(store->Set("dem/0", ByteSpan(chunk))));
    const auto array = OpenIt(store, spec, 0);
    Converter lengths;
    lengths.src_size = sizeof(ObjectRef);
    lengths.dst_size = 1;
    lengths.row = [](const Converter&, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                     const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
            ObjectRef ref;
            std::memcpy(&ref, src, sizeof ref);
            *dst = static_cast<std::uint8_t>(ref.size);
        }
    };
    std::vector<std::uint8_t> memory(4, 99);
    Region backwards = Region::All({4});
    backwards.start[0] = 3;
    backwards.step[0] = -1;
    ASSERT_TRUE(Succeeds(array->Read(backwards, 0, {memory.data(), {1}, lengths}, {2})));
    const auto nobody = static_cast<std::uint8_t>(std::string("nobody").size());
    EXPECT_EQ(memory, (std::vector<std::uint8_t>{nobody, nobody, 4, 1}));
}

TEST(Objects, AreReadAsObjectsOnly) {
    const SampleSpec names = Names({4}, {2});
    const auto array = OpenIt(Filled(names, ""), names, 0);
    std::uint8_t memory[64];
    EXPECT_TRUE(Fails(array->Read(Region::All({4}), 0, {memory, {16}, CopyConverter(16)}, {1}),
                      StatusCode::kInvalidArgument, "|O"));
    EXPECT_TRUE(Fails(array->ReadObjects(Region::All({5}), 1), StatusCode::kInvalidArgument));
    const SampleSpec numbers{{4}, {2}};
    const auto other = OpenIt(std::make_shared<MemoryStore>(), numbers, 0);
    EXPECT_TRUE(
        Fails(other->ReadObjects(Region::All({4}), 1), StatusCode::kInvalidArgument, "<i4"));
}

TEST(Objects, NeedACodec) {
    SampleSpec spec = Names({4}, {2});
    spec.filters = "null";
    EXPECT_TRUE(Fails(Array::CheckCodecs(spec.Metadata()), StatusCode::kCorrupt, "vlen-utf8"));
    spec.compressor = R"({"id": "zlib"})";
    EXPECT_TRUE(Fails(Array::CheckCodecs(spec.Metadata()), StatusCode::kCorrupt, "first filter"));
}

}  // namespace
}  // namespace zarr::test
