// SPDX-License-Identifier: MIT
#include "core/store/overlay_store.h"

#include <map>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/memory_store.h"

namespace zarr::test {
namespace {

bool IsMetadata(std::string_view name) { return name.substr(0, 2) == ".z"; }

// Returns an overlay of `base` with the consolidated metadata in `buffer`.
Result<std::shared_ptr<const Store>> Consolidated(std::shared_ptr<const Store> base,
                                                  Buffer buffer) {
    ZARR_ASSIGN_OR_RETURN(const DocumentTexts documents,
                          ParseConsolidated(std::as_const(buffer).span().text()));
    return std::shared_ptr<const Store>(std::make_shared<const OverlayStore>(
        std::move(base), std::move(buffer), documents, IsMetadata));
}

// Puts metadata into `.zmetadata` only, and chunks into the base store.
class ConsolidatedUnderTest final : public StoreUnderTest {
  public:
    void Put(const std::string& key, std::string_view value) override {
        if (IsMetadata(LastName(key)))
            metadata_[key] = value;
        else
            EXPECT_TRUE(Succeeds(base_->Set(key, ByteSpan(value))));
    }
    const Store& store() override {
        if (store_ != nullptr) return *store_;
        std::string entries;
        for (const auto& [key, value] : metadata_)
            entries.append(entries.empty() ? "" : ", ").append("\"" + key + "\": " + value);
        auto made = Consolidated(
            base_, BufferOf("{\"metadata\": {" + entries + "}, \"zarr_consolidated_format\": 1}"));
        EXPECT_TRUE(Succeeds(made));
        store_ = made.Take();
        return *store_;
    }
    bool lists_chunks() const override { return false; }

