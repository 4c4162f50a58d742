// SPDX-License-Identifier: MIT
// Tests that HierarchyWriter keeps the NCZarr metadata in stores of netCDF-C correct.
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/metadata/dialects.h"

namespace zarr::test {
namespace {

constexpr const char* kRoot =
    R"({"zarr_format": 2, "_NCZARR_SUPERBLOCK": {"version": "2.0.0"}, )"
    R"("_NCZARR_GROUP": {"dims": {"y": 2, "x": 3}, "vars": ["v"], "groups": []}})";

std::string ArrayOf(const std::string& references) {
    std::string text = ArrayText("[2, 3]");
    text.pop_back();
    return text + R"(, "_NCZARR_ARRAY": {"dimrefs": )" + references + R"(, "storage": "chunked"}})";
}

class NczarrDocumentsTest : public testing::Test {
  protected:
    explicit NczarrDocumentsTest(
        std::shared_ptr<MemoryStore> store = StoreOf({{".zgroup", kRoot},
                                                      {"v/.zarray", ArrayOf(R"(["/y", "/x"])")}}))
        : store_(std::move(store)), writer_(store_) {}
    json::Value At(const std::string& key) const {
        Buffer value;
        const auto found = store_->Get(key, value, kNoLimit);
        EXPECT_TRUE(found.ok() && *found) << key;
        return found.ok() && *found ? Json(TextOf(value)) : json::Value();
    }
    std::string Group(const std::string& path) const {
        const json::Value document = At(path.empty() ? ".zgroup" : path + "/.zgroup");
        const json::Value* const extension = document.Find("_NCZARR_GROUP");
        return extension != nullptr ? json::Dump(*extension) : "none";
    }
    std::string References(const std::string& array) const {
        const json::Value document = At(array + "/.zarray");
        const json::Value* const extension = document.Find("_NCZARR_ARRAY");
        return extension != nullptr ? json::Dump(*extension->Find("dimrefs")) : "none";
    }
    static ArrayMetadata Document(const std::string& shape) { return MetadataOf(ArrayText(shape)); }
    Status Create(const std::string& path, const std::string& shape, const std::string& names) {
        return writer_.CreateArray(path, Document(shape), {{"_ARRAY_DIMENSIONS", Json(names)}});
    }

