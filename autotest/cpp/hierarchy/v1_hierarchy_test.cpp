// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
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

TEST(V1Hierarchy, ShowsArraysOnceTheyWereFound) {
    const auto tree =
        Tree({{"a/meta", kMetaText}, {"a/attrs", R"({"x": 1})"}, {"a/0", "ab"}, {"b/x", ""}});
    EXPECT_FALSE(*tree->Has("a", Document::kArray)) << "it was not looked for";
    EXPECT_TRUE(Fails(tree->Metadata("a"), StatusCode::kNotFound, "a/.zarray"));
    ASSERT_TRUE(*tree->HoldsArray("a"));
    EXPECT_FALSE(*tree->HoldsArray("b"));
    EXPECT_TRUE(*tree->Has("a", Document::kArray));
    EXPECT_TRUE(*tree->Has("a", Document::kAttributes));
    EXPECT_FALSE(*tree->Has("a", Document::kGroup));
    EXPECT_EQ(json::Dump(*tree->Attributes("a")), R"({"x": 1})");
    EXPECT_EQ(tree->Metadata("a")->shape[0], 2U);
    EXPECT_EQ(tree->NameOf("a", Document::kArray), "a/meta");
    EXPECT_EQ(tree->NameOf("a", Document::kAttributes), "a/attrs");
    EXPECT_EQ(tree->NameOf("b", Document::kArray), "b/.zarray");
}

TEST(V1Hierarchy, FollowsAConversionInPlace) {
    const auto base = StoreOf({{"a/meta", kMetaText}, {"a/attrs", "{}"}});
    const auto tree = Tree(base);
    ASSERT_EQ(*tree->KindOf("a"), NodeKind::kArray);
    ASSERT_TRUE(Succeeds(base->Erase("a/meta")));
    const std::string converted = ArrayText("[5]");
    ASSERT_TRUE(Succeeds(base->Set("a/.zarray", ByteSpan(std::string_view(converted)))));
    NotifyChange(*base);
    EXPECT_EQ(tree->Metadata("a")->shape[0], 5U);
}

TEST(V1Hierarchy, TellsAFolderCalledMetaFromAFailure) {
    const TempFolder folder;
    DirectoryStore files(folder.path().string());
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

TEST(V1Hierarchy, FindsArraysIfThereIsNothingOfV2) {
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
    EXPECT_EQ(tree->Metadata("a")->format, Format::kV1);
    EXPECT_TRUE(Succeeds(tree->OpenArray("a")));
    EXPECT_EQ(tree->Metadata("v2")->shape[0], 4U);
    EXPECT_EQ(tree->Metadata("v2")->format, Format::kV2);
}

TEST(V1Hierarchy, ReadsMetaOnlyIfNothingElseIsFound) {
    auto spy = std::make_shared<SpyStore>(StoreOf({{".zgroup", kGroupText},
                                                   {"a/.zarray", ArrayText("[4]")},
                                                   {"a/.zattrs", "{}"},
                                                   {"b/.zgroup", kGroupText}}));
    const auto tree = Tree(spy);
    EXPECT_TRUE(tree->KindOf("").ok() && tree->Members("").ok() && tree->Attributes("b").ok() &&
                tree->OpenArray("a").ok() && !*tree->Has("x", Document::kArray));
    std::set<std::string> names;
    for (const auto& asked : spy->by_key()) names.emplace(LastName(asked.first));
    EXPECT_EQ(names,
              (std::set<std::string>{".zmetadata", ".zarray", ".zgroup", ".zattrs", "zarr.json"}));
    EXPECT_EQ(*tree->KindOf("x"), NodeKind::kNone);
    EXPECT_EQ(spy->by_key().count("x/meta"), 1U);
}

TEST(V1Hierarchy, IgnoresMetaBesideConsolidatedMetadata) {
    const auto store = StoreOf(
        {{"a/meta", kMetaText},
         {".zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {}}})"}});
    EXPECT_EQ(*Tree(store)->KindOf("a"), NodeKind::kNone);
    EXPECT_EQ(*Tree(store, UseConsolidated::kNever)->KindOf("a"), NodeKind::kArray);
}

template <class T>
testing::AssertionResult IsRefused(const T& result) {
    return Fails(result, StatusCode::kUnsupported, "a/meta: Zarr v1 is read-only");
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
    const auto create = [&](const char* path) {
        return writer.CreateArray(path, MetadataOf(ArrayText("[4]")), {}, IfExists::kReplace);
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
