// SPDX-License-Identifier: MIT
// The contract that every store keeps (core/store/store.h). A store joins with one line beside its
// own tests:
//     INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(&MakeMemoryStore));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/store/store.h"

namespace zarr::test {

// A store and the way to put values behind it, as a read-only one cannot be written itself.
class StoreUnderTest {
  public:
    virtual ~StoreUnderTest() = default;

    // Puts a value where the store finds it, replacing an earlier one whole. Metadata keys are put
    // before the first call of store(). May be called while others read.
    virtual void Put(const std::string& key, std::string_view value) = 0;

    // Borrowed; stays the same store.
    virtual const Store& store() = 0;
    // The same for writing; nullptr where the store is read-only.
    virtual Store* writable() { return nullptr; }

    // False where List() shows only what metadata describe.
    virtual bool lists_chunks() const { return true; }
};

using StoreMaker = std::unique_ptr<StoreUnderTest> (*)();

class StoreContract : public testing::TestWithParam<StoreMaker> {
  protected:
    std::unique_ptr<StoreUnderTest> under_test_ = GetParam()();
};

}  // namespace zarr::test
