// SPDX-License-Identifier: MIT
#include "core/store/read_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "autotest/cpp/support/checks.h"

namespace zarr::test {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

// Objects with known contents. The byte at `offset` is (object + offset) % 256. Records the
// requests.
class CountedObjects {
  public:
    explicit CountedObjects(const ReadCost& cost) : cost_(cost) {}

    std::uint64_t size = kMega;      // size of each object in bytes
    std::size_t failing = SIZE_MAX;  // object for which requests fail; SIZE_MAX: none

    RangeSource Source() {
        return {cost_, buffers_,
                [this](std::size_t object, std::uint64_t offset, std::size_t length,
                       Buffer& bytes) -> Result<bool> {
                    const std::lock_guard<std::mutex> lock(mutex_);
                    requests_[{object, offset}] = length;
                    EXPECT_EQ(bytes.size(), length);
                    if (object == failing) return Status::Io("no answer");
                    if (offset >= size) return false;
                    if (length > size - offset)
                        ZARR_RETURN_IF_ERROR(bytes.Resize(static_cast<std::size_t>(size - offset)));
                    for (std::size_t i = 0; i < bytes.size(); ++i)
                        bytes.data()[i] = static_cast<std::uint8_t>(object + offset + i);
                    return true;
                }};
    }

    // Returns the requests in order, each as "OBJECT:OFFSET+BYTES ".
    std::string requests() const {
        std::string text;
        for (const auto& [place, length] : requests_)
            text += std::to_string(place.first) + ":" + std::to_string(place.second) + "+" +
                    std::to_string(length) + " ";
        return text;
    }