    std::shared_ptr<MemoryStore> store_;
    HierarchyWriter writer_;
};

TEST_F(NczarrDocumentsTest, ArraysNameDimensionsThatAreThere) {
    ASSERT_TRUE(Succeeds(Create("a", "[3, 5]", R"(["x", "n"])")));
    EXPECT_EQ(References("a"), R"(["/x", "/n"])");
    EXPECT_EQ(Group(""), R"({"dims": {"n": 5, "x": 3, "y": 2}, "groups": [], "vars": ["v", "a"]})");
    ASSERT_TRUE(Succeeds(Create("g/h/b", "[2, 4]", R"(["y", "x"])")));
    EXPECT_EQ(References("g/h/b"), R"(["/y", "/g/h/x"])") << "x of the root has another size";
    EXPECT_EQ(Group("g/h"), R"({"dims": {"x": 4}, "groups": [], "vars": ["b"]})");
    EXPECT_EQ(Group("g"), R"({"dims": {}, "groups": ["h"], "vars": []})");
    ASSERT_TRUE(Succeeds(Create("c", "[7]", R"(["x"])")));
    EXPECT_EQ(References("c"), R"(["/x_7"])") << "the name is taken in this group";
    ASSERT_TRUE(Succeeds(writer_.CreateArray("d", Document("[9]"))));
    EXPECT_EQ(References("d"), R"(["/_zdim_9"])");
}

TEST_F(NczarrDocumentsTest, ListsFollowDeletionAndRenaming) {
    ASSERT_TRUE(Succeeds(Create("g/b", "[4]", R"(["n"])")));
    ASSERT_TRUE(Succeeds(writer_.RenameNode("g", "k")));
    EXPECT_EQ(References("k/b"), R"(["/k/n"])");
    ASSERT_TRUE(Succeeds(writer_.RenameNode("v", "w")));
    EXPECT_EQ(Group(""), R"({"dims": {"x": 3, "y": 2}, "groups": ["k"], "vars": ["w"]})");
    EXPECT_EQ(References("w"), R"(["/y", "/x"])");
    ASSERT_TRUE(Succeeds(writer_.DeleteNode("w")));
    ASSERT_TRUE(Succeeds(writer_.DeleteNode("k")));
    EXPECT_EQ(Group(""), R"({"dims": {"x": 3, "y": 2}, "groups": [], "vars": []})");
}

TEST_F(NczarrDocumentsTest, DimensionsHaveTheSizesOfShapes) {
    ASSERT_TRUE(Succeeds(writer_.ReplaceMetadata("v", Document("[6, 3]"))));
    EXPECT_EQ(Group(""), R"({"dims": {"x": 3, "y": 6}, "groups": [], "vars": ["v"]})");
    EXPECT_EQ(References("v"), R"(["/y", "/x"])");
}

TEST_F(NczarrDocumentsTest, AGroupIsListedWhenItsCreationIsRepeated) {
    std::size_t call = 1;
    for (bool has_failed = true; has_failed; ++call) {
        SCOPED_TRACE(call);
        store_ = StoreOf({{".zgroup", kRoot}});
        const auto faulty = std::make_shared<FaultyStore>(store_);
        HierarchyWriter writer(faulty);
        faulty->FailAt(call, false);
        has_failed = !writer.CreateGroup("g/h").ok();
        faulty->FailAt(0, false);
        ASSERT_TRUE(Succeeds(writer.CreateGroup("g/h")));
        EXPECT_EQ(Group("g"), R"({"dims": {}, "groups": ["h"], "vars": []})");
    }
    EXPECT_GT(call, 5U) << "there are calls to fail";
}

// A failed ReplaceMetadata() must leave the old shape in the store. Its caller undoes only its own
// changes.
TEST_F(NczarrDocumentsTest, AFailureToReadLeavesTheShape) {
    std::size_t call = 1;
    for (bool has_failed = true; has_failed; ++call) {
        SCOPED_TRACE(call);
        store_ = StoreOf({{".zgroup", kGroupText}, {"v/.zarray", ArrayText("[2, 3]")}});
        const auto faulty = std::make_shared<FaultyStore>(store_);
        HierarchyWriter writer(faulty);
        faulty->FailAt(call, false);
        has_failed = !writer.ReplaceMetadata("v", Document("[4, 3]")).ok();
        EXPECT_EQ(json::Dump(*At("v/.zarray").Find("shape")), has_failed ? "[2, 3]" : "[4, 3]");
    }
    EXPECT_GT(call, 5U) << "there are calls to fail";
}

TEST_F(NczarrDocumentsTest, OtherNamesInAttributesAreOtherDimensions) {
    ASSERT_TRUE(
        Succeeds(writer_.SetAttributes("v", Json(R"({"_ARRAY_DIMENSIONS": ["y", "column"]})"))));
    EXPECT_EQ(References("v"), R"(["/y", "/column"])");
    EXPECT_EQ(Group(""), R"({"dims": {"column": 3, "y": 2}, "groups": [], "vars": ["v"]})");
}

// Stores of netCDF-C 4.9.3. Their NCZarr metadata are attributes.
class NczarrAttributesTest : public NczarrDocumentsTest {
  protected:
    NczarrAttributesTest()
        : NczarrDocumentsTest(StoreOf(
              {{".zgroup", R"({"zarr_format": 2})"},
               {".zattrs", R"({"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": )"
                           R"({"dimensions": {"y": 2, "x": 3}, "arrays": ["v"], "groups": []}})"},
               {"v/.zarray", ArrayText("[2, 3]")},
               {"v/.zattrs", R"({"_nczarr_array": {"dimension_references": ["/y", "/x"]}})"}})) {}
    // Returns the dimension references and the dimension names of an array as a text.
    std::string Names(const std::string& array) const {
        const json::Value attributes = At(array + "/.zattrs");
        const json::Value* const extension = attributes.Find("_nczarr_array");
        const json::Value* const names = attributes.Find("_ARRAY_DIMENSIONS");
        return json::Dump(*extension->Find("dimension_references")) + " " +
               (names != nullptr ? json::Dump(*names) : "none");
    }
};

TEST_F(NczarrAttributesTest, OnlyDimensionsOfTheRootAreNamed) {
    ASSERT_TRUE(Succeeds(Create("a", "[2, 3]", R"(["y", "x"])")));
    EXPECT_EQ(Names("a"), R"(["/y", "/x"] ["y", "x"])");
    ASSERT_TRUE(Succeeds(Create("g/b", "[2, 1]", R"(["y", "x"])")));
    EXPECT_EQ(Names("g/b"), R"(["/y", "/g/x"] none)") << "as plain Zarr x has one size there";
    ASSERT_TRUE(Succeeds(
        writer_.SetAttributes("g/b", Json(R"({"_ARRAY_DIMENSIONS": ["y", "x"], "a": 1})"))));
    EXPECT_EQ(Names("g/b"), R"(["/y", "/g/x"] none)");
}

TEST_F(NczarrAttributesTest, OtherNamesInAttributesAreOtherDimensions) {
    ASSERT_TRUE(
        Succeeds(writer_.SetAttributes("v", Json(R"({"_ARRAY_DIMENSIONS": ["y", "column"]})"))));
    EXPECT_EQ(Names("v"), R"(["/y", "/column"] ["y", "column"])");
    const json::Value root = At(".zattrs");
    EXPECT_EQ(json::Dump(*root.Find("_nczarr_group")->Find("dimensions")),
              R"({"column": 3, "y": 2})");
}

TEST_F(NczarrDocumentsTest, TypesThatNetcdfLacksAreNotListed) {
    const json::Object half = *Json(ArrayText("[1]", "\"<f2\"")).as_object();
    ASSERT_TRUE(Succeeds(writer_.CreateArray("half", MetadataOf(half))));
    EXPECT_NE(Group("").find(R"("vars": ["v"])"), std::string::npos);
}

TEST_F(NczarrDocumentsTest, AttributesThatNetcdfRefusesAreTexts) {
    const json::Value attributes =
        Json(R"({"axes": ["y", "x"], "n": [1, 2], "o": {"a": 1}, "none": null, "text": "[1]"})");
    ASSERT_TRUE(Succeeds(writer_.SetAttributes("v", attributes)));
    const json::Value stored = At("v/.zattrs");
    EXPECT_EQ(*stored.Find("axes")->as_string(), R"(["y", "x"])");
    EXPECT_EQ(*stored.Find("none")->as_string(), "null");
    EXPECT_NE(stored.Find("n")->as_array(), nullptr);
    EXPECT_EQ(json::Dump(*stored.Find("_NCZARR_ATTR")), R"({"json": ["axes", "none"]})");
    const auto read = Tree(store_)->Attributes("v");
    ASSERT_TRUE(Succeeds(read));
    for (const auto& [name, value] : *attributes.as_object())
        EXPECT_EQ(json::Dump(*read->Find(name)), json::Dump(value)) << name;
    // NCZarr stores the list `axes` as text, but readers get the parsed list. ChangeAttributes()
    // must compare parsed values.
    ASSERT_TRUE(Succeeds(writer_.ChangeAttributes("v", *read, Json(R"({"axes": "a"})"))));
    EXPECT_EQ(*At("v/.zattrs").Find("axes")->as_string(), "a");
    EXPECT_EQ(json::Dump(*Tree(store_)->Attributes("v")->Find("axes")), "\"a\"");
}

TEST_F(NczarrDocumentsTest, OutdatedAttributeTypesAreRemoved) {
    ASSERT_TRUE(Succeeds(store_->Set(
        "v/.zattrs",
        ByteSpan(std::string_view(R"({"a": 1, "b": "t", "c": 2, "_NCZARR_ATTR": )"
                                  R"({"types": {"a": "<i2", "b": "<U1", "c": "<f4"}}})")))));
    ASSERT_TRUE(Succeeds(writer_.SetAttributes("v", Json(R"({"a": 5, "b": 3})"))));
    EXPECT_EQ(json::Dump(*At("v/.zattrs").Find("_NCZARR_ATTR")), R"({"types": {"a": "<i2"}})");
}

TEST_F(NczarrDocumentsTest, OtherStoresGetNoNczarrMetadata) {
    const auto plain = StoreOf({{".zgroup", kGroupText}});
    HierarchyWriter writer(plain);
    ASSERT_TRUE(Succeeds(writer.CreateArray("g/a", Document("[2]"))));
    ASSERT_TRUE(Succeeds(writer.SetAttributes("g/a", Json(R"({"axes": ["y"]})"))));
    for (const char* key : {".zgroup", "g/.zgroup", "g/a/.zarray", "g/a/.zattrs"}) {
        Buffer value;
        ASSERT_TRUE(Succeeds(plain->Get(key, value, kNoLimit)));
        EXPECT_EQ(TextOf(value).find("NCZARR"), std::string::npos) << key;
    }
}

}  // namespace
}  // namespace zarr::test
