// SPDX-License-Identifier: MIT
#include "core/store/range_plan.h"

#include <algorithm>

#include "core/base/checked.h"

namespace zarr {

namespace {

// The largest gap that is read over: of all that are at most `cost.gap`, the smallest that are
// together no more than the share of `wanted` that may be read for nothing.
std::uint64_t LargestGap(const std::vector<WantedRange>& sorted, const ReadCost& cost) {
    if (cost.waste_share == 0) return cost.gap;
    std::vector<std::uint64_t> gaps;
    std::uint64_t wanted = 0;
    std::uint64_t end = 0;
    for (const WantedRange& range : sorted) {
        if (end != 0 && range.offset > end && range.offset - end <= cost.gap)
            gaps.push_back(range.offset - end);
        const std::uint64_t range_end = SaturatingAdd(range.offset, range.size);
        if (range_end > end)
            wanted = SaturatingAdd(wanted, range_end - std::max(end, range.offset));
        end = std::max(end, range_end);
    }
    std::sort(gaps.begin(), gaps.end());
    std::uint64_t left = wanted / cost.waste_share;
    std::uint64_t largest = std::min(cost.free_gap, cost.gap);
    auto i = static_cast<std::size_t>(std::upper_bound(gaps.begin(), gaps.end(), largest) -
                                      gaps.begin());
    while (i < gaps.size()) {
        // Those of one size are taken all or none: which of them it were would not matter.
        std::size_t same = i;
        while (same < gaps.size() && gaps[same] == gaps[i]) ++same;
        const std::uint64_t together = SaturatingMul(gaps[i], same - i);
        if (together > left) break;
        left -= together;
        largest = gaps[i];
        i = same;
    }
    return largest;
}

}  // namespace

std::vector<JoinedRange> JoinRanges(std::vector<WantedRange>& wanted, const ReadCost& cost) {
    std::sort(wanted.begin(), wanted.end(),
              [](const WantedRange& a, const WantedRange& b) { return a.offset < b.offset; });
    const std::uint64_t gap = LargestGap(wanted, cost);
    std::vector<JoinedRange> joined;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::uint64_t begin = wanted[i].offset;
        const std::uint64_t end = SaturatingAdd(begin, wanted[i].size);
        if (!joined.empty()) {
            JoinedRange& last = joined.back();
            const std::uint64_t both = std::max(last.end, end);
            if (begin <= SaturatingAdd(last.end, gap) && both - last.offset <= cost.request_bytes) {
                last.end = both;
                ++last.count;
                continue;
            }
        }
        joined.push_back({i, 1, begin, end});
    }
    return joined;
}

}  // namespace zarr
