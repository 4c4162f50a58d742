// SPDX-License-Identifier: MIT
#include "core/store/watched_store.h"

#include <gtest/gtest.h>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "core/metadata/documents.h"
#include "core/store/memory_store.h"

namespace zarr::test {
namespace {

class WatchedStores : public testing::Test {
  protected:
    std::shared_ptr<FaultyStore> base_ =
        std::make_shared<FaultyStore>(std::make_shared<MemoryStore>());
    WatchedStore store_{base_, IsDocumentOfAnyFormat};
};

TEST_F(WatchedStores, RememberTheFirstFailureOnce) {
    Buffer value;
    base_->FailAt(1, true);
    EXPECT_FALSE(store_.Get("a/.zarray", value, kNoLimit).ok());
    EXPECT_FALSE(store_.List("b").ok());
    EXPECT_TRUE(Fails(store_.TakeFailure(), StatusCode::kIo, "a/.zarray: injected fault"));
    EXPECT_TRUE(Succeeds(store_.TakeFailure()));
    EXPECT_FALSE(store_.List("b").ok());
    EXPECT_TRUE(Fails(store_.TakeFailure(), StatusCode::kIo, "b: injected fault"));
    base_->FailAt(1, true);
    EXPECT_FALSE(GetRange(store_, "c/.zgroup", 0, 1, value).ok());
    EXPECT_TRUE(Fails(store_.TakeFailure(), StatusCode::kIo, "c/.zgroup: injected fault"));
}

TEST_F(WatchedStores, IgnoreAbsenceRefusalAndChunks) {
    Buffer value;
    EXPECT_FALSE(*store_.Get(".zattrs", value, kNoLimit));
    base_->can_list = false;
    EXPECT_FALSE(store_.List("").ok());
    base_->FailAt(1, true);
    EXPECT_FALSE(store_.Get("a/0.0", value, kNoLimit).ok());
    EXPECT_TRUE(Succeeds(store_.TakeFailure()));
}

}  // namespace
}  // namespace zarr::test
