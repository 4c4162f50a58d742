// SPDX-License-Identifier: MIT
// Tests of lock files. Other processes check whether a file is locked.
// The tests need fork().
#ifndef _WIN32

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/store/synchronizer.h"

namespace zarr::test {
namespace {

namespace fs = std::filesystem;

// Returns true if another process could lock the file as zarr-python does (write lock by fcntl).
bool IsFreeForOthers(const fs::path& file) {
    const pid_t child = ::fork();
    if (child == 0) {
        const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        ::_exit(descriptor >= 0 && ::fcntl(descriptor, F_SETLK, &lock) == 0 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

std::shared_ptr<Synchronizer> Open(const fs::path& folder) {
    auto locks = OpenProcessSynchronizer(folder.string());
    EXPECT_TRUE(Succeeds(locks));
    return locks.ok() ? locks.Take() : nullptr;
}

TEST(ProcessSynchronizer, LocksTheFileOfTheKeyAgainstOtherProcesses) {
    const TempFolder folder;
    const auto locks = Open(folder.path() / "made" / "for it");
    const fs::path file = folder.path() / "made" / "for it" / "group" / "array" / "0.1";
    for (int round = 0; round < 2; ++round) {
        const auto lock = locks->Acquire("group/array/0.1");
        ASSERT_TRUE(Succeeds(lock));
        EXPECT_TRUE(fs::is_regular_file(file));
        EXPECT_EQ(fs::file_size(file), 0);
        EXPECT_FALSE(IsFreeForOthers(file));
        EXPECT_TRUE(IsFreeForOthers(folder.path() / "made" / "for it" / "group" / "array" / "0.0"));
    }
    EXPECT_TRUE(fs::exists(file)) << "somebody may be waiting for it";
    EXPECT_TRUE(IsFreeForOthers(file));
}

TEST(ProcessSynchronizer, ALockOutlivesOtherLocksAndReadersOfItsFile) {
    const TempFolder folder;
    const auto locks = Open(folder.path());
    const auto lock = locks->Acquire("0");
    ASSERT_TRUE(Succeeds(lock));
    ASSERT_TRUE(Succeeds(locks->Acquire("1")));
    EXPECT_FALSE(IsFreeForOthers(folder.path() / "0"));
#if defined(F_OFD_SETLKW)
    // The system releases a lock of the process when the process closes the file. A lock of the
    // open file description must stay.
    std::ifstream(folder.path() / "0").get();
    EXPECT_FALSE(IsFreeForOthers(folder.path() / "0"));
#endif
}

TEST(ProcessSynchronizer, IsSharedByAllSpellingsOfAFolder) {
    const TempFolder folder;
    const auto locks = Open(folder.path() / "a");
    fs::create_directory_symlink(folder.path() / "a", folder.path() / "link");
    EXPECT_EQ(Open(folder.path() / "a" / ".." / "a" / ""), locks);
    EXPECT_EQ(Open(folder.path() / "link"), locks);
    EXPECT_NE(Open(folder.path() / "b"), locks);
}

TEST(ProcessSynchronizer, ExcludesOtherThreads) {
    const TempFolder folder;
    std::atomic<int> inside{0};
    int count = 0;  // not atomic, because only the lock guards it
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            const auto locks = Open(folder.path());
            for (int i = 0; i < 50; ++i) {
                const auto lock = locks->Acquire("a/0");
                ASSERT_TRUE(Succeeds(lock));
                EXPECT_EQ(++inside, 1);
                ++count;
                --inside;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count, 200);
}

TEST(ProcessSynchronizer, WaitsForAnotherProcess) {
    const TempFolder folder;
    int held[2];
    int let_go[2];
    ASSERT_EQ(::pipe(held), 0);
    ASSERT_EQ(::pipe(let_go), 0);
    const fs::path file = folder.path() / "0";
    const pid_t child = ::fork();
    if (child == 0) {
        const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT, 0666);
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        char byte = ::fcntl(descriptor, F_SETLK, &lock) == 0 ? 'y' : 'n';
        const bool told = ::write(held[1], &byte, 1) == 1 && ::read(let_go[0], &byte, 1) == 1;
        ::_exit(told ? 0 : 1);
    }
    char byte = 0;
    ASSERT_EQ(::read(held[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'y');
    auto waiting = std::async(std::launch::async, [&folder] {
        EXPECT_TRUE(Succeeds(Open(folder.path())->Acquire("0")));
    });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout)
        << "the lock was held by two";
    EXPECT_EQ(::write(let_go[1], &byte, 1), 1);
    waiting.get();
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    for (const int end : {held[0], held[1], let_go[0], let_go[1]}) ::close(end);
}

TEST(ProcessSynchronizer, ErrorsNameTheFile) {
    const TempFolder folder;
    const fs::path file = folder.path() / "file";
    std::ofstream(file) << "mine";
    EXPECT_TRUE(Fails(OpenProcessSynchronizer(file.string()), StatusCode::kIo, file.string()));
    EXPECT_TRUE(Fails(OpenProcessSynchronizer((file / "below").string()), StatusCode::kIo,
                      (file / "below").string()));
    const auto locks = Open(folder.path() / "locks");
    EXPECT_TRUE(Fails(locks->Acquire("../file"), StatusCode::kInvalidArgument, "../file"));
    fs::create_directories(folder.path() / "locks" / "a" / "0");
    EXPECT_TRUE(Fails(locks->Acquire("a/0"), StatusCode::kIo, "locks/a/0: cannot open"));
    fs::remove_all(folder.path() / "locks");
    EXPECT_TRUE(Succeeds(locks->Acquire("a/0"))) << "and the key is not left locked";
}

}  // namespace
}  // namespace zarr::test

#endif
