// SPDX-License-Identifier: MIT
// Tests of what every system must do alike with local files.
#include "core/base/files.h"

#include <cerrno>
#include <set>

#include "autotest/cpp/support/temp_folder.h"

namespace zarr::test {
namespace {

class Files : public testing::Test {
  protected:
    std::string In(const std::string& name) const {
        return folder_.path().generic_u8string() + "/" + name;
    }
    static void Put(const std::string& path, std::string_view text) {
        const int file = OpenDescriptor(path, OpenAs::kNew);
        ASSERT_GE(file, 0) << path << ": errno " << errno;
        EXPECT_EQ(WriteDescriptor(file, {ByteSpan(text.substr(0, 1)), ByteSpan(text.substr(1))}),
                  0);
        EXPECT_EQ(CloseDescriptor(file), 0);
    }
    // Returns the contents of an open file.
    static std::string Get(int file) {
        std::string text(static_cast<std::size_t>(StateOf(file)->size), '\0');
        EXPECT_EQ(
            ReadDescriptor(file, 0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}),
            0);
        return text;
    }
    static std::string Get(const std::string& path) {
        const int file = OpenDescriptor(path, OpenAs::kRead);
        EXPECT_GE(file, 0) << path << ": errno " << errno;
        if (file < 0) return {};
        std::string text = Get(file);
        EXPECT_EQ(CloseDescriptor(file), 0);
        return text;
    }
    std::set<std::string> Names() const {
        std::set<std::string> names;
        EXPECT_EQ(VisitFolder(In(""),
                              [&](const std::string& name, EntryType /*type*/) {
                                  names.insert(name);
                                  return true;
                              }),
                  0);
        return names;
    }

