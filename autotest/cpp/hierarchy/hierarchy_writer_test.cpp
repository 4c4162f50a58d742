// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy_writer.h"

#include <thread>
#include <vector>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/hierarchy/tree.h"
#include "core/store/directory_store.h"

namespace zarr::test {
namespace {

using StringList = std::vector<std::string>;

std::string At(const Store& store, const std::string& key) {
    Buffer value;
    const auto found = store.Get(key, value, kNoLimit);
    EXPECT_TRUE(Succeeds(found)) << key;
    return found.ok() && *found ? TextOf(value) : "absent";
}

json::Object Document(const std::string& shape = "[2, 3]") {
    return *Json(ArrayText(shape)).as_object();
}

void ExpectSucceeds(const Status& status) { EXPECT_TRUE(Succeeds(status)); }
void ExpectFails(const Status& status, StatusCode code, std::string_view part = {}) {
    EXPECT_TRUE(Fails(status, code, part));
}

// A store in memory that records changes, and a HierarchyWriter that changes it.
struct Written {
    explicit Written(Entries entries, WriteConsolidated how = WriteConsolidated::kIfPresent)
        : store(std::make_shared<FaultyStore>(StoreOf(entries))), writer(store, how) {}
    std::shared_ptr<FaultyStore> store;
    HierarchyWriter writer;
};

constexpr const char* kGroupIndented = "{\n    \"zarr_format\": 2\n}";

TEST(HierarchyWriter, CreatesGroupsFromTheRootDown) {
    Written w({});
    EXPECT_TRUE(Succeeds(w.writer.CreateGroup("/a\\b//c/")));
    EXPECT_EQ(w.store->TakeChanges(),
              (StringList{"set .zgroup", "set a/.zgroup", "set a/b/.zgroup", "set a/b/c/.zgroup"}));
    EXPECT_EQ(At(*w.store, "a/b/.zgroup"), kGroupIndented);
    EXPECT_TRUE(Succeeds(w.writer.CreateGroup("a/b"))) << "there already";
    EXPECT_EQ(w.store->TakeChanges(), StringList());
    EXPECT_TRUE(Succeeds(w.writer.Finish()));
    EXPECT_EQ(w.store->TakeChanges(), StringList()) << "there was no consolidated metadata";
}

TEST(HierarchyWriter, CreatesNothingInOrOverAnArray) {
    Written w({{"a/.zarray", ArrayText("[1]")}});
    ExpectFails(w.writer.CreateGroup("a"), StatusCode::kInvalidArgument,
                "a/.zarray: an array already exists");
    for (const char* path : {"a/b", "a/b/c"})
        ExpectFails(w.writer.CreateGroup(path), StatusCode::kInvalidArgument,
                    "a/.zarray: is an array");
    ExpectFails(w.writer.CreateArray("a/b", MetadataOf(Document())), StatusCode::kInvalidArgument,
                "a/.zarray: is an array, so \"a/b\" cannot be created inside it");
    EXPECT_EQ(w.store->TakeChanges(), StringList());
}

TEST(HierarchyWriter, MakesAnArrayVisibleLast) {
    Written w({});
    EXPECT_TRUE(Succeeds(w.writer.CreateArray("g/x", MetadataOf(Document()),
                                              *Json(R"({"b": 1, "a": 2.0})").as_object())));
    EXPECT_EQ(w.store->TakeChanges(),
              (StringList{"set .zgroup", "set g/.zgroup", "set g/x/.zattrs", "set g/x/.zarray"}));
    EXPECT_EQ(At(*w.store, "g/x/.zattrs"), "{\n    \"a\": 2.0,\n    \"b\": 1\n}");
    EXPECT_EQ(At(*w.store, "g/x/.zarray"), json::DumpIndented(json::Value(Document())));
    Written root({});
    EXPECT_TRUE(Succeeds(root.writer.CreateArray("", MetadataOf(Document()))));
    EXPECT_EQ(root.store->TakeChanges(), (StringList{"erase .zattrs", "set .zarray"}));
}

TEST(HierarchyWriter, ReplacesNodesOnlyOnRequest) {
    Written w({{".zgroup", kGroupText},
               {"x/.zarray", ArrayText("[1]")},
               {"x/.zattrs", "{}"},
               {"x/0", "old"},
               {"g/.zgroup", kGroupText},
               {"g/y/.zarray", ArrayText("[1]")},
               {"implied/z/.zgroup", kGroupText}});
    for (const char* path : {"", "x", "g", "implied"})
        ExpectFails(w.writer.CreateArray(path, MetadataOf(Document())),
                    StatusCode::kInvalidArgument, "an array, a group or other keys already exist");
    ExpectFails(w.writer.CreateArray("", MetadataOf(Document()), {}, IfExists::kReplace),
                StatusCode::kInvalidArgument, "an array, a group or other keys already exist");
    EXPECT_EQ(w.store->TakeChanges(), StringList());
    ExpectSucceeds(w.writer.CreateArray("x", MetadataOf(Document()), {}, IfExists::kReplace));
    EXPECT_EQ(w.store->TakeChanges(), (StringList{"erase x/.zarray", "erase x/.zattrs", "erase x/0",
                                                  "erase x/.zattrs", "set x/.zarray"}));
    ExpectSucceeds(w.writer.CreateArray("g", MetadataOf(Document()), {}, IfExists::kReplace));
    EXPECT_EQ(At(*w.store, "g/y/.zarray"), "absent");
}

TEST(HierarchyWriter, RemovesStrayChunksAndNothingElse) {
    Written w({{"x/0.0", "old"},
               {"x/12", "old"},
               {"x/readme", "kept"},
               {"x/1..2", "kept"},
               {"x/1.", "kept"},
               {"x/.zattrs", "{}"}});
    EXPECT_TRUE(Succeeds(w.writer.CreateArray("x", MetadataOf(Document()))));
    const StringList changes{"erase x/0.0", "erase x/12", "set .zgroup", "erase x/.zattrs",
                             "set x/.zarray"};
    EXPECT_EQ(w.store->TakeChanges(), changes);
}

TEST(HierarchyWriter, ChecksPaths) {
    Written w({});
    std::string deep = "a";
    for (int i = 0; i < 70; ++i) deep += "/a";
    const auto check = [&](const std::string& path, StatusCode code, std::string_view message) {
        ExpectFails(w.writer.CreateGroup(path), code, message);
        ExpectFails(w.writer.CreateArray(path, MetadataOf(Document())), code, message);
        ExpectFails(w.writer.SetAttributes(path, Json("{}")), code, message);
        ExpectFails(w.writer.ReplaceMetadata(path, MetadataOf(Document())), code, message);
        ExpectFails(w.writer.DeleteNode(path), code, message);
        ExpectFails(w.writer.RenameNode(path, "b"), code, message);
    };
    check("a/../b", StatusCode::kInvalidArgument, "\"..\"");
    check(std::string("a\0b", 3), StatusCode::kInvalidArgument, "NUL");
    check("a/.zgroup/b", StatusCode::kInvalidArgument,
          "no array or group can have the name .zgroup");
    check(".zmetadata", StatusCode::kInvalidArgument,
          "no array or group can have the name .zmetadata");
    check(std::string(4090, 'x'), StatusCode::kInvalidArgument, "not a valid key");
    check(deep, StatusCode::kLimit, "nest more than 64 levels");
    EXPECT_EQ(w.store->TakeChanges(), StringList());
}

TEST(HierarchyWriter, SetsAndErasesAttributes) {
    Written w({{"x/.zarray", ArrayText("[1]")}});
    EXPECT_TRUE(Succeeds(w.writer.SetAttributes("x", Json("{}"))));
    EXPECT_EQ(w.store->TakeChanges(), StringList());
    EXPECT_TRUE(Succeeds(w.writer.SetAttributes("x", Json(R"({"a": NaN})"))));
    EXPECT_TRUE(Succeeds(w.writer.SetAttributes("x", Json(R"({"a": NaN})")))) << "no change";
    EXPECT_EQ(w.store->TakeChanges(), StringList{"set x/.zattrs"});
    EXPECT_EQ(At(*w.store, "x/.zattrs"), "{\n    \"a\": NaN\n}");
    EXPECT_TRUE(Succeeds(w.writer.SetAttributes("x", Json("{}"))));
    EXPECT_EQ(w.store->TakeChanges(), StringList{"erase x/.zattrs"});
    EXPECT_TRUE(Fails(w.writer.SetAttributes("x", Json("[1]")), StatusCode::kInvalidArgument,
                      "x/.zattrs: expected an object, got [1]"));
    EXPECT_TRUE(Fails(w.writer.SetAttributes("y", Json("{}")), StatusCode::kNotFound, "\"y\""));
}

TEST(HierarchyWriter, ReplacesADocumentAndKeepsUnknownMembers) {
    json::Object old = Document();
    old.emplace_back("_NCZARR_ARRAY", Json(R"({"dimrefs": ["/x"]})"));
    old.emplace_back("mine", Json("1"));
    old.emplace_back("dimension_separator", Json("\"/\""));
    Written w({{"x/.zarray", json::Dump(json::Value(old))}});
    json::Object document = Document("[9, 9]");
    document.emplace_back("mine", Json("2"));
    EXPECT_TRUE(Succeeds(w.writer.ReplaceMetadata("x", MetadataOf(document))));
    const json::Value now = Json(At(*w.store, "x/.zarray"));
    EXPECT_EQ(json::Dump(*now.Find("shape")), "[9, 9]");
    EXPECT_EQ(json::Dump(*now.Find("_NCZARR_ARRAY")), R"({"dimrefs": ["/x"]})");
    EXPECT_EQ(json::Dump(*now.Find("mine")), "2");
    EXPECT_EQ(now.Find("dimension_separator"), nullptr) << "the format's own, left out on purpose";
    w.store->TakeChanges();
    EXPECT_TRUE(Succeeds(w.writer.ReplaceMetadata("x", MetadataOf(document))));
    EXPECT_EQ(w.store->TakeChanges(), StringList()) << "no change";
    EXPECT_TRUE(Fails(w.writer.ReplaceMetadata("y", MetadataOf(document)), StatusCode::kNotFound,
                      "y/.zarray: there is no such array"));
    Written broken({{"x/.zarray", "{"}});
    EXPECT_TRUE(Fails(broken.writer.ReplaceMetadata("x", MetadataOf(document)),
                      StatusCode::kCorrupt, "x/.zarray: not valid JSON"));
}

TEST(HierarchyWriter, DeletesDocumentsFirstAndNothingElse) {
    Written w({{"a/.zgroup", kGroupText},
               {"a/.zattrs", "{}"},
               {"a/.zmetadata", "{}"},
               {"a/!first", "sorts before"},
               {"a/x/.zarray", ArrayText("[1]")},
               {"a/x/0/0", "chunk"},
               {"a.b/.zgroup", kGroupText},
               {"ab/.zgroup", kGroupText}});
    EXPECT_TRUE(Succeeds(w.writer.DeleteNode("a")));
    EXPECT_EQ(w.store->TakeChanges(),
              (StringList{"erase a/.zmetadata", "erase a/x/.zarray", "erase a/.zgroup",
                          "erase a/!first", "erase a/.zattrs", "erase a/x/0/0"}));
    EXPECT_EQ(At(*w.store, "ab/.zgroup"), kGroupText);
    EXPECT_EQ(At(*w.store, "a.b/.zgroup"), kGroupText);
    EXPECT_TRUE(Fails(w.writer.DeleteNode("a"), StatusCode::kNotFound, "\"a\": there is no such"));
    EXPECT_TRUE(Fails(w.writer.DeleteNode(""), StatusCode::kInvalidArgument, "the root"));
}

TEST(HierarchyWriter, RenamesByCopyingWithTheDocumentsLast) {
    Written w({{"g/a/.zgroup", kGroupText},
               {"g/a/.zattrs", "{}"},
               {"g/a/x/.zarray", ArrayText("[1]")},
               {"g/a/x/0", "chunk"},
               {"g/taken/text", "x"}});
    ExpectSucceeds(w.writer.RenameNode("g/a", "b"));
    EXPECT_EQ(w.store->TakeChanges(),
              (StringList{"set g/b/x/0", "set g/b/.zattrs", "set g/b/x/.zarray", "set g/b/.zgroup",
                          "erase g/a/x/.zarray", "erase g/a/.zgroup", "erase g/a/.zattrs",
                          "erase g/a/x/0"}));
    EXPECT_EQ(At(*w.store, "g/b/x/0"), "chunk");
    ExpectSucceeds(w.writer.RenameNode("g/b", "b"));
    for (const char* name : {"", ".", "..", "x/y", "x\\y", "/x", ".zarray"})
        ExpectFails(w.writer.RenameNode("g/b", name), StatusCode::kInvalidArgument);
    ExpectFails(w.writer.RenameNode("g/b", "taken"), StatusCode::kInvalidArgument,
                "\"g/taken\": an array, a group or other keys already exist");
    ExpectFails(w.writer.RenameNode("g/a", "c"), StatusCode::kNotFound, "\"g/a\"");
    ExpectFails(w.writer.RenameNode("", "c"), StatusCode::kInvalidArgument, "the root");
    EXPECT_EQ(w.store->TakeChanges(), StringList());
}

// Consolidated metadata must have the members and the order of zarr-python 2.13, but no
// indentation, which would nearly double its size.
TEST(HierarchyWriter, ConsolidatesWithOneLineForEachDocument) {
    Written w({{".zgroup", kGroupText},
               {".zattrs", R"({"b": 1, "a": [1.0, {}, []]})"},
               {"x/.zgroup", kGroupText},
               {"x/y/.zattrs", "{\"z\": \"\xc3\xa9\"}"},
               {"x/y/0/.zattrs/0", "below a chunk's folder"},
               {"x/y/.zarray", ArrayText("[4]")},
               {"x/y/readme", "x"}});
    EXPECT_TRUE(Succeeds(w.writer.Consolidate()));
    EXPECT_EQ(At(*w.store, ".zmetadata"),
              R"({
    "metadata": {
        ".zattrs": {"a":[1.0,{},[]],"b":1},
        ".zgroup": {"zarr_format":2},
        "x/.zgroup": {"zarr_format":2},
        "x/y/.zarray": {"chunks":[4],"compressor":null,"dtype":"<f4","fill_value":0,)"
              R"("filters":null,"order":"C","shape":[4],"zarr_format":2},
        "x/y/.zattrs": {"z":"\u00e9"}
    },
    "zarr_consolidated_format": 1
})");
    w.store->TakeChanges();
    EXPECT_TRUE(Succeeds(w.writer.Consolidate()));
    EXPECT_EQ(w.store->TakeChanges(), StringList()) << "no change";
    Written broken({{".zgroup", kGroupText}, {"x/.zattrs", "{"}});
    EXPECT_TRUE(Fails(broken.writer.Consolidate(), StatusCode::kCorrupt,
                      ".zmetadata: x/.zattrs: not valid JSON"));
    EXPECT_EQ(broken.store->TakeChanges(), StringList());
}

TEST(HierarchyWriter, ErasesConsolidatedMetadataBeforeTheChangeAndWritesThemAtTheEnd) {
    const auto entries = {std::pair<std::string, std::string>{".zgroup", kGroupText},
                          {"g/.zgroup", kGroupText},
                          {"g/.zmetadata", "old"},
                          {"h/.zgroup", kGroupText},
                          {"h/.zmetadata", "untouched"},
                          {".zmetadata", "old"}};
    Written w(entries);
    ExpectSucceeds(w.writer.CreateGroup("g"));
    EXPECT_EQ(w.store->TakeChanges(), StringList()) << "no change, nothing stale";
    ExpectSucceeds(w.writer.SetAttributes("g", Json(R"({"a": 1})")));
    ExpectSucceeds(w.writer.CreateGroup("g/i"));
    EXPECT_EQ(w.store->TakeChanges(), (StringList{"erase .zmetadata", "erase g/.zmetadata",
                                                  "set g/.zattrs", "set g/i/.zgroup"}));
    ExpectSucceeds(w.writer.Finish());
    EXPECT_EQ(w.store->TakeChanges(), (StringList{"set .zmetadata", "set g/.zmetadata"}));
    EXPECT_EQ(At(*w.store, "g/.zmetadata"), *ConsolidatedText(*w.store, "g"));
    EXPECT_NE(At(*w.store, "g/.zmetadata").find("\"i/.zgroup\""), std::string::npos);
    EXPECT_EQ(At(*w.store, ".zmetadata"), *ConsolidatedText(*w.store, ""));
    ExpectSucceeds(w.writer.Finish());
    EXPECT_EQ(w.store->TakeChanges(), StringList()) << "nothing changed since";
    ExpectSucceeds(w.writer.SetAttributes("g/i", Json(R"({"a": 1})")));
    ExpectSucceeds(w.writer.RenameNode("g", "n"));
    ExpectSucceeds(w.writer.Finish());
    EXPECT_EQ(At(*w.store, "n/.zmetadata"), *ConsolidatedText(*w.store, "n"));
    EXPECT_EQ(At(*w.store, "g/.zmetadata"), "absent");
    ExpectSucceeds(w.writer.SetAttributes("n", Json("{}")));
    ExpectSucceeds(w.writer.DeleteNode("n"));
    ExpectSucceeds(w.writer.Finish());
    EXPECT_EQ(At(*w.store, "n/.zmetadata"), "absent") << "went with its group";
    EXPECT_EQ(At(*w.store, "h/.zmetadata"), "untouched");
    EXPECT_EQ(At(*w.store, ".zmetadata"), *ConsolidatedText(*w.store, ""));
}

TEST(HierarchyWriter, ConsolidatesOnRequest) {
    Written yes({}, WriteConsolidated::kYes);
    EXPECT_TRUE(Succeeds(yes.writer.CreateGroup("g")));
    EXPECT_EQ(At(*yes.store, ".zmetadata"), "absent");
    EXPECT_TRUE(Succeeds(yes.writer.Finish()));
    EXPECT_EQ(At(*yes.store, ".zmetadata"), *ConsolidatedText(*yes.store, ""));
    Written no({{".zgroup", kGroupText}, {".zmetadata", "old"}}, WriteConsolidated::kNo);
    EXPECT_TRUE(Succeeds(no.writer.Finish()));
    EXPECT_EQ(At(*no.store, ".zmetadata"), "old") << "nothing has changed";
    EXPECT_TRUE(Succeeds(no.writer.CreateGroup("g")));
    EXPECT_TRUE(Succeeds(no.writer.Finish()));
    EXPECT_EQ(At(*no.store, ".zmetadata"), "absent");
}

TEST(HierarchyWriter, RemovesAPartialCopy) {
    Written w({{"a/.zgroup", kGroupText}, {"a/x/.zarray", ArrayText("[1]")}, {"a/x/0", "chunk"}});
    bool has_failed_late = false;
    Status status = Status::Io("not yet");
    for (std::size_t call = 1; !status.ok(); ++call) {
        w.store->FailAt(call, false);
        status = w.writer.RenameNode("a", "n");
        w.store->FailAt(0, false);
        const StringList changes = w.store->TakeChanges();
        // If RenameNode() has begun to remove the original, the copy is complete.
        if (At(*w.store, "a/.zgroup") != kGroupText) break;
        EXPECT_TRUE(Fails(status, StatusCode::kIo, "injected fault"));
        if (At(*w.store, "n/.zgroup") == kGroupText) break;
        EXPECT_TRUE(w.store->List("n")->empty()) << call;
        has_failed_late = has_failed_late || !changes.empty();
    }
    EXPECT_TRUE(has_failed_late);
}

TEST(HierarchyWriter, ChangesNothingThatItCannotList) {
    Written w({{".zgroup", kGroupText}, {"a/.zgroup", kGroupText}, {".zmetadata", "old"}});
    w.store->can_list = false;
    EXPECT_TRUE(Fails(w.writer.DeleteNode("a"), StatusCode::kUnsupported, "cannot list"));
    EXPECT_TRUE(Fails(w.writer.RenameNode("a", "b"), StatusCode::kUnsupported, "cannot list"));
    EXPECT_TRUE(Fails(w.writer.Consolidate(), StatusCode::kUnsupported, ".zmetadata: "));
    EXPECT_EQ(w.store->TakeChanges(), StringList());
    EXPECT_TRUE(Succeeds(w.writer.CreateArray("a/x", MetadataOf(Document()))));
    EXPECT_EQ(w.store->TakeChanges(),
              (StringList{"erase .zmetadata", "erase a/x/.zattrs", "set a/x/.zarray"}));
    EXPECT_TRUE(Fails(w.writer.Finish(), StatusCode::kUnsupported, ".zmetadata: "));
    EXPECT_EQ(At(*w.store, ".zmetadata"), "absent") << "better none than a stale one";
}

TEST(HierarchyWriter, FailsInTooDeepTrees) {
    std::string key = "a";
    for (int i = 0; i < 150; ++i) key += "/a";
    Written w({{"a/.zgroup", kGroupText}, {key + "/.zgroup", kGroupText}});
    EXPECT_TRUE(Fails(w.writer.Consolidate(), StatusCode::kLimit, "more than 64 levels"));
    EXPECT_TRUE(Fails(w.writer.RenameNode("a", "b"), StatusCode::kLimit, "more than 129 levels"));
    EXPECT_TRUE(Fails(w.writer.DeleteNode("a"), StatusCode::kLimit, "more than 129 levels"));
    EXPECT_EQ(At(*w.store, key + "/.zgroup"), kGroupText);
}

TEST(HierarchyWriter, IsSafeForManyThreads) {
    Written w({{".zgroup", kGroupText}, {".zmetadata", "old"}});
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&w, t] {
            for (int i = 0; i < 20; ++i) {
                const std::string path = "g" + std::to_string(i) + "/x" + std::to_string(t);
                ExpectSucceeds(w.writer.CreateArray(path, MetadataOf(Document())));
                ExpectSucceeds(w.writer.SetAttributes(path, Json(R"({"a": 1})")));
                if (i % 4 == 3) {
                    ExpectSucceeds(w.writer.DeleteNode(path));
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    ExpectSucceeds(w.writer.Finish());
    EXPECT_EQ(At(*w.store, ".zmetadata"), *ConsolidatedText(*w.store, ""));
    EXPECT_EQ(Json(At(*w.store, ".zmetadata")).Find("metadata")->as_object()->size(),
              1U + 20U + 4U * 15U * 2U);
}

TEST(HierarchyWriter, LeavesNoFoldersAndFollowsNoLinks) {
    namespace fs = std::filesystem;
    TempFolder folder;
    const auto store = std::make_shared<DirectoryStore>(folder.path().string());
    HierarchyWriter writer(store);
    ASSERT_TRUE(Succeeds(writer.CreateArray("a/x", MetadataOf(Document()))));
    ASSERT_TRUE(Succeeds(writer.CreateGroup("kept")));
    const std::string_view chunk = "x";
    ASSERT_TRUE(Succeeds(store->Set("a/x/0/0", ByteSpan(chunk))));
    fs::create_directory_symlink(folder.path() / "kept", folder.path() / "a" / "link");
    EXPECT_TRUE(Succeeds(writer.RenameNode("a", "b")));
    EXPECT_EQ(At(*store, "b/x/0/0"), "x");
    EXPECT_FALSE(fs::exists(folder.path() / "a"));
    EXPECT_TRUE(Succeeds(writer.DeleteNode("b")));
    EXPECT_FALSE(fs::exists(folder.path() / "b"));
    EXPECT_EQ(At(*store, "kept/.zgroup"), kGroupIndented);
    EXPECT_EQ(At(*store, ".zgroup"), kGroupIndented);
}

}  // namespace
}  // namespace zarr::test
