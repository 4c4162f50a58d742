// SPDX-License-Identifier: MIT
// A read must not change the bytes between the elements of a destination, because they belong to
// the caller.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/new_memory.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/copy.h"

namespace zarr::test {
namespace {

#if ZARR_TEST_NEW_MEMORY

TEST(Gaps, BetweenRowsOfADestinationGetNoPages) {
    if (!NewMemory::HasPopulateWrite()) GTEST_SKIP() << "the system cannot populate memory";
    Random random(3);
    const std::size_t page = NewMemory::Page();
    const std::size_t rows = 700;
    // Each row of the destination fills one page. The two pages after it must stay unmapped.
    const SampleArray sample(random, {{rows, page / 4}, {64, 64}, "\"<i4\""}, false);
    const NewMemory memory(3 * rows * page);
    const auto array = sample.Open(0);
    const Region all = Region::All(sample.spec().shape);
    const DataType& type = array->metadata().dtype;
    const auto op = ReadConverter(type, type.Native());
    ASSERT_TRUE(Succeeds(op));
    Strides strides;
    strides.push_back(static_cast<std::ptrdiff_t>(3 * page));
    strides.push_back(4);
    ASSERT_TRUE(Succeeds(array->Read(all, 0, {memory.data(), strides, *op}, ReadOptions{2})));
    const auto pages = memory.Pages();
    for (std::size_t i = 0; i < pages.size(); ++i)
        ASSERT_EQ(pages[i] != 0, i % 3 == 0) << "page " << i;
    std::string read;
    for (std::size_t row = 0; row < rows; ++row)
        read.append(reinterpret_cast<const char*>(memory.data()) + 3 * row * page, page);
    EXPECT_TRUE(read == sample.Expected(all));
}

#endif

}  // namespace
}  // namespace zarr::test
