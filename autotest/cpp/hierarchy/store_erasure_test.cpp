// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/v3_metadata.h"

namespace zarr {
namespace {

using test::ArrayText;
using test::Entries;
using test::StoreOf;
using test::Succeeds;

std::string ForeignOf(Entries entries) {
    auto foreign =
        FindForeignKey(*StoreOf(entries), [](std::string_view name) { return name == "known"; });
    EXPECT_TRUE(Succeeds(foreign));
    return foreign.ok() ? foreign.Take() : "failed";
}

TEST(FindForeignKey, FindsNothingInStores) {
    EXPECT_EQ(ForeignOf({}), "");
    EXPECT_EQ(ForeignOf({{".zgroup", ""}, {".zmetadata", ""}, {"known", ""}}), "");
    EXPECT_EQ(ForeignOf({{".zgroup", ""},
                         {"a/.zarray", ""},
                         {"a/.zattrs", ""},
                         {"a/0.12", ""},
                         {"g/h/b/.zarray", ""},
                         {"g/h/b/0/3", ""},
                         {"g/.nczgroup", ""}}),
              "");
    EXPECT_EQ(ForeignOf({{".zarray", ""}, {"0/1", ""}, {"known", ""}}), "");
}

TEST(FindForeignKey, FindsFilesThatBelongToNoStore) {
    EXPECT_EQ(ForeignOf({{".zgroup", ""}, {"notes.txt", ""}}), "notes.txt");
    EXPECT_EQ(ForeignOf({{".zgroup", ""}, {"photos/1.jpg", ""}}), "photos/1.jpg");
    EXPECT_EQ(ForeignOf({{".zgroup", ""}, {"a/.zarray", ""}, {"a/read me", ""}}), "a/read me");
    EXPECT_EQ(ForeignOf({{".zarray", ""}, {"photos/1.jpg", ""}}), "photos");
    EXPECT_EQ(ForeignOf({{".git/HEAD", ""}}), ".git/HEAD");
}

TEST(EraseStore, LeavesNothingAndCanBeRepeatedAfterAnyFault) {
    const Entries entries = {{".zgroup", "{}"},     {".zattrs", "{}"}, {".zmetadata", "{}"},
                             {"a/.zarray", "{}"},   {"a/0.0", "x"},    {"g/.zgroup", "{}"},
                             {"g/b/.zarray", "{}"}, {"g/b/0", "x"},    {"pam.aux.xml", "x"}};
    const auto has = [](const Store& store, const char* key) {
        Buffer value;
        auto found = store.Get(key, value, kNoLimit);
        return found.ok() && *found;
    };
    for (std::size_t fault = 1;; ++fault) {
        const auto memory = StoreOf(entries);
        test::FaultyStore store(memory);
        store.FailAt(fault, true);
        const Status status = EraseStore(store);
        if (!status.ok()) {
            // After a failure the folder must still be a store, in which consolidated metadata
            // lists no erased array.
            EXPECT_TRUE(has(*memory, ".zgroup")) << fault;
            EXPECT_TRUE(!has(*memory, ".zmetadata") || has(*memory, "a/0.0")) << fault;
            store.FailAt(0, false);
            EXPECT_TRUE(Succeeds(EraseStore(store)));
        }
        const auto left = memory->List("");
        ASSERT_TRUE(Succeeds(left));
        EXPECT_TRUE(left->empty());
        if (status.ok()) break;
        ASSERT_LT(fault, 100U);
    }
}

constexpr const char* kV3Array = R"({"zarr_format": 3, "node_type": "array"})";
constexpr const char* kV3Group = R"({"zarr_format": 3, "node_type": "group"})";

// A store to erase. Consolidated metadata, if present, describes all arrays.
struct Erased {
    std::vector<std::pair<std::string, std::string>> entries;
    // For each array, the key of its metadata document and the key of one chunk.
    std::vector<std::pair<std::string, std::string>> documents_and_chunks;
};

class Erasures : public testing::TestWithParam<Erased> {};

TEST_P(Erasures, LeaveNoArrayWithoutItsChunks) {
    const auto text = [](const Store& store, const std::string& key) {
        Buffer value;
        const auto found = store.Get(key, value, kNoLimit);
        return found.ok() && *found ? std::string(std::as_const(value).span().text()) : "";
    };
    for (std::size_t fault = 1;; ++fault) {
        const auto memory = StoreOf({});
        for (const auto& [key, value] : GetParam().entries)
            ASSERT_TRUE(Succeeds(memory->Set(key, ByteSpan(std::string_view(value)))));
        test::FaultyStore store(memory);
        store.FailAt(fault, true);
        const bool is_done = EraseStore(store).ok();
        for (const auto& [document, chunk] : GetParam().documents_and_chunks) {
            const std::string now = text(*memory, document);
            const bool describes_array = !now.empty() && now != V3GroupText();
            EXPECT_TRUE(!describes_array || !text(*memory, chunk).empty()) << document << fault;
        }
        if (is_done) break;
        ASSERT_LT(fault, 100U);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Erasures,
    testing::Values(Erased{{{".zgroup", "{}"},
                            {"a/.zarray", "{}"},
                            {"a/0.0", "x"},
                            {"g/.zgroup", "{}"},
                            {"g/b/.zarray", "{}"},
                            {"g/b/0/1", "x"}},
                           {{"a/.zarray", "a/0.0"}, {"g/b/.zarray", "g/b/0/1"}}},
                    Erased{{{".zarray", "{}"}, {".zattrs", "{}"}, {"0.0", "x"}},
                           {{".zarray", "0.0"}}},
                    Erased{{{"zarr.json", kV3Array}, {"c/0/1", "x"}}, {{"zarr.json", "c/0/1"}}},
                    Erased{{{"zarr.json", "{consolidated metadata}"},
                            {"a/zarr.json", kV3Array},
                            {"a/c/0", "x"},
                            {"g/zarr.json", kV3Group},
                            {"g/b/zarr.json", kV3Array},
                            {"g/b/c/0", "x"}},
                           {{"zarr.json", "a/c/0"},
                            {"zarr.json", "g/b/c/0"},
                            {"a/zarr.json", "a/c/0"},
                            {"g/b/zarr.json", "g/b/c/0"}}}));

TEST(EraseTree, LeftoversHoldOnlyChunks) {
    const auto memory = StoreOf({{"g/.zgroup", "{}"}, {"g/b/.zarray", "{}"}, {"g/b/0.0", "x"}});
    for (const auto& [key, holds] : {std::pair("g", false), std::pair("g/b", false)}) {
        const auto found = HasOnlyStrayChunks(*memory, key);
        ASSERT_TRUE(Succeeds(found));
        EXPECT_EQ(*found, holds);
    }
    ASSERT_TRUE(Succeeds(memory->Erase("g/.zgroup")));
    ASSERT_TRUE(Succeeds(memory->Erase("g/b/.zarray")));
    EXPECT_TRUE(*HasOnlyStrayChunks(*memory, "g"));
    ASSERT_TRUE(Succeeds(memory->Set("g/letter.txt", ByteSpan(std::string_view("x")))));
    EXPECT_FALSE(*HasOnlyStrayChunks(*memory, "g"));
    ASSERT_TRUE(Succeeds(EraseTree(*memory, "g")));
    EXPECT_TRUE(memory->List("")->empty());
}

}  // namespace
}  // namespace zarr
