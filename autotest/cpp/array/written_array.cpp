// SPDX-License-Identifier: MIT
#include "autotest/cpp/array/written_array.h"

#include "core/array/array_writer.h"

namespace zarr::test {

WrittenArray::WrittenArray(Random& random, const SampleSpec& spec)
    : context(std::make_shared<ArrayContext>(std::size_t{64} << 20)) {
    auto opened = Array::Open(store, "dem", spec.Metadata(), context);
    EXPECT_TRUE(Succeeds(opened));
    array = opened.Take();
    const std::size_t size = array->metadata().dtype.size;
    std::size_t bytes = size;
    for (const std::uint64_t n : spec.shape) bytes *= static_cast<std::size_t>(n);
    contents.reserve(bytes);
    for (std::size_t i = 0; i < bytes; ++i)  // 48 bytes that compress well, then 16 that do not
        contents.push_back(static_cast<char>(random.Below(i % 64 < 48 ? 2 : 256)));
    auto writer = ArrayWriter::Open(array, store, 0);
    EXPECT_TRUE(Succeeds(writer));
    const Source source{reinterpret_cast<const std::uint8_t*>(contents.data()),
                        ContiguousStrides(Dims(spec.shape), size, false), CopyConverter(size)};
    EXPECT_TRUE(Succeeds((*writer)->Write(Region::All(spec.shape), 0, source, 2)));
}

std::shared_ptr<const Array> WrittenArray::Open(std::size_t cache_bytes,
                                                std::shared_ptr<const Store> through) const {
    auto opened = Array::Open(through != nullptr ? std::move(through) : store, "dem",
                              array->metadata(), std::make_shared<ArrayContext>(cache_bytes));
    EXPECT_TRUE(Succeeds(opened));
    return opened.ok() ? opened.Take() : nullptr;
}

std::string WrittenArray::Expected(const Region& region) const {
    const std::size_t size = array->metadata().dtype.size;
    const Strides strides = ContiguousStrides(Dims(array->metadata().shape), size, false);
    std::string expected;
    expected.reserve(static_cast<std::size_t>(region.size()) * size);
    DimVector<std::uint64_t> index(region.count.size(), 0);
    do {
        std::ptrdiff_t at = 0;
        for (std::size_t i = 0; i < index.size(); ++i)
            at += (static_cast<std::ptrdiff_t>(region.start[i]) +
                   static_cast<std::ptrdiff_t>(index[i]) * region.step[i]) *
                  strides[i];
        expected.append(contents, static_cast<std::size_t>(at), size);
    } while (NextIndex(index, region.count));
    return expected;
}

}  // namespace zarr::test