  private:
    std::map<std::string, std::string> metadata_;
    std::shared_ptr<MemoryStore> base_ = std::make_shared<MemoryStore>();
    std::shared_ptr<const Store> store_;
};

std::unique_ptr<StoreUnderTest> MakeConsolidatedStore() {
    return std::make_unique<ConsolidatedUnderTest>();
}

INSTANTIATE_TEST_SUITE_P(Consolidated, StoreContract, testing::Values(&MakeConsolidatedStore));

Result<std::shared_ptr<const Store>> Make(std::string_view text) {
    return Consolidated(std::make_shared<MemoryStore>(), BufferOf(text));
}

TEST(OverlayStore, HidesTheMetadataBehindIt) {
    auto base = std::make_shared<MemoryStore>();
    for (const char* key : {"stale/.zarray", "stale/0", "b/.zattrs", ".zgroup"})
        ASSERT_TRUE(Succeeds(base->Set(key, ByteSpan(std::string_view("base")))));
    const auto store = Consolidated(
        base, BufferOf(R"({"zarr_consolidated_format":1,"metadata":{"b/.zattrs":{"a":1}}})"));
    ASSERT_TRUE(Succeeds(store));
    Buffer value;
    EXPECT_FALSE(*(*store)->Get("stale/.zarray", value, kNoLimit));
    EXPECT_FALSE(*GetRange(*(*store), "stale/.zarray", 0, 4, value));
    EXPECT_EQ(*GetInto(*(*store), "stale/.zarray", {}), std::nullopt);
    EXPECT_FALSE(*(*store)->Get(".zgroup", value, kNoLimit));
    ASSERT_TRUE(*(*store)->Get("b/.zattrs", value, kNoLimit));
    EXPECT_EQ(TextOf(value), R"({"a":1})");
    ASSERT_TRUE(*GetRange(*(*store), "b/.zattrs", 1, 3, value));
    EXPECT_EQ(TextOf(value), R"("a")");
    ASSERT_TRUE(*(*store)->Get("stale/0", value, kNoLimit)) << "values come from behind";
    EXPECT_EQ((*store)->List("")->size(), 1U);
    EXPECT_EQ((*store)->Describe(), "memory");
}

// Records which keys are prefetched.
class RecordingPrefetcher final : public ForwardingStore, private Prefetcher {
  public:
    const Prefetcher* prefetcher() const override { return this; }
    using ForwardingStore::ForwardingStore;
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>&) const override {
        asked = keys;
    }
    bool IsCached(const std::string&) const override { return false; }
    bool IsListingCached(const std::string&) const override { return false; }
    mutable std::vector<std::string> asked;
};

TEST(OverlayStore, PrefetchesOnlyOtherKeys) {
    auto base = std::make_shared<RecordingPrefetcher>(std::make_shared<MemoryStore>());
    const auto store = Consolidated(base, BufferOf(R"({"metadata":{"b/.zattrs":{"a":1}}})"));
    ASSERT_TRUE(Succeeds(store));
    (*store)->Prefetch({"b/.zattrs", "a/.zarray"}, {"b"});
    EXPECT_TRUE(base->asked.empty());
    (*store)->Prefetch({"b/.zattrs", "x/0", "y/0"}, {});
    EXPECT_EQ(base->asked, (std::vector<std::string>{"x/0", "y/0"}));
    EXPECT_TRUE((*store)->IsCached("b/.zattrs") && (*store)->IsCached("c/.zattrs"));
    EXPECT_TRUE((*store)->IsListingCached("b"));
    EXPECT_FALSE((*store)->IsCached("x/0"));
}

TEST(OverlayStore, UsesTheLastOfARepeatedEntry) {
    const auto store = Make(
        R"({"zarr_consolidated_format":1,"metadata":{".zattrs":{"old":1},".zattrs":{"new":1}}})");
    Buffer value;
    ASSERT_TRUE(Succeeds(store));
    ASSERT_TRUE(*(*store)->Get(".zattrs", value, kNoLimit));
    EXPECT_EQ(TextOf(value), R"({"new":1})");
}

TEST(OverlayStore, NeedsNoVersion) {
    const auto store = Make(R"({"metadata":{".zattrs":{"a":1}}})");
    Buffer value;
    ASSERT_TRUE(Succeeds(store));
    EXPECT_TRUE(*(*store)->Get(".zattrs", value, kNoLimit));
}

TEST(OverlayStore, ReturnsABrokenEntryUnchanged) {
    const auto store =
        Make(R"({"zarr_consolidated_format":1,"metadata":{"a/.zarray":[nonsense],".zgroup":{}}})");
    EXPECT_TRUE(Succeeds(store));
}

TEST(OverlayStore, RefusesInvalidConsolidatedMetadata) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "expected an object"},
        {"[]", "expected an object"},
        {"{}", "the compulsory member \"metadata\" is missing"},
        {R"({"zarr_consolidated_format":null,"metadata":{}})", "expected 1, got null"},
        {R"({"zarr_consolidated_format":2,"metadata":{}})",
         "zarr_consolidated_format: expected 1, got 2"},
        {R"({"zarr_consolidated_format":"1","metadata":{}})", "expected 1, got \"1\""},
        {R"({"zarr_consolidated_format":1})", "\"metadata\" is missing"},
        {R"({"zarr_consolidated_format":1,"metadata":[]})", "metadata: "},
        {R"({"zarr_consolidated_format":1,"metadata":{"a":1)", "not valid JSON"},
        {R"({"zarr_consolidated_format":1,"metadata":{"../.zarray":{}}})",
         "metadata: \"../.zarray\" is not a valid key"},
        {R"({"zarr_consolidated_format":1,"metadata":{"/.zarray":{}}})", "is not a valid key"},
        {R"({"zarr_consolidated_format":1,"metadata":{"a\\b/.zarray":{}}})", "is not a valid key"},
        {R"({"zarr_consolidated_format":1,"metadata":{"":{}}})", "is not a valid key"},
    };
    for (const auto& [text, message] : cases)
        EXPECT_TRUE(Fails(Make(text), StatusCode::kCorrupt, message)) << text;
}

}  // namespace
}  // namespace zarr::test
