// SPDX-License-Identifier: MIT
// Arrays with a rectilinear chunk or shard grid, with a model of their contents in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/array/sample_array.h"
#include "core/array/array_writer.h"
#include "core/dtype/stored_converter.h"

namespace zarr::test {

using Sizes = std::vector<std::uint64_t>;

// Returns `metadata` with a rectilinear grid. `sizes` lists the sizes of the chunks, or of the
// outermost shards, along each dimension. A dimension with an empty list stays regular.
inline ArrayMetadata WithSizes(ArrayMetadata metadata, const std::vector<Sizes>& sizes) {
    Sizes& largest = metadata.shards.empty() ? metadata.chunks : metadata.shards.front().shape;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Sizes ends(sizes[i].size());
        std::partial_sum(sizes[i].begin(), sizes[i].end(), ends.begin());
        if (!ends.empty()) largest[i] = GridAxis(metadata.shape[i], ends).LargestSize();
        metadata.edges.push_back(std::move(ends));
    }
    return metadata;
}

inline ArrayMetadata Rectilinear(const SampleSpec& spec, const std::vector<Sizes>& sizes) {
    return WithSizes(spec.Metadata(), sizes);
}

// An array with a rectilinear grid, a writer of the array, and a model of its contents.
struct Uneven {
    Uneven(const SampleSpec& spec, const std::vector<Sizes>& sizes, std::size_t cache_bytes,
           std::size_t pending_bytes)
        : Uneven(Rectilinear(spec, sizes), cache_bytes, pending_bytes) {}
    Uneven(ArrayMetadata described, std::size_t cache_bytes, std::size_t pending_bytes)
        : metadata(std::move(described)) {
        array = Open(cache_bytes);
        auto opened = ArrayWriter::Open(array, store, pending_bytes);
        EXPECT_TRUE(Succeeds(opened));
        writer = opened.Take();
        model = UnwrittenElements(metadata);
    }

    std::shared_ptr<const Array> Open(std::size_t cache_bytes) const {
        auto opened =
            Array::Open(store, "dem", metadata, std::make_shared<ArrayContext>(cache_bytes));
        EXPECT_TRUE(Succeeds(opened));
        return opened.Take();
    }

    // Calls visit(offset) for each element of `region`, in row-major order. `offset` is the byte
    // offset of the element in the model.
    template <class Visit>
    void ForEach(const Region& region, const Visit& visit) const {
        if (region.size() == 0) return;
        DimVector<std::uint64_t> at(metadata.rank(), 0);
        do {
            std::uint64_t place = 0;
            for (std::size_t i = 0; i < metadata.rank(); ++i)
                place = place * metadata.shape[i] + region.start[i] +
                        at[i] * static_cast<std::uint64_t>(region.step[i]);
            visit(static_cast<std::size_t>(place) * metadata.dtype.size);
        } while (NextIndex(at, region.count));
    }

    Status Write(const Region& region, const std::string& elements, std::size_t threads) {
        const DataType& type = metadata.dtype;
        ZARR_ASSIGN_OR_RETURN(const Converter op, WriteConverter(type.Native(), type));
        const Source source{reinterpret_cast<const std::uint8_t*>(elements.data()),
                            ContiguousStrides(region.count, type.size, false), op};
        std::size_t from = 0;
        ForEach(region, [&](std::size_t place) {
            model.replace(place, type.size, elements, from, type.size);
            from += type.size;
        });
        return writer->Write(region, 0, source, threads);
    }

    Status WriteRandom(Random& random, const Region& region, std::size_t threads) {
        return Write(region,
                     random.Bytes(static_cast<std::size_t>(region.size()) * metadata.dtype.size),
                     threads);
    }

    std::string Expected(const Region& region) const {
        std::string expected;
        ForEach(region,
                [&](std::size_t place) { expected.append(model, place, metadata.dtype.size); });
        return expected;
    }

    void CheckRead(const Array& read, const Region& region, std::size_t threads) const {
        const auto elements = ReadRowMajor(read, region, threads);
        ASSERT_TRUE(Succeeds(elements));
        ASSERT_EQ(*elements, Expected(region));
    }

    ArrayMetadata metadata;
    std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
    std::shared_ptr<const Array> array;
    std::unique_ptr<ArrayWriter> writer;
    std::string model;
};

}  // namespace zarr::test
