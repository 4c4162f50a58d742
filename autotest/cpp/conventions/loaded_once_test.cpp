// SPDX-License-Identifier: MIT
// Opening a store must read and parse each metadata document only once. If a writer changes a
// document, the next opening must read it again.
#include <atomic>
#include <thread>

#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/conventions/pyramids.h"
#include "autotest/cpp/hierarchy/faulty_store.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/crs/crs_sources.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/pyramid/pyramid.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/store/keys.h"

namespace zarr {
namespace {

using test::FaultyStore;
using test::Json;
using test::SpyStore;
using test::Succeeds;
using test::TreeBuilder;

constexpr const char* kLevels =
    R"({"multiscales": [{"version": "0.4", "axes": [{"name": "y", "type": "space"},
        {"name": "x", "type": "space"}], "datasets": [{"path": "0"}, {"path": "1"},
        {"path": "2"}]}]})";
constexpr const char* kV3Levels =
    R"({"ome": {"version": "0.5", "multiscales": [{"axes": [{"name": "y", "type": "space"},
        {"name": "x", "type": "space"}], "datasets": [{"path": "0"}, {"path": "1"},
        {"path": "2"}]}]}})";

// Creates stores of one Zarr version.
class Maker {
  public:
    Maker(Format format, WriteConsolidated consolidated)
        : format_(format), writer_(store_, consolidated, nullptr, format) {}

    void Group(const std::string& path, const std::string& attributes) {
        EXPECT_TRUE(Succeeds(writer_.CreateGroup(path)));
        EXPECT_TRUE(Succeeds(writer_.SetAttributes(path, Json(attributes))));
    }
    void Array(const std::string& path, const std::vector<std::uint64_t>& shape,
               json::Object attributes = {}) {
        ArraySpec spec;
        spec.format = format_;
        spec.shape = spec.chunks = shape;
        spec.dtype = *ParseDataType(json::Value("<f4"));
        const auto metadata = MakeArrayMetadata(spec);
        ASSERT_TRUE(Succeeds(metadata));
        EXPECT_TRUE(Succeeds(writer_.CreateArray(path, *metadata, attributes)));
    }
    // Creates a group with `count` rasters on one grid, their coordinates and a grid mapping.
    void Rasters(const std::string& group, int count) {
        const auto names = [](const std::vector<const char*>& dimensions) {
            json::Array array(dimensions.begin(), dimensions.end());
            return json::Member("_ARRAY_DIMENSIONS", json::Value(std::move(array)));
        };
        for (int i = 0; i < count; ++i)
            Array(JoinKey(group, "b" + std::to_string(i)), {4, 6},
                  {names({"y", "x"}), {"grid_mapping", json::Value("crs")}});
        Array(JoinKey(group, "y"), {4}, {names({"y"})});
        Array(JoinKey(group, "x"), {6}, {names({"x"})});
        Array(JoinKey(group, "crs"), {}, {names({}), {"spatial_ref", json::Value("EPSG:32632")}});
    }
    std::shared_ptr<MemoryStore> Finish() {
        EXPECT_TRUE(Succeeds(writer_.Finish()));
        return store_;
    }

  private:
    const Format format_;
    const std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
    HierarchyWriter writer_;
};

// Makes the requests that a driver makes to open the root and then each raster.
void OpenAll(const Hierarchy& hierarchy) {
    EXPECT_EQ(*hierarchy.KindOf(""), NodeKind::kGroup);
    EXPECT_TRUE(Succeeds(hierarchy.CheckGroup("")));
    Warnings warnings;
    PyramidFaults faults;
    const auto groups = ListRasters(hierarchy, "").Report(warnings);
    ASSERT_TRUE(Succeeds(groups));
    std::size_t count = 0;
    for (const CatalogGroup& group : *groups) {
        EXPECT_TRUE(Succeeds(hierarchy.CheckGroup(group.path)));
        FindPyramids(hierarchy, group.path, faults);
        hierarchy.Unconsolidated(group.path);
        for (const CatalogArray& array : group.arrays) {
            ++count;
            EXPECT_EQ(*hierarchy.KindOf(array.path), NodeKind::kArray);
            const auto facts = DescribeArray(hierarchy, array.path);
            ASSERT_TRUE(Succeeds(facts)) << array.path;
            FindCrsSources(hierarchy, *facts, AssumeLonglat::kNo);
            FindPyramidOf(hierarchy, array.path).Report(warnings);
            ReadNodata(hierarchy, *facts, FillAsNodata::kAuto).Report(warnings);
            EXPECT_TRUE(Succeeds(hierarchy.OpenArray(array.path)));
        }
    }
    EXPECT_GT(count, 0U);
    EXPECT_EQ(warnings, Warnings{});
}

