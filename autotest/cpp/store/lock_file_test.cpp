// SPDX-License-Identifier: MIT
// Tests of lock files within one process, on every system. store_lock_test.cpp has those with
// several processes.
#include "core/store/lock_file.h"

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/base/files.h"
#include "core/store/synchronizer.h"

namespace zarr::test {
namespace {

class LockFiles : public testing::Test {
  protected:
    LockFiles() { EXPECT_EQ(MakeFolder(store_), 0); }
    bool Exists() const { return StateAt(lock_).has_value(); }
    // Writes the lock file as `owner` would have done.
    void LeaveBehind(const LockOwner& owner) const {
        const int file = OpenDescriptor(lock_, OpenAs::kNew);
        ASSERT_GE(file, 0);
        EXPECT_EQ(WriteDescriptor(file, {ByteSpan(owner.Text())}), 0);
        EXPECT_EQ(CloseDescriptor(file), 0);
    }

    const TempFolder folder_;
    const std::string store_ = RealPath(folder_.path().generic_u8string()) + "/a.zarr";
    const std::string lock_ = store_ + ".lock";
};

TEST_F(LockFiles, LieBesideTheStore) {
    EXPECT_EQ(LockFile::PathFor(store_), lock_);
    EXPECT_EQ(LockFile::PathFor(store_ + "/../a.zarr"), lock_);
}

TEST_F(LockFiles, HaveOneOwner) {
    LockFile other(store_);
    {
        LockFile own(store_);
        EXPECT_TRUE(*own.Try());
        EXPECT_TRUE(Exists());
        EXPECT_FALSE(*other.Try());
        EXPECT_EQ(other.Holder(), LockOwner::This().Name() + ", " + lock_);
    }
    EXPECT_FALSE(Exists());
    EXPECT_TRUE(*other.Try());
}

TEST_F(LockFiles, OfProcessesThatHaveEndedAreTakenOver) {
    LockOwner ended = LockOwner::This();
    ended.process = "2147483647";
    LeaveBehind(ended);
    LockFile own(store_);
    LockFile other(store_);
    EXPECT_TRUE(*own.Try());
    EXPECT_EQ(other.Holder(), LockOwner::This().Name() + ", " + lock_);
    EXPECT_FALSE(*other.Try());
}

TEST_F(LockFiles, OfOtherMachinesAreRespected) {
    LockOwner elsewhere = LockOwner::This();
    elsewhere.host = "elsewhere";
    LeaveBehind(elsewhere);
    EXPECT_FALSE(*LockFile(store_).Try());
    EXPECT_TRUE(Exists());
}

TEST_F(LockFiles, OfAFolderAreTakenAgainAndAgain) {
    const std::string folder = folder_.path().generic_u8string() + "/locks";
    const auto locks = OpenProcessSynchronizer(folder);
    ASSERT_TRUE(Succeeds(locks));
    EXPECT_EQ(*(*locks)->AcquireIfKnown("a/0"), nullptr);
    for (int round = 0; round < 3; ++round) {
        const auto lock = (*locks)->Acquire("a/0");
        ASSERT_TRUE(Succeeds(lock));
        EXPECT_TRUE(StateAt(folder + "/a/0"));
    }
    EXPECT_TRUE(Fails(OpenProcessSynchronizer(folder + "/a/0"), StatusCode::kIo,
                      "cannot create the folder of lock files"));
}

}  // namespace
}  // namespace zarr::test