    const TempFolder folder_;
};

TEST_F(Files, AreReadAndWrittenAtAnyOffset) {
    Put(In("a"), "0123456789");
    EXPECT_EQ(Get(In("a")), "0123456789");
    const int file = OpenDescriptor(In("a"), OpenAs::kUpdate);
    ASSERT_GE(file, 0);
    EXPECT_EQ(WriteDescriptorAt(file, 3, ByteSpan(std::string_view("abc"))), 0);
    EXPECT_EQ(WriteDescriptorAt(file, 12, ByteSpan(std::string_view("end"))), 0);
    std::uint8_t two[2] = {};
    EXPECT_EQ(ReadDescriptor(file, 5, {two, 2}), 0);
    EXPECT_EQ(two[0], 'c');
    EXPECT_EQ(two[1], '6');
    EXPECT_EQ(ReadDescriptor(file, 14, {two, 2}), EIO) << "beyond the end";
    EXPECT_EQ(ResizeDescriptor(file, 4), 0);
    EXPECT_EQ(Get(file), "012a");
    EXPECT_EQ(CloseDescriptor(file), 0);
}

TEST_F(Files, AreCreatedOnce) {
    Put(In("a"), "first");
    EXPECT_EQ(OpenDescriptor(In("a"), OpenAs::kNew), -1);
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(OpenDescriptor(In("b"), OpenAs::kUpdate), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(OpenDescriptor(In("no/b"), OpenAs::kUpdateOrCreate), -1);
    EXPECT_EQ(errno, ENOENT);
    const int file = OpenDescriptor(In("b"), OpenAs::kUpdateOrCreate);
    EXPECT_GE(file, 0);
    EXPECT_EQ(CloseDescriptor(file), 0);
    EXPECT_EQ(Names(), (std::set<std::string>{"a", "b"}));
}

TEST_F(Files, AreReplacedWhileTheyAreRead) {
    Put(In("old"), "old");
    Put(In("new"), "new");
    const int reader = OpenDescriptor(In("old"), OpenAs::kRead);
    ASSERT_GE(reader, 0);
    EXPECT_EQ(RenamePath(In("new"), In("old")), 0);
    EXPECT_EQ(Get(reader), "old") << "the reader keeps its file";
    EXPECT_EQ(Get(In("old")), "new");
    EXPECT_FALSE(StateOf(reader)->IsSameFile(*StateAt(In("old"))));
    EXPECT_EQ(CloseDescriptor(reader), 0);
    EXPECT_EQ(Names(), std::set<std::string>{"old"});
    EXPECT_EQ(RenamePath(In("absent"), In("old")), ENOENT);
}

TEST_F(Files, AreRemovedWhileTheyAreRead) {
    Put(In("a"), "text");
    const int reader = OpenDescriptor(In("a"), OpenAs::kRead);
    ASSERT_GE(reader, 0);
    EXPECT_FALSE(StateOf(reader)->is_deleted);
    EXPECT_EQ(RemoveFile(In("a")), 0);
    EXPECT_TRUE(StateOf(reader)->is_deleted);
    EXPECT_EQ(Get(reader), "text");
    EXPECT_EQ(CloseDescriptor(reader), 0);
    EXPECT_EQ(RemoveFile(In("a")), ENOENT);
    EXPECT_FALSE(StateAt(In("a")));
    Put(In("a"), "next");
}

TEST_F(Files, HaveNamesInUtf8) {
    const std::string name = "\xC3\xA4\xE6\xB0\xB4\xF0\x9F\x8C\x8D";
    Put(In(name), "text");
    EXPECT_EQ(Names(), std::set<std::string>{name});
    EXPECT_EQ(Get(In(name)), "text");
    EXPECT_EQ(MakeFolder(In("f" + name)), 0);
    EXPECT_EQ(RenamePath(In(name), In("f" + name + "/" + name)), 0);
    EXPECT_EQ(RealPath(In("f" + name + "/../f" + name + "/" + name)),
              RealPath(In("")) + "/f" + name + "/" + name);
}

TEST_F(Files, HaveLongPaths) {
    std::string folder = In("d");
    for (int i = 0; i < 5; ++i, folder += "/" + std::string(100, 'd'))
        EXPECT_EQ(MakeFolder(folder), 0);
    EXPECT_EQ(MakeFolder(folder), 0);
    EXPECT_EQ(MakeFolder(folder), EEXIST);
    Put(folder + "/a", "text");
    EXPECT_EQ(RenamePath(folder + "/a", folder + "/b"), 0);
    EXPECT_EQ(Get(folder + "/b"), "text");
    EXPECT_EQ(RealPath(folder + "/b"), RealPath(folder) + "/b");
    EXPECT_EQ(RemoveFile(folder + "/b"), 0);
}

TEST_F(Files, HaveAState) {
    Put(In("a"), "text");
    const auto file = StateAt(In("a"));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->type, FileType::kFile);
    EXPECT_EQ(file->size, 4U);
    constexpr std::int64_t kYear2020 = 1'577'836'800'000'000'000;
    EXPECT_GT(file->modified, kYear2020);
    EXPECT_EQ(StateAt(In(""))->type, FileType::kFolder);
    EXPECT_FALSE(StateAt(In("b")));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(RemoveFile(In("b")), ENOENT);
    EXPECT_EQ(MakeFolder(In("f")), 0);
    EXPECT_NE(RemoveFile(In("f")), 0);
    EXPECT_EQ(StateAt(In("f"))->type, FileType::kFolder) << "is not removed";
    EXPECT_EQ(CheckWritableFolder(In("f")), 0);
    EXPECT_EQ(CheckWritableFolder(In("g")), ENOENT);
    EXPECT_EQ(RealPath(In("g")), "");
    EXPECT_EQ(VisitFolder(In("g"), [](const std::string&, EntryType) { return true; }), ENOENT);
    EXPECT_TRUE(IsOwnFileOrOfOwnerOf(In("a"), In("f")));
    EXPECT_FALSE(IsOwnFileOrOfOwnerOf(In("f"), In("f"))) << "a folder";
}

TEST_F(Files, AreOpenedAsFoldersForReadingOnly) {
    EXPECT_EQ(OpenDescriptor(In(""), OpenAs::kUpdate), -1);
    const int folder = OpenDescriptor(In(""), OpenAs::kRead);
    ASSERT_GE(folder, 0);
    EXPECT_EQ(StateOf(folder)->type, FileType::kFolder);
    EXPECT_TRUE(StateOf(folder)->IsSameFile(*StateAt(In("."))));
    EXPECT_EQ(CloseDescriptor(folder), 0);
}

TEST_F(Files, FoldersHaveAnIdentity) {
    EXPECT_EQ(MakeFolder(In("a")), 0);
    EXPECT_EQ(MakeFolder(In("b")), 0);
    const std::string identity = FolderIdentity(In("a"));
    EXPECT_NE(identity, "");
    EXPECT_NE(identity, FolderIdentity(In("b")));
    EXPECT_EQ(RenamePath(In("a"), In("c")), 0);
    EXPECT_EQ(identity, FolderIdentity(In("c")));
    EXPECT_EQ(FolderIdentity(In("a")), "");
}

TEST_F(Files, AreTouched) {
    Put(In("a"), "text");
    const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(folder_.path() / "a", old);
    const std::int64_t before = StateAt(In("a"))->modified;
    const int file = OpenDescriptor(In("a"), OpenAs::kUpdate);
    ASSERT_GE(file, 0);
    EXPECT_EQ(TouchDescriptor(file), 0);
    EXPECT_GT(StateOf(file)->modified, before);
    EXPECT_EQ(CloseDescriptor(file), 0);
}

TEST_F(Files, AreLockedByOneOpenFile) {
    Put(In("a"), "text");
    const int one = OpenDescriptor(In("a"), OpenAs::kRead);
    const int other = OpenDescriptor(In("a"), OpenAs::kUpdateNoLink);
    ASSERT_GE(one, 0);
    ASSERT_GE(other, 0);
    EXPECT_EQ(TryLock(one), Locking::kTaken);
    EXPECT_EQ(TryLock(other), Locking::kHeldByOther);
    EXPECT_EQ(TryShareLock(other), Locking::kHeldByOther);
    EXPECT_EQ(Get(other), "text") << "locks exclude no reads";
    EXPECT_EQ(WriteDescriptorAt(other, 0, ByteSpan(std::string_view("T"))), 0);
    Unlock(one);
    EXPECT_EQ(TryShareLock(other), Locking::kTaken);
    const int second = DuplicateDescriptor(other);
    EXPECT_EQ(CloseDescriptor(other), 0);
    EXPECT_EQ(TryLock(one), Locking::kHeldByOther) << "the duplicate keeps the lock";
    EXPECT_EQ(TryShareLock(one), Locking::kTaken);
    Unlock(one);
    EXPECT_EQ(CloseDescriptor(second), 0);
    EXPECT_EQ(TryLock(one), Locking::kTaken);
    EXPECT_EQ(CloseDescriptor(one), 0);
}

TEST_F(Files, WaitForTheLockOfAWholeFile) {
    const int file = OpenDescriptor(In("a"), OpenAs::kUpdateOrCreate);
    ASSERT_GE(file, 0);
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(LockWholeFile(file), 0);
        EXPECT_EQ(UnlockWholeFile(file), 0);
    }
    EXPECT_EQ(CloseDescriptor(file), 0);
}

}  // namespace
}  // namespace zarr::test
