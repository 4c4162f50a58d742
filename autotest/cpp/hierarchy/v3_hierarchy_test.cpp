// SPDX-License-Identifier: MIT
// Tests that the core finds, reads and writes hierarchies of Zarr v3.
#include <string>
#include <vector>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/v3_metadata.h"

namespace zarr::test {
namespace {

using StringList = std::vector<std::string>;

constexpr const char* kGroup =
    R"({"zarr_format": 3, "node_type": "group", "attributes": {"g": 1}})";

std::string ArrayOf(const std::string& shape, const std::string& more = "") {
    return R"({"zarr_format": 3, "node_type": "array", "data_type": "uint8", "fill_value": 0, )"
           R"("chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" +
           shape + R"(}}, "chunk_key_encoding": "default", "codecs": ["bytes"], "shape": )" +
           shape + more + "}";
}

StringList NamesOf(const std::vector<Node>& nodes) {
    StringList names;
    for (const Node& node : nodes)
        names.push_back(node.name + (node.kind == NodeKind::kArray ? "" : "/"));
    return names;
}

std::string TextAt(const Store& store, const std::string& key) {
    Buffer value;
    const auto found = store.Get(key, value, kNoLimit);
    EXPECT_TRUE(Succeeds(found)) << key;
    return found.ok() && *found ? TextOf(value) : "absent";
}

TEST(V3Hierarchy, IsFoundByTheRoot) {
    const auto tree = Tree({{"zarr.json", kGroup},
                            {"a/zarr.json", ArrayOf("[2]", R"(, "dimension_names": ["x"])")},
                            {"a/c/0", "ab"},
                            {"g/zarr.json", kGroup},
                            {"g/b/zarr.json", ArrayOf("[3]")},
                            {"plain/b/zarr.json", ArrayOf("[3]")},
                            {"old/.zarray", ArrayText("[1]")}});
    EXPECT_EQ(tree->format(), Format::kV3);
    const auto members = tree->Members("");
    ASSERT_TRUE(Succeeds(members));
    EXPECT_EQ(NamesOf(*members), (StringList{"a", "g/"})) << "v3 has no implicit groups";
    EXPECT_EQ(json::Dump(*tree->Attributes("")), R"({"g": 1})");
    EXPECT_EQ(json::Dump(*tree->Attributes("a")), R"({"_ARRAY_DIMENSIONS": ["x"]})");
    EXPECT_TRUE(Succeeds(tree->OpenArray("g/b")));
    EXPECT_TRUE(Fails(tree->Metadata("g"), StatusCode::kCorrupt, "g/zarr.json: node_type"));
    EXPECT_TRUE(Fails(tree->Metadata("none"), StatusCode::kNotFound, "none/zarr.json: "));
    EXPECT_EQ(*tree->KindOf("plain"), NodeKind::kNone);
}

TEST(V3Hierarchy, TakesPrecedenceOverVersion2) {
    const auto tree = Tree({{"zarr.json", kGroup},
                            {".zgroup", kGroupText},
                            {"a/.zarray", ArrayText("[1]")},
                            {"a/zarr.json", ArrayOf("[5]")}});
    EXPECT_EQ(tree->Metadata("a")->shape, std::vector<std::uint64_t>{5});
}

TEST(V3Hierarchy, ErrorsNameTheFaultOfTheRoot) {
    for (const char* text :
         {"", "[]", R"({"zarr_format": 2})", R"({"zarr_format": 3, "node_type": "x"})"}) {
        const auto tree = Tree({{"zarr.json", text}});
        EXPECT_TRUE(Fails(tree->KindOf(""), StatusCode::kCorrupt, "zarr.json: ")) << text;
    }
}

TEST(V3Hierarchy, ReadsConsolidatedMetadata) {
    const std::string root =
        *WithV3Consolidated(kGroup, json::Object{{"a", Json(ArrayOf("[2]"))},
                                                 {"g", Json(kGroup)},
                                                 {"g/b", Json(ArrayOf("[3]"))}});
    const auto tree = Tree({{"zarr.json", root}, {"later/zarr.json", ArrayOf("[4]")}});
    EXPECT_TRUE(tree->is_consolidated());
    EXPECT_EQ(NamesOf(*tree->Members("")), (StringList{"a", "g/"}));
    EXPECT_EQ(NamesOf(*tree->Members("g")), StringList{"b"});
    EXPECT_EQ(NamesOf(tree->Unconsolidated("")), StringList{"later"});
    EXPECT_EQ(tree->Metadata("g/b")->shape, std::vector<std::uint64_t>{3});
    EXPECT_EQ(tree->NameOf("g/b", Document::kArray),
              "zarr.json: consolidated_metadata: g/b/zarr.json");
}

// Opening an array also reads the attributes of the root, but must not parse the consolidated
// metadata again.
TEST(V3Hierarchy, ReadsConsolidatedMetadataOnce) {
    const std::string root = *WithV3Consolidated(kGroup, json::Object{{"a", Json(ArrayOf("[2]"))}});
    const auto tree = Tree({{"zarr.json", root}});
    ASSERT_TRUE(tree->is_consolidated());
    EXPECT_EQ(TextAt(*tree->store(), "zarr.json"), root);
    EXPECT_EQ(json::Dump(*tree->Attributes("")), R"({"g": 1})");
    EXPECT_TRUE(Succeeds(tree->CheckGroup("")));
}

TEST(V3Hierarchy, ReadsTheDocumentsIfConsolidatedMetadataAreUnusable) {
    const auto tree = Tree({{"zarr.json", R"({"zarr_format": 3, "node_type": "group", )"
                                          R"("consolidated_metadata": {"kind": "other"}})"},
                            {"a/zarr.json", ArrayOf("[2]")}});
    EXPECT_FALSE(tree->is_consolidated());
    EXPECT_TRUE(Fails(tree->consolidated_error(), StatusCode::kCorrupt,
                      "zarr.json: consolidated_metadata.kind"));
    EXPECT_EQ(NamesOf(*tree->Members("")), StringList{"a"});
}

TEST(V3Hierarchy, FindsStaleConsolidatedMetadata) {
    const std::string root = *WithV3Consolidated(kGroup, json::Object{{"a", Json(ArrayOf("[2]"))}});
    const auto tree = Tree({{"zarr.json", root}, {"a/zarr.json", ArrayOf("[7]")}});
    std::vector<std::string> warnings;
    const auto metadata = tree->CurrentMetadata("a", warnings);
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_EQ(metadata->shape, std::vector<std::uint64_t>{7});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("a/zarr.json"), std::string::npos);
}

// A Zarr v3 store in memory that records changes, and its HierarchyWriter.
struct WrittenV3 {
    explicit WrittenV3(Entries entries, WriteConsolidated how = WriteConsolidated::kIfPresent)
        : store(std::make_shared<FaultyStore>(StoreOf(entries))),
          writer(store, how, nullptr, Format::kV3) {}
    std::shared_ptr<FaultyStore> store;
    HierarchyWriter writer;
};

ArrayMetadata Metadata(std::uint64_t size = 4) {
    ArraySpec spec;
    spec.format = Format::kV3;
    spec.shape = spec.chunks = {size};
    spec.dtype = *ParseTypestr("|u1");
    spec.fill_value = std::string(1, '\0');
    spec.has_key_prefix = true;
    spec.dimension_separator = '/';
    auto metadata = MakeArrayMetadata(spec);
    EXPECT_TRUE(Succeeds(metadata));
    return metadata.Take();
}

TEST(V3Writer, MakesGroupsAndArrays) {
    WrittenV3 w({});
    ASSERT_TRUE(Succeeds(w.writer.CreateArray(
        "g/a", Metadata(), {{"_ARRAY_DIMENSIONS", Json(R"(["x"])")}, {"k", Json("1")}})));
    EXPECT_EQ(w.store->TakeChanges(),
              (StringList{"set zarr.json", "set g/zarr.json", "set g/a/zarr.json"}));
    const json::Value document = Json(TextAt(*w.store, "g/a/zarr.json"));
    EXPECT_EQ(json::Dump(*document.Find("dimension_names")), R"(["x"])");
    EXPECT_EQ(json::Dump(*document.Find("attributes")), R"({"k": 1})");
    EXPECT_TRUE(Fails(w.writer.CreateArray("g/a", Metadata()), StatusCode::kInvalidArgument));
    EXPECT_TRUE(Fails(w.writer.CreateGroup("g/a/b"), StatusCode::kInvalidArgument,
                      "g/a/zarr.json: is an array"));
    EXPECT_TRUE(Fails(w.writer.CreateGroup("g/zarr.json"), StatusCode::kInvalidArgument,
                      "no array or group can have the name zarr.json"));
}

TEST(V3Writer, RefusesArraysOfAnotherVersion) {
    WrittenV3 w({});
    EXPECT_TRUE(Fails(w.writer.CreateArray("a", MetadataOf(ArrayText("[1]"))),
                      StatusCode::kInvalidArgument, "a/zarr.json: the array is of Zarr v"));
}

TEST(V3Writer, LearnsTheVersionFromTheStore) {
    const auto store = std::make_shared<FaultyStore>(StoreOf({{"zarr.json", kGroup}}));
    HierarchyWriter writer(store);
    EXPECT_EQ(*writer.StoreFormat(), Format::kV3);
    EXPECT_TRUE(Succeeds(writer.CreateGroup("g")));
    EXPECT_EQ(store->TakeChanges(), StringList{"set g/zarr.json"});
}

TEST(V3Writer, ChangesAttributesAndKeepsTheRest) {
    WrittenV3 w({{"zarr.json", kGroup},
                 {"a/zarr.json", ArrayOf("[4]", R"(, "attributes": {"k": 1, "l": 2}, )"
                                                R"("x-tool": {"must_understand": false})")}});
    ASSERT_TRUE(Succeeds(w.writer.ChangeAttributes("a", Json(R"({"k": 1})"), Json(R"({"m": 3})"))));
    const json::Value document = Json(TextAt(*w.store, "a/zarr.json"));
    EXPECT_EQ(json::Dump(*document.Find("attributes")), R"({"l": 2, "m": 3})");
    EXPECT_NE(document.Find("x-tool"), nullptr);
    w.store->TakeChanges();
    ASSERT_TRUE(Succeeds(w.writer.SetAttributes("a", Json(R"({"l": 2, "m": 3})"))));
    EXPECT_EQ(w.store->TakeChanges(), StringList()) << "nothing has changed";
    ASSERT_TRUE(Succeeds(w.writer.ReplaceMetadata(
        "a", *WithShape(*ParseV3Array(TextAt(*w.store, "a/zarr.json")), {9}))));
    const json::Value resized = Json(TextAt(*w.store, "a/zarr.json"));
    EXPECT_EQ(json::Dump(*resized.Find("shape")), "[9]");
    EXPECT_EQ(json::Dump(*resized.Find("attributes")), R"({"l": 2, "m": 3})");
    EXPECT_NE(resized.Find("x-tool"), nullptr);
    EXPECT_TRUE(Fails(w.writer.SetAttributes("none", Json("{}")), StatusCode::kNotFound));
}

TEST(V3Writer, KeepsConsolidatedMetadataCurrent) {
    const std::string root = *WithV3Consolidated(kGroup, json::Object{{"a", Json(ArrayOf("[4]"))}});
    WrittenV3 w({{"zarr.json", root}, {"a/zarr.json", ArrayOf("[4]")}});
    ASSERT_TRUE(Succeeds(w.writer.SetAttributes("a", Json(R"({"k": 1})"))));
    EXPECT_EQ(w.store->TakeChanges(), (StringList{"set zarr.json", "set a/zarr.json"}))
        << "they are gone before what they hold changes";
    EXPECT_FALSE(HasV3Consolidated(TextAt(*w.store, "zarr.json")));
    ASSERT_TRUE(Succeeds(w.writer.Finish()));
    EXPECT_EQ(w.store->TakeChanges(), StringList{"set zarr.json"});
    const auto tree = Tree(w.store);
    EXPECT_TRUE(tree->is_consolidated());
    EXPECT_EQ(json::Dump(*tree->Attributes("a")), R"({"k": 1})");
    EXPECT_EQ(json::Dump(*tree->Attributes("")), R"({"g": 1})");
}

TEST(V3Writer, ChangesTheRootThatHoldsConsolidatedMetadata) {
    const std::string root = *WithV3Consolidated(kGroup, json::Object{{"a", Json(ArrayOf("[4]"))}});
    WrittenV3 w({{"zarr.json", root}, {"a/zarr.json", ArrayOf("[4]")}});
    ASSERT_TRUE(Succeeds(w.writer.SetAttributes("", Json(R"({"new": 1})"))));
    ASSERT_TRUE(Succeeds(w.writer.Finish()));
    const auto tree = Tree(w.store);
    EXPECT_TRUE(tree->is_consolidated());
    EXPECT_EQ(json::Dump(*tree->Attributes("")), R"({"new": 1})");
    EXPECT_TRUE(Succeeds(tree->Metadata("a")));
}

TEST(V3Writer, DeletesAndRenames) {
    WrittenV3 w({{"zarr.json", kGroup},
                 {"g/zarr.json", kGroup},
                 {"g/a/zarr.json", ArrayOf("[4]")},
                 {"g/a/c/0", "abcd"}});
    ASSERT_TRUE(Succeeds(w.writer.RenameNode("g", "h")));
    EXPECT_EQ(TextAt(*w.store, "h/a/c/0"), "abcd");
    EXPECT_EQ(TextAt(*w.store, "g/zarr.json"), "absent");
    ASSERT_TRUE(Succeeds(w.writer.DeleteNode("h/a")));
    EXPECT_EQ(TextAt(*w.store, "h/a/c/0"), "absent");
    EXPECT_EQ(TextAt(*w.store, "h/zarr.json"), kGroup);
    EXPECT_TRUE(Fails(w.writer.DeleteNode("h/a"), StatusCode::kNotFound));
}

TEST(V3Writer, ErasesStoresButNoForeignFiles) {
    const auto known = [](std::string_view /*name*/) { return false; };
    const auto store = StoreOf({{"zarr.json", kGroup},
                                {"c/zarr.json", kGroup},
                                {"c/a/zarr.json", ArrayOf("[4]")},
                                {"c/a/c/0", "abcd"},
                                {"c/b/zarr.json", ArrayOf("[4]")},
                                {"c/b/c.0", "abcd"}});
    EXPECT_EQ(*FindForeignKey(*store, known), "");
    ASSERT_TRUE(Succeeds(store->Set("c/note.txt", ByteSpan(std::string_view("x")))));
    EXPECT_EQ(*FindForeignKey(*store, known), "c/note.txt");
    ASSERT_TRUE(Succeeds(store->Erase("c/note.txt")));
    ASSERT_TRUE(Succeeds(EraseStore(*store)));
    EXPECT_TRUE(store->List("")->empty());
}

}  // namespace
}  // namespace zarr::test
