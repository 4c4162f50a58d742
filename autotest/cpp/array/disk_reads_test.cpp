// SPDX-License-Identifier: MIT
// Tests that reads of files wait for the disk in parallel. If files are not in the system's page
// cache, more chunks are read at a time than threads decode.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/support/region.h"

namespace zarr::test {
namespace {

using std::chrono::seconds;

// A store that says, if `is_cold`, that reads wait for the disk. Each read then waits, for up to 20
// s, until `together` reads have been in progress at once.
class DiskStore final : public ForwardingStore {
  public:
    DiskStore(std::shared_ptr<const Store> base, bool is_cold, std::size_t together)
        : ForwardingStore(std::move(base)), is_cold_(is_cold), together_(together) {}

    bool WaitsForDisk(const std::string& /*key*/) const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++asked_;
        return is_cold_;
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        const Visit visit(*this);
        return base().Read(key, part, sink);
    }

    std::size_t most() const { return most_; }
    int asked() const { return asked_; }

  private:
    class Visit {
      public:
        explicit Visit(const DiskStore& store) : store_(store) {
            std::unique_lock<std::mutex> lock(store.mutex_);
            store.most_ = std::max(store.most_, ++store.inside_);
            store.come_.notify_all();
            if (store.is_cold_)
                store.come_.wait_for(lock, seconds(20),
                                     [&] { return store.most_ >= store.together_; });
        }
        ~Visit() {
            const std::lock_guard<std::mutex> lock(store_.mutex_);
            --store_.inside_;
        }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

      private:
        const DiskStore& store_;
    };

    const bool is_cold_;
    const std::size_t together_;
    mutable std::mutex mutex_;
    mutable std::condition_variable come_;
    mutable std::size_t inside_ = 0;
    mutable std::size_t most_ = 0;
    mutable int asked_ = 0;
};

struct DiskCase {
    const char* name;
    const char* compressor;
    bool is_cold;
    std::size_t threads;
};
void PrintTo(const DiskCase& c, std::ostream* out) { *out << c.name; }

class DiskReads : public testing::TestWithParam<DiskCase> {};
INSTANTIATE_TEST_SUITE_P(Reads, DiskReads,
                         testing::Values(DiskCase{"cold", "null", true, 1},
                                         DiskCase{"cold_encoded", R"({"id": "zlib"})", true, 2},
                                         DiskCase{"warm", "null", false, 1},
                                         DiskCase{"warm_encoded", R"({"id": "zlib"})", false, 2}),
                         [](const auto& named) { return std::string(named.param.name); });

constexpr std::size_t kTogether = 8;

TEST_P(DiskReads, AreMoreThanThreadsOnAColdDisk) {
    const DiskCase& c = GetParam();
    Random random(3);
    // The array has 16 chunks of 64 KiB of decoded data.
    const SampleArray sample(random, {{512, 512}, {128, 128}, "\"<i4\"", "7", c.compressor}, false);
    const auto store = std::make_shared<DiskStore>(sample.store(), c.is_cold, kTogether);
    const auto array = sample.Open(std::size_t{1} << 24, store);
    const Region all = Region::All(sample.spec().shape);
    const auto read = ReadRowMajor(*array, all, c.threads);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_TRUE(*read == sample.Expected(all));
    if (c.is_cold)
        EXPECT_GE(store->most(), kTogether);
    else
        EXPECT_LE(store->most(), c.threads);
    EXPECT_EQ(store->asked(), 1);
}

void CheckDoesNotAsk(const SampleSpec& spec) {
    Random random(3);
    const SampleArray sample(random, spec, false);
    const auto store = std::make_shared<DiskStore>(sample.store(), false, 1);
    const auto array = sample.Open(0, store);
    ASSERT_TRUE(Succeeds(ReadRowMajor(*array, Region::All(sample.spec().shape), 2)));
    EXPECT_EQ(store->asked(), 0);
}

TEST(DiskReadsAlone, OfFewBytesDoNotCheckTheDisk) { CheckDoesNotAsk({{256, 256}, {64, 64}}); }

// With as many threads as chunks, all chunks are read in parallel without a check. The store must
// not be asked whether files are in the page cache.
TEST(DiskReadsAlone, OfFewChunksDoNotCheckTheDisk) { CheckDoesNotAsk({{512, 1024}, {512, 512}}); }

}  // namespace
}  // namespace zarr::test
