// SPDX-License-Identifier: MIT
#include <cpl_vsi.h>
#include <gtest/gtest.h>

#include <string>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {
namespace {

// A read and VersionOf() must report the same version of the value.
void CheckVersions(VsiStore& store, const std::string& key, const std::string& expected) {
    zarr::Buffer value;
    zarr::ObjectVersion version;
    version.size = 77;
    const auto found = zarr::test::GetVersioned(store, key, value, version);
    ASSERT_TRUE(zarr::test::Succeeds(found));
    ASSERT_TRUE(*found);
    EXPECT_EQ(std::as_const(value).span().text(), expected);
    const zarr::ObjectVersion told = store.VersionOf(key);
    EXPECT_TRUE(zarr::EqualButForCertainty(version, told));
    EXPECT_EQ(version.exists, told.exists);
    EXPECT_EQ(version.size, told.size);
    EXPECT_EQ(version.modified, told.modified);
    EXPECT_EQ(version.mark, told.mark);
}

void CheckStore(const std::string& folder) {
    VsiStore store{StorePath(folder)};
    ASSERT_TRUE(zarr::test::Succeeds(store.Set("a/0.0", zarr::ByteSpan("first"))));
    CheckVersions(store, "a/0.0", "first");
    const zarr::ObjectVersion before = store.VersionOf("a/0.0");
    ASSERT_TRUE(zarr::test::Succeeds(store.Set("a/0.0", zarr::ByteSpan("another"))));
    CheckVersions(store, "a/0.0", "another");
    EXPECT_FALSE(zarr::EqualButForCertainty(before, store.VersionOf("a/0.0")));

    zarr::Buffer value;
    zarr::ObjectVersion version;
    version.exists = true;
    const auto absent = zarr::test::GetVersioned(store, "a/0.1", value, version);
    ASSERT_TRUE(zarr::test::Succeeds(absent));
    EXPECT_FALSE(*absent);
    EXPECT_FALSE(version.exists);
    EXPECT_TRUE(zarr::SameVersion(version, store.VersionOf("a/0.1")));
}

TEST(VsiStoreVersions, InMemoryEqualThoseOfReads) {
    ASSERT_EQ(VSIMkdir("/vsimem/versions", 0755), 0);
    CheckStore("/vsimem/versions");
    VSIRmdirRecursive("/vsimem/versions");
}

}  // namespace
}  // namespace zarr_driver
