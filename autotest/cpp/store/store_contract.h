// SPDX-License-Identifier: MIT
// Contract tests that every Store (core/store/store.h) must pass. A test file runs them on a store
// with one line: INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
// testing::Values(&MakeMemoryStore));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/store/store.h"

namespace zarr::test {

// The store under test. Put() stores values even if the store itself is read-only.
class StoreUnderTest {
  public:
    virtual ~StoreUnderTest() = default;

    // Stores a whole value where the store under test reads it. Metadata keys must be put before
    // the first call of store(). Other threads may read at the same time.
    virtual void Put(const std::string& key, std::string_view value) = 0;

    // Returns the store under test. The StoreUnderTest owns it, and each call returns the same
    // store.
    virtual const Store& store() = 0;
    // Returns the store under test for writing, or nullptr if it is read-only.
    virtual Store* writable() { return nullptr; }

    // True if List() shows chunks. Stores with consolidated metadata list metadata documents only.
    virtual bool lists_chunks() const { return true; }
};

using StoreMaker = std::unique_ptr<StoreUnderTest> (*)();

class StoreContract : public testing::TestWithParam<StoreMaker> {
  protected:
    std::unique_ptr<StoreUnderTest> under_test_ = GetParam()();
};

}  // namespace zarr::test
