// SPDX-License-Identifier: MIT
#include "core/hierarchy/attribute_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/json/value.h"

namespace zarr::test {
namespace {

json::Value Int(std::int64_t value) { return json::Value(value); }

TEST(AttributeChangesTest, AValueThatReturnsIsNoChange) {
    AttributeChanges changes;
    AddChange(changes, {"a", Int(1), Int(2)});
    AddChange(changes, {"n", std::nullopt, json::Value("x")});
    AddChange(changes, {"r", json::Value("y"), std::nullopt});
    EXPECT_EQ(changes.size(), 3U);
    AddChange(changes, {"a", Int(2), Int(1)});
    AddChange(changes, {"n", json::Value("x"), std::nullopt});
    AddChange(changes, {"r", std::nullopt, json::Value("y")});
    EXPECT_TRUE(changes.empty());
}

TEST(AttributeChangesTest, ANumberOfAnotherTypeIsAChange) {
    AttributeChanges changes;
    AddChange(changes, {"a", Int(1), Int(2)});
    AddChange(changes, {"a", Int(2), json::Value(1.0)});
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(json::Dump(*changes[0].after), json::Dump(json::Value(1.0)));
}

TEST(AttributeChangesTest, AnUnknownValueBeforeIsReplaced) {
    AttributeChanges changes;
    AddChange(changes, {"a", std::nullopt, Int(1)});
    AddChange(changes, {"a", std::nullopt, std::nullopt});
    ASSERT_EQ(changes.size(), 1U);
    json::Object stored{{"a", Int(3)}};
    ApplyChanges(changes, {}, stored);
    EXPECT_TRUE(stored.empty());
}

TEST(AttributeChangesTest, SameAttributes) {
    EXPECT_TRUE(IsSameAttribute(std::nullopt, std::nullopt));
    EXPECT_TRUE(IsSameAttribute(json::Value("x"), json::Value("x")));
    EXPECT_FALSE(IsSameAttribute(std::nullopt, json::Value("x")));
    EXPECT_FALSE(IsSameAttribute(json::Value("x"), std::nullopt));
    EXPECT_FALSE(IsSameAttribute(Int(1), json::Value(1.0)));
    EXPECT_FALSE(IsSameAttribute(json::Value(0.0), json::Value(-0.0)));
    EXPECT_TRUE(IsSameAttribute(json::Value(std::nan("")), json::Value(std::nan(""))));
}

}  // namespace
}  // namespace zarr::test
