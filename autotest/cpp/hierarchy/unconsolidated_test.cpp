// SPDX-License-Identifier: MIT
// Consolidated metadata may omit nodes. Tests how these nodes are found, and how many requests this
// takes.
#include <gtest/gtest.h>

#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"

namespace zarr::test {
namespace {

constexpr const char* kConsolidated =
    R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},)"
    R"( "a/.zarray": {}, "g/.zgroup": {"zarr_format": 2}, "g/b/.zarray": {}, "i/c/.zarray": {}}})";

// Stores an empty JSON object under each key.
void Put(MemoryStore& store, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
        EXPECT_TRUE(Succeeds(store.Set(key, ByteSpan(std::string_view("{}")))));
}

std::shared_ptr<MemoryStore> PartlyConsolidated() {
    auto store = StoreOf({{".zmetadata", kConsolidated}, {".zgroup", kGroupText}});
    Put(*store, {"a/.zarray", "a/0", "g/.zgroup", "g/b/.zarray", "i/c/.zarray"});
    return store;
}

std::vector<std::string> PathsOf(const std::vector<Node>& nodes) {
    std::vector<std::string> paths;
    paths.reserve(nodes.size());
    for (const Node& node : nodes) paths.push_back(node.path);
    return paths;
}

using Paths = std::vector<std::string>;

TEST(Unconsolidated, IsEmptyIfTheMetadataAreComplete) {
    const auto tree = Tree(PartlyConsolidated());
    for (const char* group : {"", "g", "i", "nowhere"})
        EXPECT_EQ(PathsOf(tree->Unconsolidated(group)), Paths{}) << group;
}

TEST(Unconsolidated, FindsNodesWithTheirOwnDocuments) {
    const auto store = PartlyConsolidated();
    Put(*store, {"z/.zarray", "new/.zgroup", "g/new/.zarray", "folder/file", "h/x/.zarray", "file",
                 "old/meta", "i/d/.zattrs"});
    const auto tree = Tree(store);
    const auto root = tree->Unconsolidated("");
    EXPECT_EQ(PathsOf(root), (Paths{"new", "z"}));
    EXPECT_EQ(root[0].kind, NodeKind::kGroup);
    EXPECT_EQ(root[1].kind, NodeKind::kArray);
    EXPECT_EQ(root[1].name, "z");
    EXPECT_EQ(PathsOf(tree->Unconsolidated("g")), Paths{"g/new"});
    EXPECT_EQ(PathsOf(tree->Unconsolidated("i")), Paths{});
    EXPECT_EQ(PathsOf(Tree(store, UseConsolidated::kNever)->Unconsolidated("")), Paths{});
}

TEST(Unconsolidated, TakesOneListingAndReadsOnlyMissingNodes) {
    const auto store = PartlyConsolidated();
    Put(*store, {"new/.zarray"});
    const auto spy = std::make_shared<SpyStore>(store);
    const auto tree = Tree(spy);
    EXPECT_TRUE(Succeeds(tree->Members("")));
    EXPECT_EQ(spy->by_key(), (std::map<std::string, int>{{".zmetadata", 1}, {"zarr.json", 1}}));
    EXPECT_EQ(spy->lists, 0);
    EXPECT_EQ(PathsOf(tree->Unconsolidated("")), Paths{"new"});
    EXPECT_EQ(spy->lists, 1);
    EXPECT_EQ(spy->by_key(), (std::map<std::string, int>{
                                 {".zmetadata", 1}, {"new/.zarray", 1}, {"zarr.json", 1}}));
}

// A store that says that it is remote.
class StoreOverNetwork final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;
    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.remote = true;
        traits.concurrent_reads = 2;
        return traits;
    }
};

TEST(Unconsolidated, IsNotLookedForOverANetwork) {
    const auto store = PartlyConsolidated();
    Put(*store, {"new/.zarray"});
    const auto spy = std::make_shared<SpyStore>(store);
    EXPECT_EQ(PathsOf(Tree(std::make_shared<StoreOverNetwork>(spy))->Unconsolidated("")), Paths{});
    EXPECT_EQ(spy->lists, 0);
    EXPECT_EQ(spy->by_key(), (std::map<std::string, int>{{".zmetadata", 1}, {"zarr.json", 1}}));
}

TEST(Unconsolidated, IsEmptyIfTheStoreFails) {
    const auto store = PartlyConsolidated();
    Put(*store, {"m/.zarray", "n/.zarray"});
    const auto faulty = std::make_shared<FaultyStore>(store);
    const auto tree = Tree(faulty);
    faulty->FailAt(1, false);  // call 1, the listing, fails
    EXPECT_EQ(PathsOf(tree->Unconsolidated("")), Paths{});
    faulty->FailAt(2, false);  // call 2, the first read after the listing, fails
    EXPECT_EQ(PathsOf(tree->Unconsolidated("")), Paths{"n"});
    faulty->FailAt(0, false);
    faulty->can_list = false;
    EXPECT_EQ(PathsOf(tree->Unconsolidated("")), Paths{});
}

}  // namespace
}  // namespace zarr::test
