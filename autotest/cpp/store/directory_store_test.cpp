// SPDX-License-Identifier: MIT
#include "core/store/directory_store.h"

#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <fstream>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "autotest/cpp/support/temp_folder.h"

namespace zarr::test {
namespace {

namespace fs = std::filesystem;

class DirectoryUnderTest final : public StoreUnderTest {
  public:
    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(Succeeds(store_.Set(key, ByteSpan(value))));
    }
    const Store& store() override { return store_; }
    Store* writable() override { return &store_; }

  private:
    TempFolder folder_;
    DirectoryStore store_{folder_.path().string()};
};

std::unique_ptr<StoreUnderTest> MakeDirectoryStore() {
    return std::make_unique<DirectoryUnderTest>();
}

INSTANTIATE_TEST_SUITE_P(Directory, StoreContract, testing::Values(&MakeDirectoryStore));

void WriteFile(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

class Directory : public testing::Test {
  protected:
    TempFolder folder_;
    DirectoryStore store_{folder_.path().string()};
    Buffer value_;
};

TEST_F(Directory, IsNotCreatedAgainAfterDeletion) {
    const fs::path folder = folder_.path() / "a.zarr";
    fs::create_directory(folder);
    DirectoryStore store(folder.string());
    ASSERT_TRUE(Succeeds(store.Set("a/b/.zgroup", ByteSpan(std::string_view("{}")))));
    EXPECT_TRUE(fs::is_regular_file(folder / "a" / "b" / ".zgroup"));
    fs::remove_all(folder);
    EXPECT_TRUE(store.List("")->empty());
    EXPECT_FALSE(*store.Get("a/b/.zgroup", value_, kNoLimit));
    EXPECT_TRUE(
        Fails(store.Set("a/0", {}), StatusCode::kIo, "a/0: cannot create: No such file or dir"));
    EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Directory, HasOneIdentityForAllItsPaths) {
    const fs::path folder = folder_.path() / "a.zarr";
    fs::create_directory(folder);
    fs::create_directory_symlink(folder, folder_.path() / "link");
    const std::string identity = DirectoryStore(folder.string()).Identity();
    EXPECT_EQ(DirectoryStore((folder_.path() / "link").string()).Identity(), identity);
    EXPECT_EQ(DirectoryStore((folder / ".." / "a.zarr").string()).Identity(), identity);
    EXPECT_NE(store_.Identity(), identity);
}

TEST_F(Directory, RemovesEmptyFoldersAndLinksButNothingBehindThem) {
    const fs::path root = folder_.path();
    fs::create_directories(root / "empty" / "inner");
    WriteFile(root / "kept" / "key", "x");
    fs::create_directory_symlink(root / "kept", root / "link");
    fs::create_symlink(root / "kept" / "key", root / "file-link");
    EXPECT_FALSE(*store_.ErasePrefix("empty")) << "holds a folder";
    EXPECT_TRUE(*store_.ErasePrefix("empty/inner"));
    EXPECT_TRUE(*store_.ErasePrefix("empty"));
    EXPECT_TRUE(*store_.ErasePrefix("link"));
    EXPECT_FALSE(*store_.ErasePrefix("file-link")) << "a key";
    EXPECT_FALSE(*store_.ErasePrefix("kept/key"));
    EXPECT_FALSE(fs::exists(root / "empty"));
    EXPECT_FALSE(fs::exists(fs::symlink_status(root / "link")));
    EXPECT_TRUE(fs::exists(root / "kept" / "key"));
    EXPECT_TRUE(fs::exists(fs::symlink_status(root / "file-link")));
    EXPECT_TRUE(Fails(store_.ErasePrefix(".."), StatusCode::kInvalidArgument, "not a valid key"));
    EXPECT_TRUE(
        Fails(store_.RenamePrefix("kept", "../x"), StatusCode::kInvalidArgument, "not a valid"));
    EXPECT_TRUE(
        Fails(store_.RenamePrefix("../x", "kept2"), StatusCode::kInvalidArgument, "not a valid"));
}

TEST_F(Directory, RefusesToReadAFolder) {
    WriteFile(folder_.path() / "depth" / "0" / "0", "x");
    const auto message = "depth/0: cannot open: Is a directory";
    EXPECT_TRUE(Fails(store_.Get("depth/0", value_, 5), StatusCode::kIo, message));
    EXPECT_TRUE(Fails(GetInto(store_, "depth/0", {}), StatusCode::kIo, message));
    EXPECT_TRUE(Fails(GetRange(store_, "depth/0", 0, 0, value_), StatusCode::kIo, message));
    EXPECT_TRUE(Fails(store_.Set("depth/0", {}), StatusCode::kIo, "depth/0: cannot replace"));
    EXPECT_EQ(store_.List("depth")->size(), 1U) << "the failed value is cleaned up";
}

TEST_F(Directory, ReportsTheVersionOfAValue) {
    EXPECT_FALSE(store_.VersionOf("0.0").exists);
    WriteFile(folder_.path() / "0.0", "abc");
    const ObjectVersion young = store_.VersionOf("0.0");
    EXPECT_TRUE(young.exists);
    EXPECT_EQ(young.size, 3U);
    EXPECT_FALSE(young.is_certain) << "the next change may come in the same tick";
    const auto before = fs::file_time_type::clock::now() - std::chrono::minutes(1);
    fs::last_write_time(folder_.path() / "0.0", before);
    const ObjectVersion old = store_.VersionOf("0.0");
    EXPECT_TRUE(SameVersion(old, store_.VersionOf("0.0")));
    fs::last_write_time(folder_.path() / "0.0", before + std::chrono::seconds(1));
    EXPECT_FALSE(EqualButForCertainty(old, store_.VersionOf("0.0")));
    WriteFile(folder_.path() / "0.0", "abcd");
    EXPECT_EQ(store_.VersionOf("0.0").size, 4U);
    fs::create_directories(folder_.path() / "folder");
    EXPECT_FALSE(store_.VersionOf("folder").exists);
}

#ifndef _WIN32
TEST_F(Directory, WaitsForNoPipe) {
    ASSERT_EQ(mkfifo((folder_.path() / "0.0").c_str(), 0600), 0);
    EXPECT_TRUE(Fails(store_.Get("0.0", value_, kNoLimit), StatusCode::kIo, "not a regular file"));
    EXPECT_TRUE(
        Fails(GetRange(store_, "0.0", 0, 1, value_), StatusCode::kIo, "not a regular file"));
}
#endif

TEST_F(Directory, DoesNotLeaveItsFolder) {
    WriteFile(folder_.path() / "secret", "password");
    fs::create_directory(folder_.path() / "a.zarr");
    DirectoryStore inner((folder_.path() / "a.zarr").string());
    ASSERT_TRUE(Succeeds(inner.Set("depth/0", ByteSpan(std::string_view("x")))));
    using namespace std::string_literals;
    for (const std::string& key : {"../secret"s, "depth/../../secret"s, "depth/0\0.1"s}) {
        EXPECT_TRUE(Fails(inner.Get(key, value_, kNoLimit), StatusCode::kInvalidArgument));
        EXPECT_TRUE(Fails(GetInto(inner, key, {}), StatusCode::kInvalidArgument));
        EXPECT_TRUE(Fails(GetRange(inner, key, 0, 1, value_), StatusCode::kInvalidArgument));
        EXPECT_TRUE(Fails(inner.Erase(key), StatusCode::kInvalidArgument));
    }
    EXPECT_TRUE(Fails(inner.List(".."), StatusCode::kInvalidArgument));
    EXPECT_TRUE(fs::exists(folder_.path() / "secret"));
}

TEST_F(Directory, DistinguishesRefusalFromAbsence) {
    const fs::path locked = folder_.path() / "locked";
    WriteFile(locked / "0.0", "x");
    fs::permissions(locked / "0.0", fs::perms::none);
    if (std::ifstream(locked / "0.0").good()) GTEST_SKIP() << "this user may read everything";
    EXPECT_TRUE(Fails(store_.Get("locked/0.0", value_, kNoLimit), StatusCode::kPermission,
                      "locked/0.0: cannot open"));
    fs::permissions(locked, fs::perms::none);
    EXPECT_TRUE(Fails(store_.Get("locked/0.1", value_, kNoLimit), StatusCode::kPermission));
    EXPECT_TRUE(Fails(store_.List("locked"), StatusCode::kPermission, "locked: cannot list"));
    fs::permissions(locked, fs::perms::owner_all);
}

TEST_F(Directory, FollowsLinks) {
    WriteFile(folder_.path() / "elsewhere" / "0", "linked");
    fs::create_directory_symlink(folder_.path() / "elsewhere", folder_.path() / "depth");
    ASSERT_TRUE(*store_.Get("depth/0", value_, kNoLimit));
    EXPECT_EQ(TextOf(value_), "linked");
    EXPECT_TRUE((*store_.List(""))[0].is_prefix);
    fs::create_directory_symlink(folder_.path(), folder_.path() / "elsewhere" / "round");
    EXPECT_EQ(store_.List("elsewhere")->size(), 1U) << "not the folder around it";
}

// A link to a missing file must be listed, and must not count as absent. Reading it must fail.
TEST_F(Directory, ShowsDanglingLinks) {
    fs::create_symlink("nowhere", folder_.path() / "dangling");
    EXPECT_TRUE(Fails(store_.Get("dangling", value_, kNoLimit), StatusCode::kIo,
                      "dangling: exists, but cannot be opened"));
    ASSERT_EQ(store_.List("")->size(), 1U);
    EXPECT_TRUE((*store_.List(""))[0].is_prefix);
    fs::create_symlink("loop", folder_.path() / "loop");
    EXPECT_TRUE(Fails(store_.List(""), StatusCode::kIo, "loop: cannot read its file type"));
}

TEST_F(Directory, ReadsTheVersionWithTheValue) {
    WriteFile(folder_.path() / "0", "old");
    fs::last_write_time(folder_.path() / "0",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    ObjectVersion version;
    ASSERT_TRUE(*GetVersioned(store_, "0", value_, version));
    EXPECT_TRUE(version.is_certain);
    EXPECT_TRUE(SameVersion(version, store_.VersionOf("0")));
    ASSERT_TRUE(Succeeds(store_.Set("0", ByteSpan(std::string_view("new")))));
    EXPECT_FALSE(EqualButForCertainty(version, store_.VersionOf("0"))) << "another file";
}

TEST_F(Directory, RemovesWhatKilledWritersLeft) {
    const auto left = [&](const char* first) {
        return folder_.path() / ("0." + std::string(first) + std::string(24, '0') + ".partial");
    };
    for (const char* first : {"7a617272", "00000000"}) WriteFile(left(first), "half");
    const fs::path held = folder_.path() / ("1.7a617272" + std::string(24, '1') + ".partial");
    WriteFile(held, "half");
    PathLock::Failure failure{};
    const auto lock = PathLock::Try(held.string(), failure);
    ASSERT_TRUE(Succeeds(store_.Set("1", ByteSpan(std::string_view("x")))));
    EXPECT_FALSE(fs::exists(left("7a617272")));
    EXPECT_TRUE(fs::exists(left("00000000"))) << "of another program";
    EXPECT_EQ(fs::exists(held), lock.has_value());
}

TEST_F(Directory, WritesManyPartsAsOne) {
    std::string expected;
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) texts.emplace_back(i % 7, static_cast<char>('a' + i % 26));
    texts.emplace_back(std::size_t{3} << 20, 'x');
    std::vector<ByteSpan> parts;
    for (const std::string& text : texts) {
        parts.emplace_back(std::string_view(text));
        expected += text;
    }
    ASSERT_TRUE(Succeeds(store_.SetParts("0", parts)));
    ASSERT_TRUE(*store_.Get("0", value_, kNoLimit));
    EXPECT_EQ(TextOf(value_), expected);
}

// Another process may be writing the key "0.0". A write must not touch the temporary files of that
// process.
TEST_F(Directory, WritesIntoNoTemporaryFileOfOthers) {
    ASSERT_TRUE(Succeeds(store_.Set("0.0", ByteSpan(std::string_view("old")))));
    const auto theirs = [&](int i) {
        return folder_.path() / ("0.0." + std::to_string(i) + ".partial");
    };
    for (int i = 0; i < 5000; ++i) WriteFile(theirs(i), "theirs");
    ASSERT_TRUE(Succeeds(store_.Set("0.0", ByteSpan(std::string_view("ours")))));
    ASSERT_TRUE(*store_.Get("0.0", value_, kNoLimit));
    EXPECT_EQ(TextOf(value_), "ours");
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(fs::file_size(theirs(i)), 6U) << i;
}

}  // namespace
}  // namespace zarr::test
