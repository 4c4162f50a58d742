// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "autotest/cpp/array/sample_array.h"
#include "core/array/array_context.h"

namespace zarr::test {

// An array of random elements at "dem" in a store in memory, written whole by an ArrayWriter: with
// any codec, where a SampleArray has zlib only, and quicker where it is large.
struct WrittenArray {
    WrittenArray(Random& random, const SampleSpec& spec);

    // With a context of its own. Through `through` where it is given.
    std::shared_ptr<const Array> Open(std::size_t cache_bytes,
                                      std::shared_ptr<const Store> through = nullptr) const;

    // The elements of `region` in its row-major order.
    std::string Expected(const Region& region) const;

    // What was done with `array`, beside writing.
    std::uint64_t decoded() const { return context->counters().bytes_decoded; }
    std::uint64_t read() const { return context->counters().bytes_read; }

    std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
    std::shared_ptr<ArrayContext> context;
    std::shared_ptr<const Array> array;
    std::string contents;  // row-major
};

}  // namespace zarr::test
