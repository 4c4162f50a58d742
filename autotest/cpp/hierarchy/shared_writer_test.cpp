// SPDX-License-Identifier: MIT
// Tests of several HierarchyWriters of one store. Each writer acts as if it was in another process.
#include <atomic>
#include <chrono>
#include <future>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/shared_store.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"

namespace zarr::test {
namespace {

class SharedWriter : public testing::Test {
  protected:
    void SetUp() override {
        HierarchyWriter writer(store_);
        ASSERT_TRUE(Succeeds(writer.CreateGroup("a")));
        ASSERT_TRUE(Succeeds(writer.CreateGroup("b")));
        ASSERT_TRUE(Succeeds(writer.Consolidate()));
    }
    std::string Text(const std::string& key) const {
        Buffer value;
        const auto found = store_->Get(key, value, kNoLimit);
        EXPECT_TRUE(Succeeds(found));
        return found.ok() && *found ? TextOf(value) : "";
    }
    void ExpectConsolidated() const {
        const auto text = ConsolidatedText(*store_, "");
        ASSERT_TRUE(Succeeds(text));
        EXPECT_EQ(Text(".zmetadata"), *text);
    }
    std::string Attributes(const std::string& node) const {
        const std::string text = Text(node + "/.zattrs");
        return text.empty() ? "" : json::Dump(Json(text));
    }