// Opens everything in the store. Each key must be read at most once, and each prefix listed at most
// once. Repeated calls must return the same parsed value.
void ExpectOnce(const std::shared_ptr<const Store>& store, const std::string& what) {
    const auto spy = std::make_shared<SpyStore>(store);
    const auto hierarchy = test::Tree(spy);
    OpenAll(*hierarchy);
    using Contents = std::pair<const json::Object*, const json::Array*>;
    const auto contents_of = [&](const std::string& path) {
        const auto attributes = hierarchy->Attributes(path);
        const auto metadata = hierarchy->Metadata(path);
        Contents contents(nullptr, nullptr);
        if (attributes.ok()) contents.first = attributes->as_object();
        if (metadata.ok())
            contents.second = json::Value(metadata->document).Find("shape")->as_array();
        return contents;
    };
    std::map<std::string, Contents> parsed;
    for (const auto& [key, count] : spy->by_key()) {
        EXPECT_EQ(count, 1) << what << ": " << key;
        const std::string path(ParentPath(key));
        parsed[path] = contents_of(path);
    }
    for (const auto& [prefix, count] : spy->lists_by_prefix())
        EXPECT_EQ(count, 1) << what << ": listing of " << prefix;
    OpenAll(*hierarchy);
    for (const auto& [key, count] : spy->by_key())
        EXPECT_TRUE(count == 1 || !IsDocumentOfAnyFormat(LastName(key))) << what << ": " << key;
    for (const auto& [path, contents] : parsed) EXPECT_EQ(contents_of(path), contents) << path;
}

constexpr Format kFormats[] = {Format::kV2, Format::kV3};
constexpr WriteConsolidated kConsolidated[] = {WriteConsolidated::kNo, WriteConsolidated::kYes};

std::string NameOf(Format format, WriteConsolidated consolidated) {
    return std::string(format == Format::kV3 ? "v3" : "v2") +
           (consolidated == WriteConsolidated::kYes ? ", consolidated" : "");
}

TEST(LoadedOnce, RastersOfAGroup) {
    for (const Format format : kFormats)
        for (const WriteConsolidated consolidated : kConsolidated) {
            Maker maker(format, consolidated);
            maker.Group("", R"({"title": "t"})");
            maker.Rasters("", 3);
            ExpectOnce(maker.Finish(), NameOf(format, consolidated));
        }
}

TEST(LoadedOnce, Pyramid) {
    for (const Format format : kFormats)
        for (const WriteConsolidated consolidated : kConsolidated) {
            Maker maker(format, consolidated);
            maker.Group("", format == Format::kV3 ? kV3Levels : kLevels);
            maker.Array("0", {16, 12});
            maker.Array("1", {8, 6});
            maker.Array("2", {4, 3});
            ExpectOnce(maker.Finish(), NameOf(format, consolidated));
        }
}

TEST(LoadedOnce, Product) {
    for (const Format format : kFormats)
        for (const WriteConsolidated consolidated : kConsolidated) {
            Maker maker(format, consolidated);
            maker.Group("", R"({"stac_discovery": {"properties": {"proj:epsg": 32632}}})");
            for (const char* group : {"measurements/r10m", "measurements/r20m", "quality/mask"})
                maker.Rasters(group, 4);
            ExpectOnce(maker.Finish(), NameOf(format, consolidated));
        }
}

TEST(LoadedOnce, Zarr1) {
    constexpr const char* kMeta =
        R"({"zarr_format": 1, "shape": [4, 6], "chunks": [4, 6], "dtype": "<f4", "compression":
            "none", "compression_opts": null, "fill_value": 0, "order": "C"})";
    ExpectOnce(test::StoreOf({{"a/meta", kMeta},
                              {"a/attrs", R"({"_ARRAY_DIMENSIONS": ["y", "x"]})"},
                              {"b/meta", kMeta},
                              {"b/attrs", "{}"}}),
               "v1");
}

TEST(LoadedOnce, AgainAfterAWriter) {
    const auto store = std::make_shared<MemoryStore>();
    HierarchyWriter writer(store);
    ASSERT_TRUE(Succeeds(writer.CreateGroup("g")));
    const auto tree = test::Tree(store);
    const auto value_of = [&] {
        const auto attributes = tree->Attributes("g");
        const json::Value* const value = attributes.ok() ? attributes->Find("a") : nullptr;
        return value != nullptr ? json::Dump(*value) : "none";
    };
    EXPECT_EQ(value_of(), "none");
    ASSERT_TRUE(Succeeds(writer.SetAttributes("g", Json(R"({"a": 1})"))));
    EXPECT_EQ(value_of(), "1");
    EXPECT_EQ(*tree->KindOf("g/n"), NodeKind::kNone);
    EXPECT_EQ(tree->Members("g")->size(), 0U);
    ASSERT_TRUE(Succeeds(writer.CreateArray("g/n", test::MetadataOf(test::ArrayText("[4]")))));
    EXPECT_EQ(*tree->KindOf("g/n"), NodeKind::kArray);
    EXPECT_EQ(tree->Members("g")->size(), 1U);
    ASSERT_TRUE(Succeeds(writer.DeleteNode("g/n")));
    EXPECT_FALSE(tree->Metadata("g/n").ok());
    EXPECT_EQ(tree->Members("g")->size(), 0U);
}

