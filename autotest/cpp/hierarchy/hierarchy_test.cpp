// SPDX-License-Identifier: MIT
#include "core/hierarchy/hierarchy.h"

#include <vector>

#include "autotest/cpp/hierarchy/trees.h"
#include "core/base/endian.h"
#include "core/store/keys.h"

namespace zarr::test {
namespace {

// Returns the names of the members of a group: "name" for an array, "name/" for a group.
std::vector<std::string> Names(const Hierarchy& tree, const std::string& path) {
    const auto members = tree.Members(path);
    EXPECT_TRUE(Succeeds(members)) << path;
    std::vector<std::string> names;
    if (members.ok())
        for (const Node& node : *members) {
            EXPECT_EQ(node.path, JoinKey(path, node.name));
            names.push_back(node.name + (node.kind == NodeKind::kGroup ? "/" : ""));
        }
    return names;
}
using StringList = std::vector<std::string>;

NodeKind KindOf(const Hierarchy& tree, const std::string& path) {
    const auto kind = tree.KindOf(path);
    EXPECT_TRUE(Succeeds(kind)) << path;
    return kind.ok() ? *kind : NodeKind::kNone;
}

// Reading keys below "locked" fails. Listing fails if `can_list` is false.
class LimitedStore final : public Store {
  public:
    LimitedStore(std::shared_ptr<const Store> base, bool can_list)
        : base_(std::move(base)), can_list_(can_list) {}
    std::string Describe() const override { return "limited"; }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        if (key.rfind("locked/", 0) == 0) return Status::Permission(key + ": refused");
        return base_->Read(key, part, sink);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        if (!can_list_) return Status::Unsupported(prefix + ": cannot list");
        if (prefix == "closed") return Status::Permission(prefix + ": refused");
        return base_->List(prefix);
    }

