// SPDX-License-Identifier: MIT
#include "core/base/load_once_cache.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Succeeds;

// Value that calls a function when it is destroyed.
struct Text {
    std::string text;
    std::function<void()> at_end;

    explicit Text(std::string text_, std::function<void()> at_end_ = {})
        : text(std::move(text_)), at_end(std::move(at_end_)) {}
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text() {
        if (at_end) at_end();
    }
    std::size_t bytes() const { return text.size(); }
};
using Cache = LoadOnceCache<std::string, Text>;

Cache::Pointer Make(const std::string& text, std::function<void()> at_end = {}) {
    return std::make_shared<const Text>(text, std::move(at_end));
}

// autotest/cpp/array/chunk_cache_test.cpp tests what the caches of chunks use.

TEST(LoadOnceCache, DestroysValuesWithoutALock) {
    Cache cache(8);
    int destroyed = 0;
    const auto use = [&] {  // would wait forever if the cache was locked
        cache.Find("a");
        ++destroyed;
    };
    const auto load = [&] { return Result(Make("12345678", use)); };
    EXPECT_TRUE(Succeeds(cache.GetOrLoad("a", load)));
    EXPECT_TRUE(Succeeds(cache.GetOrLoad("b", load)));
    EXPECT_EQ(destroyed, 1);
    cache.Replace("b", Make("1", use));
    EXPECT_EQ(destroyed, 2);
    cache.DropIf([](const std::string& key) { return key == "b"; });
    EXPECT_EQ(destroyed, 3);
    cache.Replace("c", Make("1", use));
    cache.SetMaxBytes(0);
    EXPECT_EQ(destroyed, 4);
    cache.SetMaxBytes(8);
    cache.Replace("d", Make("1", use));
    cache.Drop(cache.Values([](const std::string&) { return true; }).front());
    EXPECT_EQ(destroyed, 5);
}

TEST(LoadOnceCache, DropsAValueThatWasNotReplaced) {
    Cache cache(8);
    cache.Replace("a", Make("1"));
    const auto before = cache.Values([](const std::string&) { return true; });
    ASSERT_EQ(before.size(), 1U);
    cache.Replace("a", Make("2"));
    cache.Drop(before.front());
    ASSERT_NE(cache.Find("a"), nullptr);
    EXPECT_EQ(cache.Find("a")->text, "2");
}

TEST(LoadOnceCache, KnowsThatItHasEvicted) {
    Cache cache(8);
    cache.Replace("a", Make("1234"));
    cache.Replace("b", Make("1234"));
    cache.Replace("b", nullptr);
    EXPECT_FALSE(cache.has_evicted());
    cache.Replace("c", Make("12345"));
    EXPECT_TRUE(cache.has_evicted());
}

TEST(LoadOnceCache, ExceptionOfALoadEndsTheClaim) {
    Cache cache(8);
    const auto fail = []() -> Result<Cache::Pointer> { throw std::length_error("too long"); };
    EXPECT_THROW(static_cast<void>(cache.GetOrLoad("a", fail)), std::length_error);
    EXPECT_FALSE(cache.IsLoading("a"));
    EXPECT_TRUE(Succeeds(cache.GetOrLoad("a", [] { return Result(Make("1")); })));
}

TEST(LoadOnceCache, DisownedLoadIsNotCached) {
    Cache cache(8);
    auto claim = cache.TryClaim("a");
    cache.DisownLoads([](const std::string& key) { return key == "b"; });
    EXPECT_TRUE(cache.IsLoading("a"));
    cache.DisownLoads([](const std::string& key) { return key == "a"; });
    EXPECT_FALSE(cache.IsLoading("a"));
    EXPECT_TRUE(Succeeds(cache.LoadClaimed(claim, [] { return Result(Make("old")); })));
    EXPECT_EQ(cache.Find("a"), nullptr);
}

}  // namespace
}  // namespace zarr