TEST(LoadedOnce, PyramidsWithTheirWarnings) {
    const auto store = std::make_shared<MemoryStore>();
    HierarchyWriter writer(store);
    ASSERT_TRUE(Succeeds(writer.CreateGroup("g")));
    ASSERT_TRUE(Succeeds(writer.SetAttributes("g", Json(R"({"multiscales": [5]})"))));
    ASSERT_TRUE(Succeeds(writer.CreateArray("g/0", test::MetadataOf(test::ArrayText("[4, 6]")))));
    const auto tree = test::Tree(store);
    const auto read = MultiscalesOf(*tree, "g");
    EXPECT_TRUE(read->all.empty());
    EXPECT_EQ(read->warnings.size(), 1U);
    EXPECT_EQ(MultiscalesOf(*tree, "g"), read);
    EXPECT_FALSE(HasOverviewsApart(*tree, "g/0")) << "who asks first reports no warnings";
    EXPECT_EQ(FindPyramidOf(*tree, "g/0").warnings, read->warnings);
    EXPECT_EQ(FindPyramidOf(*tree, "g/0").warnings, read->warnings);
    ASSERT_TRUE(Succeeds(writer.SetAttributes("g", Json(kLevels))));
    EXPECT_EQ(MultiscalesOf(*tree, "g")->all.size(), 1U);
    EXPECT_NE(FindPyramidOf(*tree, "g/0").warnings, read->warnings);
}

TEST(LoadedOnce, AgainAfterReload) {
    const auto store = test::StoreOf({{".zgroup", test::kGroupText}});
    const auto tree = test::Tree(store);
    EXPECT_EQ(*tree->KindOf("a"), NodeKind::kNone);
    const std::string array = test::ArrayText("[4]");
    ASSERT_TRUE(Succeeds(store->Set("a/.zarray", ByteSpan(std::string_view(array)))));
    EXPECT_EQ(*tree->KindOf("a"), NodeKind::kNone);
    tree->Reload();
    EXPECT_EQ(*tree->KindOf("a"), NodeKind::kArray);
}

TEST(LoadedOnce, DerivedValuesAreComputedOnce) {
    const auto faulty = std::make_shared<FaultyStore>(
        test::StoreOf({{".zgroup", test::kGroupText}, {".zattrs", R"({"a": 1})"}}));
    const auto tree = test::Tree(faulty);
    int computed = 0;
    const auto size_of = [&](const Hierarchy& hierarchy) {
        const auto size = hierarchy.Derived<std::size_t>("", [&]() -> Result<std::size_t> {
            ++computed;
            const auto attributes = hierarchy.Attributes("");
            return attributes.ok() ? attributes->as_object()->size() : 0;
        });
        return size.ok() ? **size : 99;
    };
    faulty->FailAt(1, false);
    EXPECT_EQ(size_of(*tree), 0U) << "computed from a failure";
    EXPECT_EQ(size_of(*tree), 1U) << "which is not cached";
    EXPECT_EQ(size_of(*tree), 1U);
    EXPECT_EQ(computed, 2);
    EXPECT_EQ(size_of(*tree->WithMetadata({{"b", ArrayMetadata()}})), 1U);
    EXPECT_EQ(computed, 3) << "planned arrays count";
    tree->Reload();
    EXPECT_EQ(size_of(*tree), 1U);
    EXPECT_EQ(computed, 4);
    const auto failing = [] { return Result<std::string>(Status::NotFound("x")); };
    EXPECT_FALSE(tree->Derived<std::string>("", failing).ok());
}

TEST(LoadedOnce, FailuresAreTriedAgain) {
    const auto faulty = std::make_shared<FaultyStore>(
        test::StoreOf({{".zgroup", test::kGroupText}, {".zattrs", R"({"a": 1})"}}));
    const auto tree = test::Tree(faulty);
    faulty->FailAt(1, false);
    EXPECT_FALSE(tree->Attributes("").ok());
    const auto attributes = tree->Attributes("");
    ASSERT_TRUE(Succeeds(attributes));
    EXPECT_NE(attributes->Find("a"), nullptr);
}

TEST(LoadedOnce, ByManyThreadsWhileAWriterChangesIt) {
    const auto store = std::make_shared<MemoryStore>();
    HierarchyWriter writer(store);
    ASSERT_TRUE(Succeeds(writer.CreateArray("a", test::MetadataOf(test::ArrayText("[4, 6]")))));
    const auto tree = test::Tree(store);
    std::atomic<bool> is_done{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            while (!is_done) {
                EXPECT_TRUE(Succeeds(DescribeArray(*tree, "a")));
                EXPECT_EQ(tree->Members("")->size(), 1U);
            }
        });
    for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(Succeeds(writer.SetAttributes(
            "a", json::Value(json::Object{{"i", json::Value(std::int64_t{i})}}))));
    is_done = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(json::Dump(*tree->Attributes("a")->Find("i")), "49");
}

}  // namespace
}  // namespace zarr
