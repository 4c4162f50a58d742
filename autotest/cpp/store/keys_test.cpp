// SPDX-License-Identifier: MIT
#include "core/store/keys.h"

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Fails;

TEST(Keys, NormalizesAsTheSpecificationSays) {
    const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                         {"/", ""},
                                                         {"a", "a"},
                                                         {"/a/b/", "a/b"},
                                                         {"a\\b", "a/b"},
                                                         {"//a///b", "a/b"},
                                                         {"\\a\\\\b/", "a/b"},
                                                         {".zgroup", ".zgroup"},
                                                         {"a/...", "a/..."},
                                                         {"a b/c", "a b/c"},
                                                         {"..a/b..", "..a/b.."}};
    for (const auto& [path, normal] : cases) EXPECT_EQ(*NormalizePath(path), normal) << path;
}

TEST(Keys, RefusesPathsThatLeaveTheirGroup) {
    for (const char* path : {".", "..", "a/..", "../a", "a/../b", "a\\..\\b", "./a", "a/./b"})
        EXPECT_TRUE(Fails(NormalizePath(path), StatusCode::kInvalidArgument, "segment")) << path;
    EXPECT_TRUE(
        Fails(NormalizePath(std::string_view("a\0b", 3)), StatusCode::kInvalidArgument, "NUL"));
}

TEST(Keys, RecognisesValidKeys) {
    const std::string longest(kMaxKeyLength, 'k');
    for (const std::string& key : {std::string("0"), std::string("a/b.c/0.0"), longest})
        EXPECT_TRUE(IsValidKey(key));
    for (const std::string& key :
         {std::string(), longest + "k", std::string("/a"), std::string("a/"), std::string("a//b"),
          std::string("a\\b"), std::string("a/.."), std::string(1, '\0')})
        EXPECT_FALSE(IsValidKey(key));
}

TEST(Keys, JoinsAndSplits) {
    EXPECT_EQ(JoinKey("", ".zgroup"), ".zgroup");
    EXPECT_EQ(JoinKey("a/b", "0"), "a/b/0");
    EXPECT_EQ(ParentPath("a/b/c"), "a/b");
    EXPECT_EQ(ParentPath("a"), "");
    EXPECT_EQ(ParentPath(""), "");
    EXPECT_EQ(LastName("a/b/c"), "c");
    EXPECT_EQ(LastName("a"), "a");
    EXPECT_EQ(LastName(""), "");
}

}  // namespace
}  // namespace zarr
