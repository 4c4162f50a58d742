// SPDX-License-Identifier: MIT
// Tests of the pyramids in the sample stores of data/pyramids.
#include <functional>

#include "autotest/cpp/conventions/pyramids.h"
#include "autotest/cpp/support/project_file.h"
#include "core/conventions/ome/omero.h"
#include "core/store/directory_store.h"
#include "core/store/keys.h"

namespace zarr {
namespace {

using test::Found;
using test::PyramidOf;
using test::PyramidsOf;
using test::StringList;

std::shared_ptr<const Hierarchy> Sample(const std::string& name) {
    return test::Tree(std::make_shared<DirectoryStore>(test::ProjectFile("data/pyramids/" + name)));
}

// Copies all keys below `prefix` to `to`.
void Copy(const Store& from, const std::string& prefix, MemoryStore& to) {
    const auto entries = from.List(prefix);
    ASSERT_TRUE(test::Succeeds(entries));
    for (const StoreEntry& entry : *entries) {
        const std::string key = JoinKey(prefix, entry.name);
        Buffer value;
        if (entry.is_prefix) {
            Copy(from, key, to);
            continue;
        }
        ASSERT_TRUE(test::Succeeds(from.Get(key, value, kNoLimit)));
        ASSERT_TRUE(test::Succeeds(to.Set(key, std::as_const(value).span())));
    }
}

struct Expected {
    const char* store;
    const char* group;
    StringList pyramids;
};

class SamplePyramids : public testing::TestWithParam<Expected> {};

TEST_P(SamplePyramids, AreFound) {
    const auto tree = Sample(GetParam().store);
    const Found found = PyramidsOf(*tree, GetParam().group);
    EXPECT_EQ(found.pyramids, GetParam().pyramids);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings[0];
    for (const std::string& text : found.pyramids) {
        const std::string base = text.substr(0, text.find(' '));
        const bool has_levels = text.find(',') != std::string::npos;
        Warnings warnings;
        EXPECT_EQ(PyramidOf(*tree, base, warnings), has_levels ? text : "");
        EXPECT_TRUE(warnings.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, SamplePyramids,
    testing::Values(
        Expected{"ome_0.1.zarr", "", {"0 128x96, 1 64x48, 2 32x24"}},
        Expected{"ome_0.3.zarr", "", {"s0 128x96, s1 64x48, s2 32x24"}},
        Expected{"ome_0.4.zarr", "", {"0 128x96, 1 64x48, 2 32x24"}},
        Expected{"ome_0.4.zarr", "labels/cells", {"labels/cells/0 128x96, labels/cells/1 64x48"}},
        Expected{"ome_one_chunk.zarr", "", {"0 128x96"}},
        Expected{"ome_three_z_chunks.zarr", "", {"0 128x96"}},
        Expected{"ome_two_levels.zarr", "", {"0 128x96, 1 64x48"}},
        Expected{"ome_plate.zarr", "B/1/0", {"B/1/0/0 32x24, B/1/0/1 16x12"}},
        Expected{"ndpyramid.zarr",
                 "",
                 {"2/prec 128x96, 1/prec 64x48, 0/prec 32x24",
                  "2/tavg 128x96, 1/tavg 64x48, 0/tavg 32x24"}},
        Expected{"geozarr_inline.zarr", "", {"2/dem 128x96, 1/dem 64x48, 0/dem 32x24"}},
        Expected{"geozarr_named.zarr", "", {"10/dem 128x96, 9/dem 64x48, 8/dem 32x24"}},
        Expected{"xcube.levels",
                 "",
                 {"0.zarr/conc_chl 128x96, 1.zarr/conc_chl 64x48, 2.zarr/conc_chl 32x24"}},
        Expected{"xcube_link.levels",
                 "",
                 {"base.zarr/conc_chl 128x96, 1.zarr/conc_chl 64x48, 2.zarr/conc_chl 32x24"}},
        Expected{"layout_arrays.zarr", "", {"0 128x96, 1 64x48, 2 32x24"}},
        Expected{"layout_groups.zarr",
                 "",
                 {"r10m/b02 128x96, r20m/b02 64x48, r40m/b02 32x24",
                  "r20m/b05 64x48, r40m/b05 32x24"}}));

// Replaces each value inside `value`, one at a time, by `wrong` and calls visit(whole). `value` is
// a part of `whole`.
void ForEachFault(const json::Value& whole, json::Value& value, const json::Value& wrong,
                  const std::function<void(const json::Value&)>& visit) {
    const json::Value kept = value;
    value = wrong;
    visit(whole);
    value = kept;
    if (json::Array* items = value.MutableArray())
        for (json::Value& item : *items) ForEachFault(whole, item, wrong, visit);
    if (json::Object* members = value.MutableObject())
        for (auto& [name, member] : *members) ForEachFault(whole, member, wrong, visit);
}

struct DamagedAttributes {
    const char* store;
    const char* node;   // node whose attributes are damaged
    const char* group;  // group with the pyramid
    const char* base;
};

class DamagedPyramids : public testing::TestWithParam<DamagedAttributes> {};

TEST_P(DamagedPyramids, OnlyWarn) {
    const DamagedAttributes& place = GetParam();
    const auto store = std::make_shared<MemoryStore>();
    Copy(*Sample(place.store)->store(), "", *store);
    const auto tree = test::Tree(store);
    auto attributes = tree->Attributes(place.node);
    ASSERT_TRUE(test::Succeeds(attributes));
    std::size_t runs = 0;
    std::size_t lost = 0;
    const auto look = [&](const json::Value& spoilt) {
        const std::string text = json::Dump(spoilt);
        EXPECT_TRUE(test::Succeeds(store->Set(JoinKey(place.node, ".zattrs"), ByteSpan(text))));
        tree->Reload();
        Warnings warnings;
        PyramidFaults faults;
        lost += FindPyramids(*tree, place.group, faults).empty() ? 1 : 0;
        FindPyramidOf(*tree, place.base).Report(warnings);
        ReadOmeroChannels(spoilt, warnings);
        ++runs;
    };
    for (const char* wrong : {"null", "-5", "\"..\"", "[]", "[{}]"})
        ForEachFault(*attributes, *attributes, test::Json(wrong), look);
    EXPECT_GT(runs, 50U);
    EXPECT_GT(lost, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedPyramids,
    testing::Values(DamagedAttributes{"ome_0.3.zarr", "", "", "s0"},
                    DamagedAttributes{"ome_plate.zarr", "A/1/0", "A/1/0", "A/1/0/0"},
                    DamagedAttributes{"ndpyramid.zarr", "", "", "2/tavg"},
                    DamagedAttributes{"geozarr_inline.zarr", "2/dem", "", "2/dem"},
                    DamagedAttributes{"layout_groups.zarr", "", "", "r10m/b02"}));

TEST(SampleImages, HaveChannels) {
    Warnings warnings;
    const auto image = Sample("ome_0.4.zarr");
    const auto attributes = image->Attributes("");
    ASSERT_TRUE(test::Succeeds(attributes));
    const auto channels = ReadOmeroChannels(*attributes, warnings);
    ASSERT_EQ(channels.size(), 2U);
    EXPECT_EQ(channels[1].label, "Dapi");
    EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace zarr
