// SPDX-License-Identifier: MIT
#include "core/conventions/opening_prefetch.h"

#include <set>

#include "autotest/cpp/conventions/pyramids.h"
#include "core/store/store.h"

namespace zarr {
namespace {

using test::StringList;
using test::TreeBuilder;

// A remote store that records which keys and prefixes are prefetched. A read of anything else fails
// the test.
class PrefetchedStore final : public ForwardingStore, private Prefetcher {
  public:
    PrefetchedStore(std::shared_ptr<const Store> base, bool lists)
        : ForwardingStore(std::move(base)), lists_(lists) {}

    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.remote = traits.caches_absence = true;
        traits.concurrent_reads = 8;
        return traits;
    }
    const Prefetcher* prefetcher() const override { return this; }
    void Prefetch(const StringList& keys, const StringList& prefixes) const override {
        std::size_t count = 0;
        for (const std::string& key : keys) count += cached_keys.insert(key).second ? 1 : 0;
        for (const std::string& prefix : prefixes) count += listed.insert(prefix).second ? 1 : 0;
        if (count > 0) steps.push_back(count);
    }
    bool IsCached(const std::string& key) const override { return cached_keys.count(key) != 0; }
    bool IsListingCached(const std::string& prefix) const override {
        return listed.count(prefix) != 0;
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        EXPECT_TRUE(IsCached(key)) << key << " is read alone";
        return ForwardingStore::Read(key, part, sink);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        EXPECT_TRUE(IsListingCached(prefix)) << prefix << " is listed alone";
        if (!lists_) return Status::Unsupported(prefix + ": no list");
        return ForwardingStore::List(prefix);
    }

    mutable std::set<std::string> cached_keys;
    mutable std::set<std::string> listed;
    // Number of new keys and prefixes in each Prefetch(). Calls without new requests are left out.
    mutable std::vector<std::size_t> steps;

  private:
    const bool lists_;
};

// Prefetches like a program that opens `node`. Returns the store, which has recorded the prefetched
// keys and prefixes.
std::shared_ptr<const PrefetchedStore> OpenedStore(const TreeBuilder& builder,
                                                   const std::string& node, bool lists = false) {
    auto store = std::make_shared<PrefetchedStore>(builder.Tree()->store(), lists);
    store->Prefetch(FirstKeys(node), {});
    store->Prefetch(FirstKeysOfOldStore(node), {});
    const auto tree =
        Hierarchy::Open(store, UseConsolidated::kIfPresent, std::make_shared<ArrayContext>(0));
    EXPECT_TRUE(test::Succeeds(tree));
    PrefetchOpening(**tree, node);
    return store;
}

testing::AssertionResult Holds(const std::set<std::string>& cached_keys, const StringList& keys) {
    for (const std::string& key : keys)
        if (cached_keys.count(key) == 0) return testing::AssertionFailure() << "not " << key;
    return testing::AssertionSuccess();
}

// Returns an OME-NGFF image with labels. The labels are images, too.
TreeBuilder Image() {
    TreeBuilder builder;
    for (const char* image : {"", "labels/cells"}) {
        builder.Group(image, R"({"multiscales": [{"axes": [{"name": "y"}, {"name": "x"}],
                                 "datasets": [{"path": "0"}, {"path": "1"}]}]})");
        const std::string prefix = *image != '\0' ? std::string(image) + "/" : "";
        for (const char* level : {"0", "1"}) builder.Array(prefix + level, "[8, 8]");
    }
    return builder.Group("labels", R"({"labels": ["cells"]})");
}

TEST(Opening, PrefetchesAnImageWithItsLabelsInTwoMoreSteps) {
    const auto store = OpenedStore(Image(), "");
    EXPECT_EQ(store->steps.size(), 4U) << "with the first documents of both versions";
    EXPECT_TRUE(
        Holds(store->cached_keys, {".zgroup", "0/.zarray", "1/.zattrs", "x/.zarray", ".nczarr",
                                   "spatial_ref/.zarray", "labels/.zattrs", "labels/cells/.zattrs",
                                   "labels/cells/0/.zarray", "labels/cells/labels/.zattrs"}));
    EXPECT_EQ(store->cached_keys.count("labels/cells/1/.zarray"), 0U);
    EXPECT_EQ(store->listed, std::set<std::string>{""});
}

TEST(Opening, ListsLabelsIfTheImageIsListed) {
    const auto store = OpenedStore(Image(), "", true);
    EXPECT_EQ(store->steps.size(), 4U);
    EXPECT_EQ(store->listed, (std::set<std::string>{"", "labels", "labels/cells"}));
    EXPECT_EQ(store->cached_keys.count("labels/cells/1/.zarray"), 0U);
}

TEST(Opening, LooksForCoordinatesOfLabelsInTheGroupsAbove) {
    const auto store = OpenedStore(Image(), "labels/cells");
    EXPECT_EQ(store->steps.size(), 4U);
    EXPECT_TRUE(Holds(store->cached_keys, {"labels/cells/x/.zarray", "labels/x/.zarray",
                                           "x/.zarray", "labels/crs/.zarray", "labels/.zattrs"}));
}

