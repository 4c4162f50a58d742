// SPDX-License-Identifier: MIT
// Runs the contract tests of Store on PrefixStore, which wraps another store.
#include "autotest/cpp/store/prefix_store.h"

#include <gtest/gtest.h>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "core/store/keys.h"
#include "core/store/memory_store.h"

namespace zarr::test {
namespace {

class PrefixUnderTest final : public StoreUnderTest {
  public:
    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(Succeeds(base_->Set(JoinKey("a/b", key), ByteSpan(value))));
    }
    const Store& store() override { return store_; }

  private:
    const std::shared_ptr<MemoryStore> base_ = std::make_shared<MemoryStore>();
    const PrefixStore store_{base_, "a/b"};
};

std::unique_ptr<StoreUnderTest> MakePrefixStore() { return std::make_unique<PrefixUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(Prefix, StoreContract, testing::Values(&MakePrefixStore));

}  // namespace
}  // namespace zarr::test
