// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "autotest/cpp/array/sample_array.h"
#include "core/array/array_context.h"

namespace zarr::test {

// An array with random elements, at the path "dem" of a store in memory. ArrayWriter writes the
// array, so every codec that can encode is supported. For large arrays, WrittenArray is faster than
// SampleArray.
struct WrittenArray {
    WrittenArray(Random& random, const SampleSpec& spec);

    // Opens the array with its own ArrayContext. Reads go through `through` unless it is null.
    std::shared_ptr<const Array> Open(std::size_t cache_bytes,
                                      std::shared_ptr<const Store> through = nullptr) const;

    // Returns the elements of `region` in row-major order.
    std::string Expected(const Region& region) const;

    // Number of bytes that reads of the array have decoded so far. read() is the number of bytes
    // that they have read from the store.
    std::uint64_t decoded() const { return context->counters().bytes_decoded; }
    std::uint64_t read() const { return context->counters().bytes_read; }

    std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
    std::shared_ptr<ArrayContext> context;
    std::shared_ptr<const Array> array;
    std::string contents;  // all elements, row-major
};

}  // namespace zarr::test
