// SPDX-License-Identifier: MIT
#include "core/store/staging.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/temp_folder.h"

namespace zarr::test {
namespace {

namespace fs = std::filesystem;

const std::string kTail = ".7a617272" + std::string(24, '0') + ".partial";

TEST(StagingNames, AreUnusedAndOfTheFinalName) {
    const std::string name = StagingName("/a/x.zarr");
    EXPECT_NE(name, StagingName("/a/x.zarr"));
    EXPECT_EQ(FinalName(name), "/a/x.zarr");
    EXPECT_EQ(FinalName(StagingName(name)), "/a/x.zarr");
    EXPECT_EQ(name.size(), StagingName(name).size());
}

TEST(StagingNames, AreReplacedInMessages) {
    EXPECT_EQ(FinalName("x.zarr" + kTail + ": /a"), "x.zarr: /a");
    EXPECT_EQ(FinalName("x.zarr" + kTail + "/a/0"), "x.zarr/a/0");
    EXPECT_EQ(FinalName("/vsizip/{/a/x.zip" + kTail + "}/g"), "/vsizip//a/x.zip/g");
    for (const char* other : {"x.partial", "x.0.partial", "x.zarr", "", ".partial",
                              "x.00000000000000000000000000000000.partial"})
        EXPECT_EQ(FinalName(other), other);
    EXPECT_EQ(FinalName("x" + kTail + "x"), "x" + kTail + "x");
}

class AbandonedNames : public testing::Test {
  protected:
    void Make(const std::string& name) const { std::ofstream(folder_.path() / name) << "x"; }
    std::set<std::string> Visited(const std::string& name) const {
        std::set<std::string> names;
        VisitAbandoned(folder_.path().string(), name, [&](const std::string& path, PathLock&) {
            names.insert(fs::path(path).filename().string());
        });
        return names;
    }
    const TempFolder folder_;
};

TEST_F(AbandonedNames, AreThoseOfOneNameOrOfAll) {
    for (const std::string& name : {"x" + kTail, "y.x" + kTail, "x.y" + kTail, kTail,
                                    std::string("x.partial"), std::string("x")})
        Make(name);
    fs::create_directory(folder_.path() / ("x.zarr" + kTail));
    EXPECT_EQ(Visited("x"), (std::set<std::string>{"x" + kTail}));
    EXPECT_EQ(Visited("x.zarr"), (std::set<std::string>{"x.zarr" + kTail}));
    EXPECT_EQ(Visited(""),
              (std::set<std::string>{"x" + kTail, "y.x" + kTail, "x.y" + kTail, "x.zarr" + kTail}));
}

// Files of users may have such names, and so had unfinished stores of version 0.1.
TEST_F(AbandonedNames, AreNotOfOtherPrograms) {
    for (const char* name : {"x.zarr.0.partial", "x.zarr.32.partial", "x.zarr.partial"})
        fs::create_directory(folder_.path() / name);
    EXPECT_TRUE(Visited("x.zarr").empty());
    EXPECT_TRUE(Visited("").empty());
}

TEST_F(AbandonedNames, AreNotLocked) {
    const std::string path = (folder_.path() / ("x" + kTail)).string();
    Make("x" + kTail);
    {
        PathLock::Failure failure{};
        const auto lock = PathLock::Try(path, failure);
        EXPECT_EQ(Visited("").empty(), lock.has_value());
    }
    EXPECT_EQ(Visited("").size(), 1U);
}

TEST_F(AbandonedNames, CanBeTakenOver) {
    Make("x" + kTail);
    std::optional<PathLock> taken;
    VisitAbandoned(folder_.path().string(), "x",
                   [&](const std::string&, PathLock& lock) { taken = std::move(lock); });
    EXPECT_TRUE(taken);
    EXPECT_TRUE(Visited("x").empty());
}

TEST(ReplacedFiles, AreWhole) {
    const TempFolder folder;
    const std::string path = (folder.path() / "x").string();
    const auto text = [&] {
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const std::vector<ByteSpan> parts{ByteSpan(std::string_view("a")),
                                      ByteSpan(std::string_view("b"))};
    EXPECT_EQ(ReplaceFile(path, parts).failed, nullptr);
    EXPECT_EQ(ReplaceFile(path, {parts[0]}).failed, nullptr);
    EXPECT_EQ(text(), "a");
    EXPECT_STREQ(ReplaceFile((folder.path() / "no" / "x").string(), parts).failed, "cannot create");
    const std::string in_the_way = (folder.path() / "folder").string();
    fs::create_directories(in_the_way + "/full");
    EXPECT_STREQ(ReplaceFile(in_the_way, parts).failed, "cannot replace");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace zarr::test