// Returns a pyramid with two levels. Each level is a group with coordinates of its own.
TreeBuilder Levels(const std::string& transform = "") {
    TreeBuilder builder;
    builder.Group("", R"({"multiscales": {"layout": [{"asset": "0/dem"}, {"asset": "1/dem"}]}})");
    for (const std::string level : {"0", "1"}) {
        builder.Group(level);
        builder.Array(
            level + "/dem", "[8, 8]",
            R"({"_ARRAY_DIMENSIONS": ["y", "x"], "grid_mapping": "utm")" + transform + "}");
        builder.Array(level + "/utm", "[]", R"({"grid_mapping_name": "transverse_mercator"})");
        for (const char* axis : {"/y", "/x"}) builder.Axis(level + axis, 8, 0, 1);
    }
    return builder;
}

TEST(Opening, PrefetchesCoordinatesOfAllLevelsTogether) {
    for (const char* node : {"", "0/dem"}) {
        const auto store = OpenedStore(Levels(), node);
        EXPECT_EQ(store->steps.size(), 4U) << node;
        EXPECT_TRUE(
            Holds(store->cached_keys, {"1/.zattrs", "0/dem/.zattrs", "0/x/.zattrs", "1/y/.zattrs",
                                       "0/x/0", "0/y/0", "1/x/0", "1/y/0", "0/utm/.zattrs"}))
            << node;
    }
}

TEST(Opening, PrefetchesCoordinatesAndGridMappingsThatMayContradictATransform) {
    const auto store = OpenedStore(Levels(R"(, "spatial:transform": [1, 0, 0, 0, 1, 0])"), "");
    EXPECT_EQ(store->steps.size(), 4U);
    EXPECT_TRUE(Holds(store->cached_keys,
                      {"0/x/.zarray", "0/utm/.zattrs", "0/x/0", "1/x/0", "1/utm/.zattrs"}));
}

// Returns a v2 store with an array that the attributes of another array may name as coordinate.
TreeBuilder Swath() {
    TreeBuilder builder;
    builder.Group("").Raster("plain", 4, 4);
    builder.Array("height", "[4, 4]", R"({"_ARRAY_DIMENSIONS": ["y", "x"]})");
    builder.Array("data", "[4, 4]",
                  R"({"_ARRAY_DIMENSIONS": ["y", "x"], "coordinates": "height"})");
    return builder;
}

TEST(Opening, PrefetchesOtherArraysOnlyWhereTheyMayNameTheArray) {
    const auto store = OpenedStore(Swath(), "height", true);
    EXPECT_EQ(store->listed, std::set<std::string>{""});
    EXPECT_TRUE(Holds(store->cached_keys, {"data/.zattrs", "plain/.zarray"}));
    EXPECT_TRUE(OpenedStore(Swath(), "data", true)->listed.empty());
}

TEST(Opening, PrefetchesMembersOfAListedGroupTogether) {
    TreeBuilder builder;
    builder.Group("").Group("a").Group("b").Raster("a/one", 4, 4).Raster("b/two", 4, 4);
    builder.Raster("c", 4, 4);
    const auto store = OpenedStore(builder, "", true);
    EXPECT_EQ(store->listed, (std::set<std::string>{"", "a", "b"}));
    EXPECT_TRUE(
        Holds(store->cached_keys, {"c/.zarray", "c/.zattrs", "a/.zattrs", "a/one/.zarray"}));
}

TEST(Opening, PrefetchesNothingThatIsConsolidated) {
    TreeBuilder builder = Levels();
    builder.Text(".zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {"multiscales": {"layout": [{"asset": "0/dem"}]}},
        "0/dem/.zarray": )" + test::ArrayText("[8, 8]", "\"<f4\"") +
                                   R"(,
        "0/dem/.zattrs": {"_ARRAY_DIMENSIONS": ["y", "x"]},
        "0/x/.zarray": )" + test::ArrayText("[8]", "\"<f8\"") +
                                   R"(,
        "0/y/.zarray": )" + test::ArrayText("[8]", "\"<f8\"") +
                                   "}}");
    const auto store = OpenedStore(builder, "");
    EXPECT_EQ(store->steps,
              (std::vector<std::size_t>{FirstKeys("").size(), FirstKeysOfOldStore("").size(), 2}));
    EXPECT_TRUE(Holds(store->cached_keys, {"0/x/0", "0/y/0"}));
}

TEST(Opening, BoundsPrefetchingByAttributes) {
    std::string levels;
    for (int i = 0; i < 250; ++i) {
        std::string path;
        for (int k = 0; k < 40; ++k) path += std::to_string(i) + "/";
        levels += (i > 0 ? ", " : "") + ("{\"path\": \"" + path + "a\"}");
    }
    TreeBuilder builder;
    builder.Group("", "{\"multiscales\": [{\"datasets\": [" + levels + "]}]}");
    const auto store = OpenedStore(builder, "");
    EXPECT_LE(store->cached_keys.size() + store->listed.size(),
              kMaxPrefetchedKeys + FirstKeys("").size() + FirstKeysOfOldStore("").size());
    EXPECT_LE(store->steps.size(), 6U);
}

TEST(Opening, PrefetchesNothingFromALocalStore) {
    const auto tree = Image().Tree();
    const std::uint64_t before = tree->counters().requests;
    PrefetchOpening(*tree, "");
    EXPECT_EQ(tree->counters().requests, before);
}

}  // namespace
}  // namespace zarr
