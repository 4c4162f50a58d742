// SPDX-License-Identifier: MIT
// Contract tests that every Store must pass (core/store/store.h). One line in the tests of a store
// runs them: INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(&MakeMemoryStore));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/store/store.h"

namespace zarr::test {

// The store under test, and a way to put values into it even if the store itself is read-only.
class StoreUnderTest {
  public:
    virtual ~StoreUnderTest() = default;

    // Stores a value so that the store under test finds it; replaces an earlier value whole.
    // Metadata keys are put before the first call of store(). Other threads may read meanwhile.
    virtual void Put(const std::string& key, std::string_view value) = 0;

    // Returns the store under test, always the same object, owned by this object.
    virtual const Store& store() = 0;
    // Returns the store under test for writing; nullptr if the store is read-only.
    virtual Store* writable() { return nullptr; }

    // True if List() shows chunks. Consolidated stores list only metadata documents.
    virtual bool lists_chunks() const { return true; }
};

using StoreMaker = std::unique_ptr<StoreUnderTest> (*)();

class StoreContract : public testing::TestWithParam<StoreMaker> {
  protected:
    std::unique_ptr<StoreUnderTest> under_test_ = GetParam()();
};

}  // namespace zarr::test