  private:
    std::shared_ptr<const Store> base_;
    bool can_list_;
};

std::shared_ptr<MemoryStore> Rivers() {
    return StoreOf({{".zgroup", kGroupText},
                    {".zattrs", R"({"title": "Rivers"})"},
                    {"rivers/.zgroup", kGroupText},
                    {"rivers/depth/.zarray", ArrayText("[2, 3]")},
                    {"rivers/depth/.zattrs", R"({"units": "m"})"},
                    {"rivers/depth/0.0", std::string(24, '\0')},
                    {"rivers/depth.old/.zarray", ArrayText("[1]")},
                    {"implied/below/width/.zarray", ArrayText("[4]")},
                    {"described/.zattrs", "{}"},
                    {"readme/text", "no node"},
                    {"stray", "no node either"}});
}

TEST(Hierarchy, TellsArraysGroupsAndMissingNodes) {
    const auto tree = Tree(Rivers());
    EXPECT_FALSE(tree->is_consolidated());
    EXPECT_EQ(KindOf(*tree, ""), NodeKind::kGroup);
    EXPECT_EQ(KindOf(*tree, "rivers"), NodeKind::kGroup);
    EXPECT_EQ(KindOf(*tree, "rivers/depth"), NodeKind::kArray);
    EXPECT_EQ(KindOf(*tree, "implied"), NodeKind::kGroup);
    EXPECT_EQ(KindOf(*tree, "implied/below"), NodeKind::kGroup);
    for (const char* none : {"described", "absent", "rivers/absent", "readme", "stray", "rive"})
        EXPECT_EQ(KindOf(*tree, none), NodeKind::kNone) << none;
    EXPECT_EQ(KindOf(*Tree({{".zarray", ArrayText("[]")}}), ""), NodeKind::kArray);
    EXPECT_EQ(KindOf(*Tree({}), ""), NodeKind::kNone);
}

TEST(Hierarchy, FindsArraysWithoutAList) {
    const auto tree = Tree(std::make_shared<LimitedStore>(Rivers(), false));
    const auto holds = [&](const std::string& path) {
        const auto found = tree->HoldsArray(path);
        EXPECT_TRUE(Succeeds(found)) << path;
        return found.ok() && *found;
    };
    EXPECT_TRUE(holds("rivers/depth"));
    EXPECT_TRUE(holds("implied/below/width"));
    for (const char* none : {"", "rivers", "absent", "implied", "rivers/depth/0.0"})
        EXPECT_FALSE(holds(none)) << none;
    EXPECT_TRUE(test::Fails(tree->HoldsArray("locked"), StatusCode::kPermission, "refused"));
    std::string deep = "g";
    for (std::size_t i = 0; i <= kMaxGroupDepth; ++i) deep += "/g";
    EXPECT_TRUE(test::Fails(tree->HoldsArray(deep), StatusCode::kLimit, "levels deep"));
}

TEST(Hierarchy, ListsMembersByName) {
    const auto tree = Tree(Rivers());
    EXPECT_EQ(Names(*tree, ""), (StringList{"implied/", "rivers/"}));
    EXPECT_EQ(Names(*tree, "rivers"), (StringList{"depth", "depth.old"}));
    EXPECT_EQ(Names(*tree, "implied"), StringList{"below/"});
    EXPECT_EQ(Names(*tree, "absent"), StringList());
}

TEST(Hierarchy, FindsNoImplicitGroupsIfTheStoreCannotList) {
    const auto tree = Tree(std::make_shared<LimitedStore>(Rivers(), false));
    EXPECT_EQ(KindOf(*tree, "rivers/depth"), NodeKind::kArray);
    EXPECT_EQ(KindOf(*tree, "rivers"), NodeKind::kGroup);
    EXPECT_EQ(KindOf(*tree, "implied"), NodeKind::kNone);
    EXPECT_TRUE(Fails(tree->Members(""), StatusCode::kUnsupported));
}

TEST(Hierarchy, ListsUnreadableNodes) {
    auto store = Rivers();
    ASSERT_TRUE(Succeeds(store->Set("locked/.zarray", ByteSpan(std::string_view("{}")))));
    ASSERT_TRUE(Succeeds(store->Set("closed/x/.zarray", ByteSpan(std::string_view("{}")))));
    const auto tree = Tree(std::make_shared<LimitedStore>(store, true));
    EXPECT_EQ(Names(*tree, ""), (StringList{"closed", "implied/", "locked", "rivers/"}));
    EXPECT_TRUE(Fails(tree->KindOf("locked"), StatusCode::kPermission, "locked/.zarray: refused"));
    EXPECT_TRUE(Fails(tree->KindOf("closed"), StatusCode::kPermission));
    EXPECT_TRUE(Fails(tree->OpenArray("locked"), StatusCode::kPermission));
}

TEST(Hierarchy, ReadsAttributesAndMetadata) {
    const auto tree = Tree(Rivers());
    EXPECT_EQ(json::Dump(*tree->Attributes("")), R"({"title": "Rivers"})");
    EXPECT_EQ(json::Dump(*tree->Attributes("rivers")), "{}");
    EXPECT_EQ(tree->Metadata("rivers/depth")->rank(), 2U);
    const auto array = tree->OpenArray("rivers/depth");
    ASSERT_TRUE(Succeeds(array));
    EXPECT_EQ((*array)->path(), "rivers/depth");
    EXPECT_EQ((*array)->chunks().NameOf({0, 0}), "rivers/depth/0.0");
    EXPECT_TRUE(*tree->Has("rivers", Document::kGroup));
    EXPECT_FALSE(*tree->Has("rivers", Document::kAttributes));
}

TEST(Hierarchy, NamesTheKeyThatIsWrong) {
    const auto tree = Tree({{"a/.zarray", "{"},
                            {"a/.zattrs", "[]"},
                            {"b/.zarray", R"({"zarr_format": 3})"},
                            {"c/.zarray", ArrayText("[2]", "\"|O\"")},
                            {"d/.zgroup", R"({"zarr_format": 1})"}});
    EXPECT_TRUE(Fails(tree->Metadata("a"), StatusCode::kCorrupt, "a/.zarray: not valid JSON"));
    EXPECT_TRUE(
        Fails(tree->Attributes("a"), StatusCode::kCorrupt, "a/.zattrs: expected an object"));
    EXPECT_TRUE(Fails(tree->OpenArray("b"), StatusCode::kCorrupt, "b/.zarray: zarr_format: "));
    EXPECT_TRUE(Fails(tree->OpenArray("c"), StatusCode::kCorrupt, "c/.zarray: filters: "));
    EXPECT_TRUE(Fails(tree->Metadata("d"), StatusCode::kNotFound, "d/.zarray: there is no such"));
    EXPECT_TRUE(Fails(tree->CheckGroup("d"), StatusCode::kCorrupt, "d/.zgroup: zarr_format"));
    EXPECT_TRUE(Succeeds(tree->CheckGroup("no/zgroup")));
    EXPECT_EQ(KindOf(*tree, "a"), NodeKind::kArray) << "what opening says is another matter";
}

TEST(Hierarchy, LimitsDepth) {
    std::string path = "g";
    for (std::size_t i = 0; i < kMaxGroupDepth; ++i) path += "/g";
    auto store = StoreOf({{path + "/.zgroup", kGroupText}, {path + "/g/.zgroup", kGroupText}});
    const auto tree = Tree(store);
    EXPECT_EQ(KindOf(*tree, path), NodeKind::kGroup);
    EXPECT_TRUE(Fails(tree->KindOf(path + "/g"), StatusCode::kLimit, "nest more than 64 levels"));
    // A group beyond the maximum depth is listed, but cannot be opened. A walk through the tree
    // must end there.
    EXPECT_EQ(Names(*tree, path), StringList{"g"});
}

TEST(Hierarchy, TakesTheConsolidatedView) {
    auto store = Rivers();
    const std::string text =
        R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},
            "rivers/.zgroup": {"zarr_format": 2},
            "rivers/depth/.zarray": )" +
        ArrayText("[2, 3]") + R"(,
            "gone/.zarray": )" +
        ArrayText("[2]") + R"(,
            "broken/.zarray": {"zarr_format": 2}}})";
    ASSERT_TRUE(Succeeds(store->Set(".zmetadata", ByteSpan(text))));
    const auto tree = Tree(store);
    EXPECT_TRUE(tree->is_consolidated());
    EXPECT_EQ(Names(*tree, ""), (StringList{"broken", "gone", "rivers/"}));
    EXPECT_EQ(Names(*tree, "rivers"), StringList{"depth"}) << "stale: depth.old is not seen";
    EXPECT_EQ(json::Dump(*tree->Attributes("")), "{}");
    EXPECT_EQ(KindOf(*tree, "implied"), NodeKind::kNone);
    EXPECT_TRUE(
        Fails(tree->Metadata("broken"), StatusCode::kCorrupt, ".zmetadata: broken/.zarray: "));
    const auto read = [&](const char* path, std::size_t count) {
        const auto array = tree->OpenArray(path);
        EXPECT_TRUE(Succeeds(array));
        std::vector<float> memory(count, -1);
        const Region region = Region::All((*array)->metadata().shape);
        EXPECT_TRUE(
            Succeeds((*array)->Read(region, 0,
                                    {reinterpret_cast<std::uint8_t*>(memory.data()),
                                     ContiguousStrides(region.count, 4, false), CopyConverter(4)},
                                    {1})));
        return memory;
    };
    EXPECT_EQ(read("rivers/depth", 6), std::vector<float>(6, 0)) << "chunks come from the store";
    EXPECT_EQ(read("gone", 2), std::vector<float>(2, 0)) << "and are absent where they are gone";
    const auto plain = Tree(store, UseConsolidated::kNever);
    EXPECT_FALSE(plain->is_consolidated());
    EXPECT_EQ(Names(*plain, "rivers"), (StringList{"depth", "depth.old"}));
}

