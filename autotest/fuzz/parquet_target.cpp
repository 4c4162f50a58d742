// SPDX-License-Identifier: MIT
#include <cstdint>
#include <utility>

#include "autotest/cpp/support/scoped_limit.h"
#include "autotest/fuzz/targets.h"
#include "core/base/limits.h"
#include "core/references/reference_partition.h"

namespace zarr::fuzz {

namespace {

constexpr std::uint64_t kMostRows = 100000;
constexpr std::uint64_t kMostPageBytes = std::uint64_t{4} << 20;

void ReadRows(ByteSpan input) {
    const auto read = ReferencePartition::Read(input, kMostRows);
    if (!read.ok()) return;
    Check(read->rows() <= kMostRows, "a file has no more rows than allowed");
    Check(read->bytes() <= 4 * kMostPageBytes, "the memory of a file is bounded");
    for (std::uint64_t row = 0; row < read->rows(); ++row) {
        const Reference reference = read->At(row);
        Check(read->Has(row) == (reference.kind != Reference::Kind::kAbsent),
              "Has() and At() agree on absent references");
        Check(reference.size.value_or(1) != 0, "a target's range is not empty");
    }
    Check(!read->Has(read->rows()), "no reference follows the last row");
}

}  // namespace

void FuzzParquet(ByteSpan input) {
    const test::ScopedLimit limit(Limit::kPartitionSize, kMostPageBytes);
    ReadRows(input);
}

}  // namespace zarr::fuzz
