// SPDX-License-Identifier: MIT
#include "core/store/memory_store.h"

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"

namespace zarr::test {
namespace {

class MemoryUnderTest final : public StoreUnderTest {
  public:
    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(Succeeds(store_.Set(key, ByteSpan(value))));
    }
    const Store& store() override { return store_; }
    Store* writable() override { return &store_; }

  private:
    MemoryStore store_;
};

std::unique_ptr<StoreUnderTest> MakeMemoryStore() { return std::make_unique<MemoryUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(&MakeMemoryStore));

}  // namespace
}  // namespace zarr::test