TEST(Hierarchy, ReadsTheDocumentsIfConsolidatedMetadataAreBroken) {
    for (const char* text : {"{", "[]", "{}", R"({"metadata": {"../.zarray": {}}})",
                             R"({"metadata": {}, "zarr_consolidated_format": 2})"}) {
        const auto store = StoreOf(
            {{".zgroup", kGroupText}, {".zmetadata", text}, {"a/.zarray", ArrayText("[2]")}});
        const auto tree = Tree(store);
        EXPECT_FALSE(tree->is_consolidated()) << text;
        EXPECT_TRUE(Fails(tree->consolidated_error(), StatusCode::kCorrupt, ".zmetadata: "));
        EXPECT_EQ(Names(*tree, ""), StringList{"a"});
        EXPECT_TRUE(Succeeds(tree->OpenArray("a")));
        const auto without = Tree(store, UseConsolidated::kNever);
        EXPECT_TRUE(without->consolidated_error().ok());
    }
}

// `.zmetadata` may hold Kerchunk references, which must not be read as consolidated metadata.
TEST(Hierarchy, LeavesReferencesOfKerchunk) {
    const auto store = StoreOf(
        {{".zgroup", kGroupText}, {".zmetadata", R"({"metadata": {}, "record_size": 10})"}});
    const auto opened = Hierarchy::Open(store, UseConsolidated::kIfPresent,
                                        std::make_shared<ArrayContext>(std::size_t{1} << 20));
    EXPECT_TRUE(Fails(opened, StatusCode::kUnsupported, "Kerchunk"));
    EXPECT_TRUE(Succeeds(Tree(store, UseConsolidated::kNever)->KindOf("")));
}

TEST(Hierarchy, TakesConsolidatedMetadataWithoutAVersion) {
    const auto tree = Tree(StoreOf({{".zmetadata", R"({"metadata": {".zgroup": {}}})"}}));
    EXPECT_TRUE(tree->is_consolidated());
    EXPECT_TRUE(tree->consolidated_error().ok());
}

}  // namespace
}  // namespace zarr::test
