// SPDX-License-Identifier: MIT
// Tests of the Store interface with several threads: a reader must get the whole old or the whole
// new value.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"

namespace zarr::test {
namespace {

constexpr std::size_t kValues = 7;

// Value k repeats one letter. Sizes differ, so that a mix of two values is noticed.
std::size_t SizeOf(std::size_t k) { return 1000 + k * k * 5000; }
std::string ValueOf(std::size_t k) { return std::string(SizeOf(k), static_cast<char>('a' + k)); }

bool IsWhole(std::string_view bytes) {
    if (bytes.empty() || bytes[0] < 'a') return false;
    const auto k = static_cast<std::size_t>(bytes[0] - 'a');
    return k < kValues && bytes.size() == SizeOf(k) &&
           std::all_of(bytes.begin(), bytes.end(), [&](char c) { return c == bytes[0]; });
}

using Read = bool (*)(const Store& store, std::size_t turn, std::string& problem);

bool ByGet(const Store& store, std::size_t /*turn*/, std::string& problem) {
    Buffer value;
    const auto found = store.Get("depth/0.0", value, kNoLimit);
    if (!found.ok()) problem = found.status().message();
    return found.ok() && *found && IsWhole(const_cast<const Buffer&>(value).span().text());
}

bool ByGetInto(const Store& store, std::size_t turn, std::string& problem) {
    std::string memory(SizeOf(turn % kValues), '?');
    const auto size = GetInto(store, "depth/0.0",
                              {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size()});
    if (!size.ok()) problem = size.status().message();
    if (!size.ok() || !size->has_value()) return false;
    return **size != memory.size() || IsWhole(memory);
}

bool ByGetRange(const Store& store, std::size_t /*turn*/, std::string& problem) {
    Buffer value;
    const auto found = GetRange(store, "depth/0.0", 0, 1U << 20, value);
    if (!found.ok()) problem = found.status().message();
    return found.ok() && *found && IsWhole(const_cast<const Buffer&>(value).span().text());
}

TEST_P(StoreContract, ReadersSeeTheOldOrTheNewValueWhole) {
    under_test_->Put("depth/0.0", ValueOf(0));
    const Store& store = under_test_->store();
    std::atomic<bool> done{false};
    std::atomic<int> torn{0};
    std::atomic<int> reads{0};
    std::vector<std::string> problems(3);
    std::vector<std::thread> readers;
    const Read ways[] = {ByGet, ByGetInto, ByGetRange};
    for (std::size_t i = 0; i < 3; ++i)
        readers.emplace_back([&, i] {
            for (std::size_t turn = 0; !done; ++turn, ++reads)
                if (!ways[i](store, turn, problems[i])) ++torn;
        });
    for (std::size_t turn = 0; turn < 300 || reads < 300; ++turn)
        under_test_->Put("depth/0.0", ValueOf(turn % kValues));
    done = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(torn, 0) << "of " << reads << " reads";
    for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

TEST_P(StoreContract, WritersOfOneKeyLeaveOneValueWhole) {
    Store* writable = under_test_->writable();
    if (writable == nullptr) return;  // the store is read-only
    std::vector<std::thread> writers;
    std::atomic<int> failures{0};
    for (std::size_t i = 0; i < 4; ++i)
        writers.emplace_back([&, i] {
            for (std::size_t turn = 0; turn < 100; ++turn) {
                const std::string value = ValueOf((turn + i) % kValues);
                if (!writable->Set("depth/0.0", ByteSpan(value)).ok()) ++failures;
                if (!writable->Set("depth/" + std::to_string(i), ByteSpan(value)).ok()) ++failures;
            }
        });
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(failures, 0);
    Buffer value;
    ASSERT_TRUE(*writable->Get("depth/0.0", value, kNoLimit));
    EXPECT_TRUE(IsWhole(TextOf(value)));
    EXPECT_EQ(writable->List("depth")->size(), 5U) << "and nothing else is left behind";
}

}  // namespace
}  // namespace zarr::test