    std::shared_ptr<ObservingStore> store_ = std::make_shared<ObservingStore>();
};

TEST_F(SharedWriter, OnlyDifferingAttributesChange) {
    HierarchyWriter writer(store_);
    const json::Value before = Json(R"({"kept": 1, "mine": [1, 2], "gone": null, "same": NaN})");
    ASSERT_TRUE(Succeeds(writer.SetAttributes("a", before)));
    ASSERT_TRUE(Succeeds(
        writer.SetAttributes("a", Json(R"({"kept": 2, "mine": 3, "gone": 4, "theirs": 5})"))));
    ASSERT_TRUE(Succeeds(writer.ChangeAttributes(
        "a", before, Json(R"({"kept": 1, "mine": [1, 3], "same": NaN, "new": "x"})"))));
    EXPECT_EQ(Attributes("a"), R"({"kept": 2, "mine": [1, 3], "new": "x", "theirs": 5})");
    // Another process removed the attribute `x`. The writer did not change `x`, so `x` must stay
    // removed.
    ASSERT_TRUE(Succeeds(writer.SetAttributes("a", Json("{}"))));
    ASSERT_TRUE(Succeeds(
        writer.ChangeAttributes("a", Json(R"({"x": 1, "y": 1})"), Json(R"({"x": 1, "y": 2})"))));
    EXPECT_EQ(Attributes("a"), R"({"y": 2})");
    ASSERT_TRUE(Succeeds(writer.ChangeAttributes("a", Json(R"({"y": 2})"), Json("{}"))));
    EXPECT_EQ(Text("a/.zattrs"), "") << "none are no document";
}

TEST_F(SharedWriter, AttributesThatCannotBeChangedStay) {
    HierarchyWriter writer(store_);
    const json::Value none = Json("{}");
    const json::Value some = Json(R"({"x": 1})");
    EXPECT_TRUE(Fails(writer.ChangeAttributes("a", none, Json("[]")), StatusCode::kInvalidArgument,
                      "a/.zattrs: expected an object"));
    EXPECT_TRUE(Fails(writer.ChangeAttributes("a", Json("1"), none), StatusCode::kInvalidArgument,
                      "a/.zattrs: expected an object"));
    EXPECT_TRUE(Fails(writer.ChangeAttributes("c", none, some), StatusCode::kNotFound));
    ASSERT_TRUE(Succeeds(store_->Set("a/.zattrs", ByteSpan(std::string_view("{half")))));
    EXPECT_TRUE(Fails(writer.ChangeAttributes("a", none, some), StatusCode::kCorrupt, "a/.zattrs"));
    EXPECT_EQ(Text("a/.zattrs"), "{half");
}

TEST_F(SharedWriter, DocumentsAreReplacedUnderTheirLocks) {
    const auto locks = std::make_shared<MemoryLocks>();
    HierarchyWriter writer(store_, WriteConsolidated::kNo, locks);
    int changes = 0;
    store_->on_change = [&](const std::string& key) {
        if (key == ".zmetadata") return;
        EXPECT_TRUE(locks->IsHeld(key)) << key;
        ++changes;
    };
    const json::Value some = Json(R"({"x": 1})");
    ASSERT_TRUE(Succeeds(writer.SetAttributes("a", some)));
    ASSERT_TRUE(Succeeds(writer.ChangeAttributes("a", some, Json(R"({"x": 2})"))));
    EXPECT_EQ(changes, 2);
    locks->fails = true;
    EXPECT_TRUE(Fails(writer.SetAttributes("a", some), StatusCode::kIo, "locks/a/.zattrs"));
    EXPECT_EQ(Attributes("a"), R"({"x": 2})");
}

// Consolidated metadata must be written under a lock. Otherwise a process could replace newer
// metadata with older ones.
TEST_F(SharedWriter, MetadataAreConsolidatedUnderTheirLock) {
    const auto locks = std::make_shared<MemoryLocks>();
    HierarchyWriter writer(store_, WriteConsolidated::kIfPresent, locks);
    ASSERT_TRUE(Succeeds(writer.SetAttributes("a", Json(R"({"x": 1})"))));
    int changes = 0;
    store_->on_change = [&](const std::string& key) {
        EXPECT_EQ(key, ".zmetadata");
        EXPECT_TRUE(locks->IsHeld(key));
        ++changes;
    };
    ASSERT_TRUE(Succeeds(writer.Finish()));
    EXPECT_EQ(changes, 1);
    EXPECT_FALSE(locks->IsHeld(".zmetadata"));
    ExpectConsolidated();
    locks->fails = true;
    EXPECT_TRUE(Fails(writer.Consolidate(), StatusCode::kIo, "locks/.zmetadata"));
}

// The first writer has read the documents, so the second writer must wait. Otherwise the
// consolidated metadata would omit the second change.
TEST_F(SharedWriter, FinishWaitsForAnotherConsolidation) {
    const auto locks = std::make_shared<MemoryLocks>();
    HierarchyWriter first(store_, WriteConsolidated::kIfPresent, locks);
    HierarchyWriter second(store_, WriteConsolidated::kIfPresent, locks);
    std::atomic<bool> is_first{true};
    std::future<void> finished;
    store_->on_change = [&](const std::string& key) {
        if (key != ".zmetadata" || !locks->IsHeld(key) || !is_first.exchange(false)) return;
        finished = std::async(std::launch::async, [&] {
            EXPECT_TRUE(Succeeds(second.SetAttributes("b", Json(R"({"y": 2})"))));
            EXPECT_TRUE(Succeeds(second.Finish()));
        });
        EXPECT_EQ(finished.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
    };
    ASSERT_TRUE(Succeeds(first.SetAttributes("a", Json(R"({"x": 1})"))));
    ASSERT_TRUE(Succeeds(first.Finish()));
    ASSERT_TRUE(finished.valid());
    finished.get();
    ExpectConsolidated();
}

TEST_F(SharedWriter, AChangeBetweenCollectingAndWritingIsConsolidatedToo) {
    HierarchyWriter first(store_);
    HierarchyWriter second(store_);
    ASSERT_TRUE(Succeeds(first.SetAttributes("a", Json(R"({"x": 1})"))));
    bool is_done = false;
    store_->on_change = [&](const std::string& key) {
        if (key != ".zmetadata" || std::exchange(is_done, true)) return;
        EXPECT_TRUE(Succeeds(second.SetAttributes("b", Json(R"({"y": 2})"))));
    };
    ASSERT_TRUE(Succeeds(first.Finish()));
    EXPECT_TRUE(is_done);
    ExpectConsolidated();
    ASSERT_TRUE(Succeeds(second.Finish()));
    ExpectConsolidated();
}

TEST_F(SharedWriter, OutdatedConsolidatedMetadataAreWrittenAgain) {
    for (const auto consolidate : {WriteConsolidated::kIfPresent, WriteConsolidated::kNo}) {
        HierarchyWriter first(store_);
        HierarchyWriter second(store_, consolidate);
        ASSERT_TRUE(Succeeds(first.SetAttributes("a", Json(R"({"x": 1})"))));
        bool is_done = false;
        store_->on_change = [&](const std::string& key) {
            if (key != "b/.zattrs" || std::exchange(is_done, true)) return;
            EXPECT_TRUE(Succeeds(first.Finish()));
        };
        ASSERT_TRUE(Succeeds(second.SetAttributes("b", Json(R"({"y": 2})"))));
        EXPECT_TRUE(is_done);
        ASSERT_TRUE(Succeeds(second.Finish()));
        ExpectConsolidated();
        store_->on_change = nullptr;
        ASSERT_TRUE(Succeeds(first.SetAttributes("a", Json("{}"))));
        ASSERT_TRUE(Succeeds(first.SetAttributes("b", Json("{}"))));
        ASSERT_TRUE(Succeeds(first.Finish()));
    }
}

}  // namespace
}  // namespace zarr::test
