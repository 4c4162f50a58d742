// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/hierarchy/tree.h"

namespace zarr {
namespace {

using test::ArrayText;
using test::Entries;
using test::StoreOf;
using test::Succeeds;

std::string ForeignOf(Entries entries) {
    auto foreign =
        FindForeign(*StoreOf(entries), [](std::string_view name) { return name == "known"; });
    EXPECT_TRUE(Succeeds(foreign));
    return foreign.ok() ? foreign.Take() : "failed";
}

TEST(FindForeign, PassesStores) {
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

TEST(FindForeign, FindsWhatIsNone) {
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
            // Still a store, whose consolidated metadata hold nothing that is gone.
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

}  // namespace
}  // namespace zarr