  private:
    const ReadCost cost_;
    BufferPool buffers_{0};
    std::mutex mutex_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> requests_;
};

// Reads the ranges `wanted` and checks their bytes. Returns the requests that were made.
std::string RequestsFor(const std::vector<WantedRange>& wanted, const ReadCost& cost,
                        const ReadRangesOptions& options = {}) {
    CountedObjects objects(cost);
    std::vector<std::atomic<int>> taken(wanted.size());
    const auto sink = [&](std::size_t which, const std::optional<ByteSpan>& bytes) -> Status {
        const auto range = std::find_if(wanted.begin(), wanted.end(),
                                        [&](const WantedRange& one) { return one.which == which; });
        if (range == wanted.end() || !bytes || bytes->size != range->size)
            return Status::Corrupt("range " + std::to_string(which));
        for (std::size_t i = 0; i < bytes->size; ++i)
            EXPECT_EQ(bytes->data[i], static_cast<std::uint8_t>(range->object + range->offset + i));
        ++taken[static_cast<std::size_t>(range - wanted.begin())];
        return {};
    };
    EXPECT_TRUE(Succeeds(ReadRanges(objects.Source(), wanted, options, sink)));
    for (const auto& count : taken) EXPECT_EQ(count, 1);
    return objects.requests();
}

TEST(ReadRanges, OneRequestReadsRangesWithinTheGap) {
    EXPECT_EQ(RequestsFor({}, {10, kMega}), "");
    EXPECT_EQ(RequestsFor({{20, 10, 0}, {0, 20, 1}}, {0, kMega}), "0:0+30 ");
    EXPECT_EQ(RequestsFor({{0, 10, 0}, {20, 10, 1}}, {10, kMega}), "0:0+30 ");
    EXPECT_EQ(RequestsFor({{0, 10, 0}, {21, 10, 1}}, {10, kMega}), "0:0+10 0:21+10 ");
    // Two equal ranges, a range within another range, and an empty range need one request.
    EXPECT_EQ(RequestsFor({{0, 100, 0}, {0, 100, 1}, {20, 10, 2}, {100, 0, 3}}, {0, kMega}),
              "0:0+100 ");
}

TEST(ReadRanges, OnlyRangesOfOneObjectShareARequest) {
    EXPECT_EQ(
        RequestsFor({{10, 10, 0, 7}, {0, 10, 1, 3}, {0, 10, 2, 7}, {10, 10, 3, 5}}, {0, kMega}),
        "3:0+10 5:10+10 7:0+20 ");
    // Ranges of different objects never share a request. The 40 wanted bytes allow 4 wasted bytes.
    // The gaps in both objects have 8 bytes, so no gap is read.
    EXPECT_EQ(RequestsFor({{0, 10, 0, 1}, {14, 10, 1, 1}, {28, 10, 2, 2}, {42, 10, 3, 2}},
                          {50, kMega, 10}),
              "1:0+10 1:14+10 2:28+10 2:42+10 ");
    EXPECT_EQ(RequestsFor({{0, 10, 0, 1}, {14, 10, 1, 1}, {15, 20, 2, 2}}, {50, kMega, 10}),
              "1:0+24 2:15+20 ");
}

TEST(ReadRanges, RequestsKeepToTheirMaximum) {
    EXPECT_EQ(RequestsFor({{0, 60, 0}, {60, 60, 1}, {120, 60, 2}}, {0, 120}), "0:0+120 0:120+60 ");
    EXPECT_EQ(RequestsFor({{0, 500, 0}, {500, 10, 1}}, {0, 120}), "0:0+500 0:500+10 ");
}

TEST(ReadRanges, ReadsTheSmallestGapsUpToTheShare) {
    // 400 wanted bytes allow 40 wasted bytes. The gaps of 10 and 20 bytes fit, but not the gap of
    // 30.
    const std::vector<WantedRange> wanted = {
        {0, 100, 0}, {120, 100, 1}, {230, 100, 2}, {360, 100, 3}};
    EXPECT_EQ(RequestsFor(wanted, {50, kMega, 10}), "0:0+330 0:360+100 ");
    EXPECT_EQ(RequestsFor(wanted, {50, kMega, 0}), "0:0+460 ");
    EXPECT_EQ(RequestsFor(wanted, {15, kMega, 10}), "0:0+100 0:120+210 0:360+100 ");
    EXPECT_EQ(RequestsFor(wanted, {50, kMega, 1000}), "0:0+100 0:120+100 0:230+100 0:360+100 ");
    EXPECT_EQ(RequestsFor(wanted, {50, kMega, 1000, 20}), "0:0+330 0:360+100 ");
}

TEST(ReadRanges, GapsOfOneSizeAreReadAllOrNone) {
    // 300 wanted bytes allow 30 wasted bytes. Only two of the four gaps of 15 bytes would fit. Gaps
    // of equal size are read all or none.
    EXPECT_EQ(RequestsFor({{0, 60, 0}, {75, 60, 1}, {150, 60, 2}, {225, 60, 3}, {300, 60, 4}},
                          {50, kMega, 10}),
              "0:0+60 0:75+60 0:150+60 0:225+60 0:300+60 ");
}

TEST(ReadRanges, EveryRangeComesOnceWithAnyConcurrency) {
    std::vector<WantedRange> wanted;
    for (std::size_t i = 0; i < 500; ++i) wanted.push_back({i * 37 % 1000, i % 9, i, i % 3});
    std::atomic<int> timed{0};
    ByteGate gate(64);
    for (const std::size_t gap : {std::size_t{0}, std::size_t{5}, std::size_t{1000}}) {
        const ReadCost cost{gap, 300};
        const std::string requests = RequestsFor(wanted, cost);
        ReadRangesOptions options;
        options.requests = 4;
        options.threads = 3;
        options.gate = &gate;
        options.on_request = [&](std::uint64_t) { ++timed; };
        timed = 0;
        EXPECT_EQ(RequestsFor(wanted, cost, options), requests);
        EXPECT_GE(timed, std::count(requests.begin(), requests.end(), ' '));
    }
}

TEST(ReadRanges, ThreadsShareTheRangesOfFewRequests) {
    CountedObjects objects({kMega, kMega});
    ReadRangesOptions options;
    options.threads = 8;
    // Each call of the sink waits until another thread is in the sink.
    std::mutex mutex;
    std::condition_variable came;
    int inside = 0;
    const auto sink = [&](std::size_t, const std::optional<ByteSpan>&) -> Status {
        std::unique_lock<std::mutex> lock(mutex);
        ++inside;
        came.notify_all();
        came.wait(lock, [&] { return inside >= 2; });
        return {};
    };
    EXPECT_TRUE(Succeeds(ReadRanges(objects.Source(), {{0, 9, 0}, {9, 9, 1}}, options, sink)));
    EXPECT_EQ(objects.requests(), "0:0+18 ");
}

TEST(ReadRanges, RangesOfAFailedRequestComeWithoutBytes) {
    CountedObjects objects({0, kMega});
    objects.failing = 1;
    objects.size = 1000;
    // All requests for object 1 fail. Object 2 ends within its second range. Object 3 ends before
    // its only range.
    const std::vector<WantedRange> wanted = {{0, 5, 0, 0},   {0, 5, 1, 1},   {5, 5, 2, 1},
                                             {990, 5, 3, 2}, {995, 9, 4, 2}, {1000, 1, 5, 3}};
    std::map<std::size_t, bool> has_bytes;
    const auto note = [&](std::size_t which, const std::optional<ByteSpan>& bytes) -> Status {
        has_bytes[which] = bytes.has_value();
        return {};
    };
    EXPECT_TRUE(Succeeds(ReadRanges(objects.Source(), wanted, {}, note)));
    EXPECT_EQ(has_bytes,
              (std::map<std::size_t, bool>{
                  {0, true}, {1, false}, {2, false}, {3, false}, {4, false}, {5, false}}));
    EXPECT_EQ(objects.requests(), "0:0+5 1:0+10 2:990+14 3:1000+1 ");
}

TEST(ReadRanges, ReturnsTheFailureOfTheSinkAndStops) {
    CountedObjects objects({0, kMega});
    int calls = 0;
    const auto refuse = [&](std::size_t which, const std::optional<ByteSpan>&) {
        ++calls;
        return Status::Corrupt("range " + std::to_string(which) + ": refused");
    };
    const Status status =
        ReadRanges(objects.Source(), {{0, 5, 8}, {5, 5, 9}, {90, 5, 10}}, {}, refuse);
    EXPECT_TRUE(Fails(status, StatusCode::kCorrupt, "range 8: refused"));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(objects.requests(), "0:0+10 ");
}

TEST(ReadRanges, RangesAtTheLargestOffsetDoNotOverflow) {
    const std::uint64_t far = UINT64_MAX - 5;
    CountedObjects objects({10, kMega, 10});
    objects.size = UINT64_MAX;
    std::string taken;
    const auto note = [&](std::size_t which, const std::optional<ByteSpan>& bytes) -> Status {
        taken += std::to_string(which) + (bytes ? "+ " : "- ");
        return {};
    };
    EXPECT_TRUE(Succeeds(ReadRanges(objects.Source(), {{far, 100, 0}, {0, 10, 1}}, {}, note)));
    EXPECT_EQ(objects.requests(), "0:0+10 0:" + std::to_string(far) + "+5 ");
    EXPECT_EQ(taken, "1+ 0- ");
}

TEST(ReadRanges, MemoryOfARequestServesTheNext) {
    BufferPool buffers(std::size_t{4} << 20);
    const std::uint8_t* first = nullptr;
    bool is_same = true;
    const RangeSource source{
        {0, kMega}, buffers, [&](std::size_t, std::uint64_t, std::size_t, Buffer& bytes) {
            if (first == nullptr) first = bytes.data();
            is_same = is_same && bytes.data() == first;
            return Result<bool>(true);
        }};
    const std::uint64_t size = std::uint64_t{1} << 20;
    const auto ignore = [](std::size_t, const std::optional<ByteSpan>&) { return Status(); };
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(Succeeds(ReadRanges(source, {{0, size, 0}, {size, size, 1}}, {}, ignore)));
    EXPECT_TRUE(is_same);
}

}  // namespace
}  // namespace zarr::test
