// SPDX-License-Identifier: MIT
#include "core/hierarchy/v1_store.h"

#include <gtest/gtest.h>

#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/store/directory_store.h"
#include "core/store/keys.h"

namespace zarr::test {
namespace {

constexpr const char* kMetaText =
    R"({"zarr_format": 1, "shape": [2], "chunks": [2], "dtype": "|u1", "compression": "none", )"
    R"("compression_opts": null, "fill_value": 7, "order": "C"})";

// With an array of v1 beside what it is put into.
class V1UnderTest final : public StoreUnderTest {
  public:
    V1UnderTest() {
        EXPECT_TRUE(Succeeds(base_->Set("old/meta", ByteSpan(std::string_view(kMetaText)))));
        EXPECT_TRUE(*store_.Find("old"));
        EXPECT_TRUE(Succeeds(base_->Erase("old/meta")));
    }
    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(Succeeds(base_->Set(key, ByteSpan(value))));
    }
    const Store& store() override { return store_; }

  private:
    std::shared_ptr<MemoryStore> base_ = std::make_shared<MemoryStore>();
    V1Store store_{base_};
};

std::unique_ptr<StoreUnderTest> MakeV1Store() { return std::make_unique<V1UnderTest>(); }

INSTANTIATE_TEST_SUITE_P(V1, StoreContract, testing::Values(&MakeV1Store));

TEST(V1Store, ShowsWhatWasFoundAsV2) {
    const auto base = StoreOf({{"a/meta", kMetaText}, {"a/attrs", R"({"x": 1})"}, {"a/0", "ab"}});
    const V1Store store(base);
    Buffer value;
    EXPECT_FALSE(*store.Get("a/.zarray", value, kNoLimit)) << "nobody has looked for it";
    ASSERT_TRUE(*store.Find("a"));
    EXPECT_FALSE(*store.Find("b"));
    ASSERT_TRUE(*store.Get("a/.zarray", value, kNoLimit));
    EXPECT_TRUE(Succeeds(ParseArrayMetadata(TextOf(value))));
    Buffer part;
    ASSERT_TRUE(*store.GetRange("a/.zarray", 1, 5, part));
    EXPECT_EQ(TextOf(part), TextOf(value).substr(1, 5));
    ASSERT_TRUE(*store.GetRange("a/.zarray", 1U << 20U, 5, part));
    EXPECT_EQ(part.size(), 0U);
    std::string whole(value.size(), '\0');
    const MutableByteSpan memory{reinterpret_cast<std::uint8_t*>(whole.data()), whole.size()};
    EXPECT_EQ(*store.GetInto("a/.zarray", memory), whole.size());
    EXPECT_EQ(whole, TextOf(value));
    ASSERT_TRUE(*store.Get("a/.zattrs", value, kNoLimit));
    EXPECT_EQ(TextOf(value), R"({"x": 1})");
    ASSERT_TRUE(*store.Get("a/0", value, kNoLimit));
    EXPECT_EQ(TextOf(value), "ab");
}

TEST(V1Store, NamesWhatMessagesAreAbout) {
    const V1Store store(StoreOf({{"a/meta", kMetaText}, {"meta", kMetaText}}));
    ASSERT_TRUE(*store.Find("a"));
    EXPECT_EQ(store.SourceOf("a/.zarray"), "a/meta");
    EXPECT_EQ(store.SourceOf("a/.zattrs"), "a/attrs");
    EXPECT_EQ(store.SourceOf("a/0"), "a/0");
    EXPECT_EQ(store.SourceOf(".zarray"), ".zarray");
    ASSERT_TRUE(*store.Find(""));
    EXPECT_EQ(store.SourceOf(".zarray"), "meta");
}

TEST(V1Store, FollowsAConversionInPlace) {
    const auto base = StoreOf({{"a/meta", kMetaText}, {"a/attrs", "{}"}});
    const auto tree = Tree(base);
    ASSERT_EQ(*tree->KindOf("a"), NodeKind::kArray);
    ASSERT_TRUE(Succeeds(base->Erase("a/meta")));
    const std::string converted = ArrayText("[5]");
    ASSERT_TRUE(Succeeds(base->Set("a/.zarray", ByteSpan(std::string_view(converted)))));
    EXPECT_EQ(tree->Metadata("a")->shape[0], 5U);
}

TEST(V1Store, TellsAFolderCalledMetaFromAFailure) {
    const TempFolder folder;
    DirectoryStore files(folder.path());
    ASSERT_TRUE(Succeeds(files.Set("a/meta/.zarray", ByteSpan(std::string_view("{}")))));
    ASSERT_TRUE(Succeeds(files.Set("b/x", ByteSpan(std::string_view("{}")))));
    EXPECT_FALSE(*HoldsV1Array(files, "a"));
    EXPECT_FALSE(*HoldsV1Array(files, "b"));
    FaultyStore faulty(StoreOf({{"a/meta", kMetaText}}));
    faulty.FailAt(1, false);
    EXPECT_TRUE(Fails(HoldsV1Array(faulty, "a"), StatusCode::kIo, "a/meta: injected fault"));
    faulty.FailAt(1, true);
    EXPECT_TRUE(Fails(HoldsV1Array(faulty, "a"), StatusCode::kIo, "a/meta: injected fault"));
}

TEST(V1Hierarchy, FindsArraysWhereThereIsNothingOfV2) {
    const auto tree = Tree({{"a/meta", kMetaText},
                            {"deep/b/meta", kMetaText},
                            {"c/meta", R"({"title": "no array"})"},
                            {"v2/.zarray", ArrayText("[4]")},
                            {"v2/meta", kMetaText},
                            {"group/.zgroup", kGroupText},
                            {"group/meta", kMetaText},
                            {"meta/d/.zarray", ArrayText("[4]")}});
    EXPECT_EQ(*tree->KindOf(""), NodeKind::kGroup);
    const auto members = tree->Members("");
    ASSERT_TRUE(Succeeds(members));
    std::map<std::string, NodeKind> kinds;
    for (const Node& node : *members) kinds[node.name] = node.kind;
    const std::map<std::string, NodeKind> expected = {{"a", NodeKind::kArray},
                                                      {"deep", NodeKind::kGroup},
                                                      {"group", NodeKind::kGroup},
                                                      {"meta", NodeKind::kGroup},
                                                      {"v2", NodeKind::kArray}};
    EXPECT_EQ(kinds, expected);
    EXPECT_EQ(*tree->KindOf("deep/b"), NodeKind::kArray);
}

TEST(V1Hierarchy, OpensWhatItHasFound) {
    const auto tree =
        Tree({{"a/meta", kMetaText}, {"v2/.zarray", ArrayText("[4]")}, {"v2/meta", kMetaText}});
    ASSERT_TRUE(Succeeds(tree->Members("")));
    EXPECT_TRUE(tree->Metadata("a")->is_v1);
    EXPECT_TRUE(Succeeds(tree->OpenArray("a")));
    EXPECT_EQ(tree->Metadata("v2")->shape[0], 4U);
    EXPECT_FALSE(tree->Metadata("v2")->is_v1);
}

TEST(V1Hierarchy, AsksForMetaOnlyWhereNothingElseWas) {
    auto spy = std::make_shared<SpyStore>(StoreOf({{".zgroup", kGroupText},
                                                   {"a/.zarray", ArrayText("[4]")},
                                                   {"a/.zattrs", "{}"},
                                                   {"b/.zgroup", kGroupText}}));
    const auto tree = Tree(spy);
    EXPECT_TRUE(tree->KindOf("").ok() && tree->Members("").ok() && tree->Attributes("b").ok() &&
                tree->OpenArray("a").ok() && !*tree->Has("x/.zarray"));
    std::set<std::string> names;
    for (const auto& asked : spy->by_key()) names.emplace(LastName(asked.first));
    EXPECT_EQ(names, (std::set<std::string>{".zmetadata", ".zarray", ".zgroup", ".zattrs"}));
    EXPECT_EQ(*tree->KindOf("x"), NodeKind::kNone);
    EXPECT_EQ(spy->by_key().count("x/meta"), 1U);
}

TEST(V1Hierarchy, HasNoneBesideConsolidatedMetadata) {
    const auto store = StoreOf(
        {{"a/meta", kMetaText},
         {".zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {}}})"}});
    EXPECT_EQ(*Tree(store)->KindOf("a"), NodeKind::kNone);
    EXPECT_EQ(*Tree(store, UseConsolidated::kNever)->KindOf("a"), NodeKind::kArray);
}

template <class T>
testing::AssertionResult IsRefused(const T& result) {
    return Fails(result, StatusCode::kUnsupported, "a/meta: is of Zarr v1, which is only read");
}

TEST(V1Hierarchy, OpensNoWriter) {
    const auto store = StoreOf({{"a/meta", kMetaText}, {"a/0", "ab"}});
    const auto tree = Tree(store);
    ASSERT_EQ(*tree->KindOf("a"), NodeKind::kArray);
    EXPECT_TRUE(IsRefused(tree->CheckChangeable("a")));
    EXPECT_TRUE(Succeeds(tree->CheckChangeable("")));
    const auto array = tree->OpenArray("a");
    ASSERT_TRUE(Succeeds(array));
    EXPECT_TRUE(IsRefused(ArrayWriter::Open(*array, store, 1, nullptr)));
}

TEST(V1Hierarchy, IsNotWrittenTo) {
    const auto store =
        StoreOf({{"a/meta", kMetaText}, {"a/0", "ab"}, {"a/sub/.zgroup", kGroupText}});
    HierarchyWriter writer(store);
    const auto document = json::Parse(ArrayText("[4]"));
    const auto create = [&](const char* path) {
        return writer.CreateArray(path, *document->as_object(), {}, IfExists::kReplace);
    };
    const Status tries[] = {create("a"),
                            create("a/b"),
                            writer.CreateGroup("a"),
                            writer.CreateGroup("a/b/c"),
                            writer.DeleteNode("a"),
                            writer.RenameNode("a", "b"),
                            writer.SetAttributes("a", json::Value(json::Object{}))};
    for (const Status& status : tries) EXPECT_TRUE(IsRefused(status));
    EXPECT_EQ(store->List("a")->size(), 3U);
    EXPECT_EQ(store->List("")->size(), 1U);
}

TEST(V1Hierarchy, NamesMetaInErrors) {
    const auto tree =
        Tree({{"meta", R"({"zarr_format": 1, "compression": 3, "chunks": []})"}, {"attrs", "[]"}});
    ASSERT_EQ(*tree->KindOf(""), NodeKind::kArray);
    EXPECT_TRUE(Fails(tree->Metadata(""), StatusCode::kCorrupt, "meta: compression: expected"));
    EXPECT_TRUE(Fails(tree->OpenArray(""), StatusCode::kCorrupt, "meta: compression: expected"));
    EXPECT_TRUE(Fails(tree->Attributes(""), StatusCode::kCorrupt, "attrs: expected an object"));
}

}  // namespace
}  // namespace zarr::test
