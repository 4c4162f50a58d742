// SPDX-License-Identifier: MIT
#include "core/store/mount_store.h"

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "core/store/memory_store.h"

namespace zarr::test {
namespace {

// Values with keys below "a/" go into the mounted store, all others into the base store.
class MountUnderTest final : public StoreUnderTest {
  public:
    void Put(const std::string& key, std::string_view value) override {
        const bool is_mounted = key.substr(0, 2) == "a/";
        const std::shared_ptr<MemoryStore>& store = is_mounted ? mounted_ : base_;
        EXPECT_TRUE(Succeeds(store->Set(is_mounted ? key.substr(2) : key, ByteSpan(value))));
    }
    const Store& store() override { return store_; }

  private:
    std::shared_ptr<MemoryStore> base_ = std::make_shared<MemoryStore>();
    std::shared_ptr<MemoryStore> mounted_ = std::make_shared<MemoryStore>();
    const MountStore store_{base_, "a", mounted_};
};

class Mounted : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* key : {"a/0", "m/0", "m2/0", ".zlevels"}) Put(*base_, key, "base");
        for (const char* key : {"0", "b/.zarray"}) Put(*mounted_, key, "mounted");
    }
    static void Put(Store& store, const std::string& key, std::string_view value) {
        ASSERT_TRUE(Succeeds(store.Set(key, ByteSpan(value))));
    }
    std::string Get(const std::string& key) const {
        Buffer value;
        const auto found = store_.Get(key, value, kNoLimit);
        return found.ok() && *found ? TextOf(value) : "nothing";
    }

    std::shared_ptr<MemoryStore> base_ = std::make_shared<MemoryStore>();
    std::shared_ptr<MemoryStore> mounted_ = std::make_shared<MemoryStore>();
    std::shared_ptr<FaultyStore> faulty_ = std::make_shared<FaultyStore>(mounted_);
    MountStore store_{base_, "m", faulty_};
};

TEST_F(Mounted, HidesKeysBelowTheMount) {
    EXPECT_EQ(Get("m/0"), "mounted");
    EXPECT_EQ(Get("m/b/.zarray"), "mounted");
    EXPECT_EQ(Get("m/c"), "nothing");
    EXPECT_EQ(Get("m"), "nothing");
    EXPECT_EQ(Get("a/0"), "base");
    EXPECT_EQ(Get("m2/0"), "base") << "another name that begins so";
    Buffer value;
    ASSERT_TRUE(*GetRange(store_, "m/0", 1, 3, value));
    EXPECT_EQ(TextOf(value), "oun");
    std::uint8_t into[4];
    EXPECT_EQ(*GetInto(store_, "a/0", {into, sizeof into}), 4U);
    EXPECT_EQ(*GetInto(store_, "m", {}), std::nullopt);
}

TEST_F(Mounted, ListsBoth) {
    std::vector<std::string> names;
    const auto entries = store_.List("");
    ASSERT_TRUE(Succeeds(entries));
    for (const StoreEntry& entry : *entries)
        names.push_back(entry.name + (entry.is_prefix ? "/" : ""));
    EXPECT_EQ(names, (std::vector<std::string>{".zlevels", "a/", "m/", "m2/"}));
    EXPECT_EQ(store_.List("m")->size(), 2U);
    std::size_t count = 0;
    const auto visit = [&](std::string_view, auto&&) { ++count; };
    EXPECT_TRUE(Succeeds(store_.ForEachKey("m", visit, {})));
    EXPECT_EQ(count, 2U);
    count = 0;
    EXPECT_TRUE(Succeeds(store_.ForEachKey("", visit, {})));
    EXPECT_EQ(count, 5U);
}

TEST_F(Mounted, ErrorsNameTheWholeKey) {
    Buffer value;
    faulty_->FailAt(1, true);
    EXPECT_TRUE(Fails(store_.Get("m/b/.zarray", value, kNoLimit), StatusCode::kIo,
                      "m/b/.zarray: injected"));
    EXPECT_NE(store_.Identity(), base_->Identity());
}

std::unique_ptr<StoreUnderTest> MakeMount() { return std::make_unique<MountUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(Mount, StoreContract, testing::Values(&MakeMount));

}  // namespace
}  // namespace zarr::test
