// SPDX-License-Identifier: MIT
#include "core/store/read_ranges.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/checked.h"
#include "core/base/threads.h"

namespace zarr {

namespace {

// Request for the bytes [offset, end) of one object. It covers `count` wanted ranges from index
// `first` on.
struct Request {
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
};

// Returns the size of the largest gap between ranges that are joined to one request. Gaps of up to
// `cost.gap` bytes are read, smallest first, as long as their sum stays within the limit of
// `cost.waste_share`.
std::uint64_t LargestGap(const std::vector<WantedRange>& sorted, const ReadCost& cost) {
    if (cost.waste_share == 0) return cost.gap;
    std::vector<std::uint64_t> gaps;
    std::uint64_t wanted = 0;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const WantedRange& range = sorted[i];
        if (i == 0 || sorted[i - 1].object != range.object)
            end = range.offset;
        else if (range.offset > end && range.offset - end <= cost.gap)
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
        // Either all gaps of an equal size are joined or none, so that the plan does not depend on
        // their order.
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

// Sorts `ranges`, and joins ranges that are close together into requests.
std::vector<Request> PlanRequests(std::vector<WantedRange>& ranges, const ReadCost& cost) {
    std::sort(ranges.begin(), ranges.end(), [](const WantedRange& a, const WantedRange& b) {
        return std::tie(a.object, a.offset) < std::tie(b.object, b.offset);
    });
    const std::uint64_t gap = LargestGap(ranges, cost);
    std::vector<Request> requests;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::uint64_t begin = ranges[i].offset;
        const std::uint64_t end = SaturatingAdd(begin, ranges[i].size);
        if (i != 0 && ranges[i - 1].object == ranges[i].object) {
            Request& last = requests.back();
            const std::uint64_t both = std::max(last.end, end);
            if (begin <= SaturatingAdd(last.end, gap) && both - last.offset <= cost.request_bytes) {
                last.end = both;
                ++last.count;
                continue;
            }
        }
        requests.push_back({i, 1, begin, end});
    }
    return requests;
}

}  // namespace

Status ReadRanges(const RangeSource& source, std::vector<WantedRange> ranges,
                  const ReadRangesOptions& options, const RangeSink& sink) {
    const std::vector<Request> requests = PlanRequests(ranges, source.cost);
    // If there are fewer requests than threads, several threads share the ranges of each request.
    const std::size_t threads = requests.size() < options.threads ? options.threads : 1;
    return ParallelFor(requests.size(), options.requests, [&](std::size_t number) {
        const Request& request = requests[number];
        const auto size = static_cast<std::size_t>(request.end - request.offset);
        std::optional<ByteGate::Pass> pass;
        if (options.gate != nullptr) pass.emplace(*options.gate, size);
        Buffer bytes;
        const auto read = [&]() -> Result<bool> {
            if (size != 0) ZARR_RETURN_IF_ERROR(source.buffers.Acquire(size, bytes));
            return source.read(ranges[request.first].object, request.offset, size, bytes);
        };
        const auto found = options.on_request ? Timed(read, options.on_request) : read();
        const bool is_read = found.ok() && *found && bytes.size() == size;
        const auto take = [&](std::size_t i) -> Status {
            const WantedRange& range = ranges[request.first + i];
            const bool is_inside = range.size <= request.end - range.offset;
            if (!is_read || !is_inside) return sink(range.which, std::nullopt);
            return sink(range.which,
                        ByteSpan(std::as_const(bytes).data() + (range.offset - request.offset),
                                 static_cast<std::size_t>(range.size)));
        };
        Status status = ParallelFor(request.count, is_read ? threads : 1, take);
        source.buffers.Release(std::move(bytes));
        return status;
    });
}

}  // namespace zarr
