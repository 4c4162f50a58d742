// SPDX-License-Identifier: MIT
// Reads random regions of random arrays and compares them with a model, element by element.
#include <algorithm>
#include <cstring>

#include "autotest/cpp/array/sample_array.h"
#include "core/dtype/stored_converter.h"

namespace zarr::test {
namespace {

constexpr const char* kStruct =
    R"([["id", "|u1"], ["height", ">i4"], ["at", [["x", "<f8"], ["y", ">f8"]]], ["n", ">i2", [2]]])";

struct TypeAndFill {
    const char* dtype;
    const char* fill;
};
constexpr TypeAndFill kTypes[] = {{"\"|u1\"", "200"},        {"\"|b1\"", "true"},
                                  {"\"<i2\"", "-3"},         {"\">i2\"", "-3"},
                                  {"\"<f4\"", "\"NaN\""},    {"\">f8\"", "0.1"},
                                  {"\"<i8\"", "null"},       {"\">c16\"", "[1, -2]"},
                                  {"\">U3\"", "\"ab\""},     {"\"|S5\"", "\"aGVsbG8=\""},
                                  {"\">M8[s]\"", "\"NaT\""}, {"\"|V3\"", "0"},
                                  {kStruct, "null"}};

SampleSpec RandomSpec(Random& random) {
    SampleSpec spec;
    const std::uint64_t rank = random.Below(5);
    for (std::uint64_t i = 0; i < rank; ++i) {
        spec.shape.push_back(random.Below(30) == 0 ? 0 : 1 + random.Below(rank < 3 ? 40 : 9));
        spec.chunks.push_back(1 + random.Below(random.Chance() ? 5 : 12));
    }
    const TypeAndFill& type = kTypes[random.Below(std::size(kTypes))];
    spec.dtype = type.dtype;
    spec.fill_value = type.fill;
    spec.fortran_order = random.Chance();
    spec.separator = random.Chance() ? '.' : '/';
    if (random.Chance()) spec.compressor = R"({"id": "zlib"})";
    return spec;
}

TEST(ArrayRead, GivesTheElementsOfRandomRegions) {
    Random random(11);
    const std::size_t threads[] = {1, 2, 16};
    for (int round = 0; round < 700; ++round) {
        const SampleArray sample(random, RandomSpec(random));
        // The cache has no room, room for at most one chunk, or room for all chunks.
        for (const std::size_t cache_bytes : {0U, 300U, 1U << 20}) {
            const auto array = sample.Open(cache_bytes);
            ASSERT_NE(array, nullptr);
            for (int i = 0; i < 4; ++i) {
                const Region region = i == 0 ? Region::All(sample.spec().shape)
                                             : RandomRegion(random, sample.spec().shape);
                const auto read = ReadRowMajor(*array, region, threads[random.Below(3)]);
                ASSERT_TRUE(Succeeds(read)) << sample.spec().Text();
                ASSERT_TRUE(*read == sample.Expected(region))
                    << sample.spec().Text() << "\nround " << round << ", cache " << cache_bytes;
            }
        }
    }
}

// The strides of the destination have any order and sign. Bytes between the elements must not
// change.
TEST(ArrayRead, ScattersIntoAnyStrides) {
    Random random(12);
    for (int round = 0; round < 400; ++round) {
        const SampleArray sample(random, RandomSpec(random));
        const std::size_t size = sample.metadata().dtype.size;
        const Region region = RandomRegion(random, sample.spec().shape);
        const std::size_t rank = region.count.size();
        std::vector<std::size_t> order(rank);
        for (std::size_t i = 0; i < rank; ++i) order[i] = i;
        for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
        Strides strides(rank);
        std::size_t stride = size + random.Below(4);
        std::size_t first = 0;
        for (const std::size_t axis : order) {
            const auto n = static_cast<std::size_t>(std::max<std::uint64_t>(region.count[axis], 1));
            const bool backwards = random.Chance();
            strides[axis] = static_cast<std::ptrdiff_t>(stride) * (backwards ? -1 : 1);
            if (backwards) first += stride * (n - 1);
            stride = stride * n + random.Below(3);
        }
        std::vector<std::uint8_t> memory(stride, 0xcc);
        std::vector<std::uint8_t> expected = memory;
        const std::string elements = sample.Expected(region);
        DimVector<std::uint64_t> at(rank, 0);
        for (std::size_t e = 0; e * size < elements.size(); ++e, NextIndex(at, region.count)) {
            auto place = static_cast<std::ptrdiff_t>(first);
            for (std::size_t i = 0; i < rank; ++i)
                place += static_cast<std::ptrdiff_t>(at[i]) * strides[i];
            std::memcpy(expected.data() + place, elements.data() + e * size, size);
        }
        const auto array = sample.Open(random.Chance() ? 1U << 20 : 0);
        const DataType native = sample.metadata().dtype.Native();
        const auto op = ReadConverter(array->metadata().dtype, native);
        ASSERT_TRUE(Succeeds(op));
        ASSERT_TRUE(Succeeds(array->Read(region, 0, {memory.data() + first, strides, *op}, {2})));
        ASSERT_TRUE(memory == expected) << sample.spec().Text() << "\nround " << round;
    }
}

TEST(ArrayRead, PicksFieldsOfStructures) {
    Random random(13);
    for (int round = 0; round < 60; ++round) {
        SampleSpec spec = RandomSpec(random);
        spec.dtype = kStruct;
        spec.fill_value = round % 2 == 0 ? "null" : "\"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ==\"";
        const SampleArray sample(random, spec);
        for (const std::size_t cache_bytes : {0U, 1U << 20}) {
            const auto array = sample.Open(cache_bytes);
            for (const Field& field : array->metadata().dtype.fields) {
                const Region region = RandomRegion(random, spec.shape);
                const auto op = ReadConverter(field.type, field.type.Native());
                ASSERT_TRUE(Succeeds(op));
                const std::size_t size = field.type.size;
                std::string memory(static_cast<std::size_t>(region.size()) * size, '\xcc');
                const Destination destination{reinterpret_cast<std::uint8_t*>(memory.data()),
                                              ContiguousStrides(region.count, size, false), *op};
                ASSERT_TRUE(Succeeds(array->Read(region, field.offset, destination, {2})));
                ASSERT_TRUE(memory == sample.Expected(region, field.offset, size)) << field.name;
            }
        }
    }
}

TEST(ArrayRead, Widens) {
    Random random(14);
    SampleSpec spec{{30, 17}, {8, 5}, "\"|i1\"", "-1"};
    const SampleArray sample(random, spec);
    const Region region = Region::All(spec.shape);
    const auto op = ReadConverter(sample.metadata().dtype, ParseTypestr("<i2")->Native());
    std::vector<std::int16_t> memory(30 * 17);
    const Destination destination{reinterpret_cast<std::uint8_t*>(memory.data()),
                                  ContiguousStrides(region.count, 2, false), *op};
    ASSERT_TRUE(Succeeds(sample.Open(1U << 20)->Read(region, 0, destination, {2})));
    const std::string expected = sample.Expected(region);
    for (std::size_t i = 0; i < memory.size(); ++i)
        ASSERT_EQ(memory[i], static_cast<signed char>(expected[i]));
}

TEST(ArrayRead, ReadsNoDimensions) {
    Random random(15);
    for (const bool absent : {false, true}) {
        SampleSpec spec;
        spec.dtype = "\">f8\"";
        spec.fill_value = "2.5";
        const SampleArray sample(random, spec, false);
        if (absent) {
            ASSERT_TRUE(Succeeds(sample.store()->Erase("dem/0")));
        }
        for (const std::size_t cache_bytes : {0U, 1000U}) {
            const auto read = ReadRowMajor(*sample.Open(cache_bytes), Region::All({}), 4);
            ASSERT_TRUE(Succeeds(read));
            if (absent) {
                EXPECT_EQ(*read, sample.metadata().fill_value.Bytes());
            } else {
                EXPECT_EQ(*read, sample.Expected(Region::All({})));
            }
        }
    }
}

TEST(ArrayRead, ReadsThirtyTwoDimensions) {
    Random random(16);
    SampleSpec spec;
    for (int i = 0; i < 32; ++i) {
        spec.shape.push_back(i % 10 == 0 ? 3 : 1);
        spec.chunks.push_back(i % 20 == 0 ? 2 : 1);
    }
    const SampleArray sample(random, spec);
    const auto read = ReadRowMajor(*sample.Open(0), Region::All(spec.shape), 2);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_EQ(*read, sample.Expected(Region::All(spec.shape)));
}

}  // namespace
}  // namespace zarr::test
