// SPDX-License-Identifier: MIT
// Tests of the lock of a store: over threads, over processes that end normally or are killed, by
// flock(2) and by a lock file.
// The tests need fork().
#ifndef _WIN32

#include "core/store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/forks.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/store/lock_file.h"

namespace zarr::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLong{600};  // no test waits so long, unless it fails

// A pipe over which processes tell each other how far they are.
class Pipe {
  public:
    Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
    ~Pipe() {
        for (const int end : ends_) ::close(end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void Send(char what) const { EXPECT_EQ(::write(ends_[1], &what, 1), 1); }
    char Receive() const {
        char what = 0;
        EXPECT_EQ(::read(ends_[0], &what, 1), 1);
        return what;
    }

  private:
    std::array<int, 2> ends_{-1, -1};
};

// A child process that runs `body` and ends. The destructor kills a child that runs.
class Child {
  public:
    explicit Child(const std::function<void()>& body) : process_(::fork()) {
        if (process_ != 0) return;
        body();
        ::_exit(0);
    }
    ~Child() { Kill(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    void Kill() {
        if (process_ > 0) ::kill(process_, SIGKILL);
        Wait();
    }
    // Returns the process's exit code, or -1 if it was killed.
    int Wait() {
        int status = 0;
        if (process_ > 0) ::waitpid(process_, &status, 0);
        process_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t process_;
};

[[noreturn]] void SleepForever() {
    for (;;) ::pause();
}

class StoreLockOf : public testing::TestWithParam<LockMeans> {
  protected:
    StoreLockOf() { fs::create_directory(store_); }
    // The holder of a lock file starts a thread, which ThreadSanitizer forbids in a forked child.
    void SetUp() override {
        if (GetParam() == LockMeans::kLockFile) SKIP_WITH_THREAD_SANITIZER();
    }

    Result<StoreLock> Take(milliseconds limit = kLong) const { return Take(store_, limit); }
    static Result<StoreLock> Take(const fs::path& store, milliseconds limit) {
        return StoreLock::Take({store.string(), ""}, {limit, GetParam()});
    }
    // True if another process can take the lock now.
    bool IsFreeForOthers() const {
        Child other([&] {
            const bool is_free = Take(milliseconds(0)).ok();
            ::_exit(is_free ? 0 : 1);
        });
        return other.Wait() == 0;
    }
    // True if nothing but the store exists in its parent folder, and nothing in the store.
    bool HasNoFiles() const {
        return fs::is_empty(store_) &&
               std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()) == 1;
    }

    const TempFolder folder_;
    const fs::path store_ = folder_.path() / "x.zarr";
};

INSTANTIATE_TEST_SUITE_P(ByAllMeans, StoreLockOf,
                         testing::Values(LockMeans::kAuto, LockMeans::kFlock,
                                         LockMeans::kLockFile));

TEST_P(StoreLockOf, ExcludesOtherProcessesUntilItEnds) {
    {
        const auto lock = Take();
        ASSERT_TRUE(Succeeds(lock));
        EXPECT_FALSE(IsFreeForOthers());
    }
    EXPECT_TRUE(IsFreeForOthers());
    EXPECT_TRUE(HasNoFiles());
}

TEST_P(StoreLockOf, IsTakenAgainByItsOwnThread) {
    auto first = Take();
    ASSERT_TRUE(Succeeds(first));
    {
        const auto second = Take(milliseconds(0));
        ASSERT_TRUE(Succeeds(second));
    }
    EXPECT_FALSE(IsFreeForOthers());
    EXPECT_TRUE(StoreLock::IsHeldByThisThread({store_.string(), ""}));
    first->Release();
    EXPECT_FALSE(StoreLock::IsHeldByThisThread({store_.string(), ""}));
    EXPECT_TRUE(IsFreeForOthers());
}

TEST_P(StoreLockOf, MakesOtherThreadsWait) {
    constexpr int kThreads = 8;
    constexpr int kRounds = 20;
    int count = 0;  // ThreadSanitizer would see two threads that have the lock
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < kRounds; ++round) {
                const auto lock = Take();
                if (lock.ok())
                    ++count;
                else
                    ++failures;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(count, kThreads * kRounds);
}

TEST_P(StoreLockOf, SaysWhoHoldsItWhenTheTimeIsOver) {
    const auto lock = Take();
    ASSERT_TRUE(Succeeds(lock));
    auto of_thread = std::async(std::launch::async, [&] { return Take(milliseconds(5)).status(); });
    EXPECT_TRUE(Fails(of_thread.get(), StatusCode::kIo,
                      "another writer is changing the store (another thread of this process); "
                      "waited 0.005 s, set LOCK_TIMEOUT"));
    const pid_t own = ::getpid();
    Child other([&] {
        const std::string message = Take(milliseconds(5)).status().message();
        const std::string holder = "process " + std::to_string(own);
        ::_exit(message.find(holder) != std::string::npos ? 0 : 1);
    });
    const bool is_known = GetParam() == LockMeans::kLockFile || fs::exists("/proc/locks");
    EXPECT_EQ(other.Wait(), is_known ? 0 : 1);
}

TEST_P(StoreLockOf, PassesOnFromAKilledProcess) {
    const Pipe told;
    Child owner([&] {
        const auto lock = Take();
        told.Send(lock.ok() ? 'y' : 'n');
        SleepForever();
    });
    EXPECT_EQ(told.Receive(), 'y');
    EXPECT_FALSE(IsFreeForOthers());
    owner.Kill();
    EXPECT_TRUE(Succeeds(Take()));
    EXPECT_TRUE(HasNoFiles());
}

TEST_P(StoreLockOf, IsNotHeldByAForkedChild) {
    const Pipe told;
    const Pipe grandchild;
    Child owner([&] {
        const auto lock = Take();
        if (::fork() == 0) {
            // The child may wait for the lock, but has none to release.
            told.Send(Take(milliseconds(5)).ok() ? 'n' : 'y');
            told.Send(StoreLock::IsHeldByThisThread({store_.string(), ""}) ? 'n' : 'y');
            grandchild.Receive();
            ::_exit(0);
        }
        SleepForever();
    });
    EXPECT_EQ(told.Receive(), 'y');
    EXPECT_EQ(told.Receive(), 'y');
    EXPECT_FALSE(IsFreeForOthers());
    owner.Kill();
    EXPECT_TRUE(IsFreeForOthers());
    grandchild.Send('e');
}

TEST_P(StoreLockOf, StaysWithTheParentWhenAChildEnds) {
    const auto lock = Take();
    ASSERT_TRUE(Succeeds(lock));
    Child child([&] { static_cast<void>(const_cast<Result<StoreLock>&>(lock)->Release()); });
    child.Wait();
    EXPECT_FALSE(IsFreeForOthers());
}

TEST_P(StoreLockOf, IsTheSameThroughALink) {
    const fs::path link = folder_.path() / "link";
    fs::create_directory_symlink(store_, link);
    const auto lock = Take(link, kLong);
    ASSERT_TRUE(Succeeds(lock));
    EXPECT_FALSE(IsFreeForOthers());
    EXPECT_TRUE(StoreLock::IsHeldByThisThread({store_.string(), ""}));
}

TEST_P(StoreLockOf, CanLockAFile) {
    const fs::path zip = folder_.path() / "x.zarr.zip";
    std::ofstream(zip) << "PK";
    const auto lock = Take(zip, kLong);
    ASSERT_TRUE(Succeeds(lock));
    Child other([&] { ::_exit(Take(zip, milliseconds(0)).ok() ? 0 : 1); });
    EXPECT_EQ(other.Wait(), 1);
    EXPECT_TRUE(IsFreeForOthers()) << "of another store";
}

TEST_P(StoreLockOf, NeedsAStore) {
    EXPECT_TRUE(Fails(Take(folder_.path() / "none", kLong), StatusCode::kNotFound,
                      "the store does not exist"));
}

TEST(StoreLock, OfAStoreThatIsNoFileExcludesThreads) {
    const LockTarget memory{"", "/vsimem/x.zarr"};
    const auto lock = StoreLock::Take(memory);
    ASSERT_TRUE(Succeeds(lock));
    EXPECT_TRUE(Succeeds(StoreLock::Take(memory, {milliseconds(0), LockMeans::kAuto})));
    std::thread([&] {
        EXPECT_FALSE(StoreLock::Take(memory, {milliseconds(0), LockMeans::kAuto}).ok());
        EXPECT_TRUE(StoreLock::Take({"", "other"}, {milliseconds(0), LockMeans::kAuto}).ok());
    }).join();
}

#if defined(__linux__)

// Waits until `count` processes wait for the lock of `store`.
void WaitForQueue(const fs::path& store, std::size_t count) {
    struct stat file = {};
    ASSERT_EQ(::stat(store.c_str(), &file), 0);
    const std::string number = ":" + std::to_string(file.st_ino) + " ";
    for (std::size_t found = 0; found != count;) {
        found = 0;
        std::ifstream locks("/proc/locks");
        for (std::string line; std::getline(locks, line);)
            if (line.find("OFDLCK") != std::string::npos && line.find(number) != std::string::npos)
                ++found;
        std::this_thread::sleep_for(milliseconds(1));
    }
}

TEST(StoreLock, IsTakenInTheOrderOfArrival) {
    const TempFolder folder;
    const LockTarget store{folder.path().string(), ""};
    constexpr std::size_t kWriters = 10;
    const Pipe order;
    std::vector<std::unique_ptr<Child>> writers;
    auto lock = StoreLock::Take(store);
    ASSERT_TRUE(Succeeds(lock));
    for (std::size_t i = 0; i < kWriters; ++i) {
        writers.push_back(std::make_unique<Child>([&] {
            const auto own = StoreLock::Take(store, {kLong, LockMeans::kFlock});
            order.Send(static_cast<char>('0' + i));
        }));
        WaitForQueue(folder.path(), i + 1);
    }
    writers[4]->Kill();  // whoever gives up does not stop the others
    WaitForQueue(folder.path(), kWriters - 1);
    lock->Release();
    std::string seen;
    for (std::size_t i = 0; i < kWriters - 1; ++i) seen += order.Receive();
    EXPECT_EQ(seen, "012356789");
}

TEST(StoreLock, IsThatOfTheStoreThatReplacedTheLockedOne) {
    const TempFolder folder;
    const fs::path store = folder.path() / "x.zarr";
    const LockTarget target{store.string(), ""};
    fs::create_directory(store);
    const Pipe told;
    auto lock = StoreLock::Take(target);
    ASSERT_TRUE(Succeeds(lock));
    const Child other([&] {
        const auto own = StoreLock::Take(target, {kLong, LockMeans::kFlock});
        told.Send(own.ok() ? 'y' : 'n');
        SleepForever();
    });
    WaitForQueue(store, 1);
    fs::rename(store, folder.path() / "old");
    fs::create_directory(store);
    lock->Release();
    EXPECT_EQ(told.Receive(), 'y');
    EXPECT_FALSE(StoreLock::Take(target, {milliseconds(0), LockMeans::kFlock}).ok());
    EXPECT_TRUE(StoreLock::Take({(folder.path() / "old").string(), ""}).ok());
}

#endif

// Writes the lock file of `store`, as a process on another machine would have done `age` ago.
fs::path WriteForeignLock(const fs::path& store, seconds age, const std::string& text) {
    const fs::path file = LockFile::PathFor(store.string());
    std::ofstream(file) << text;
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
    return file;
}

constexpr const char* kElsewhere = "elsewhere\nboot pid:[1]\n1\n77\n";

TEST(LockFile, OfAnotherMachineIsTakenOverByAge) {
    const TempFolder folder;
    const LockTarget store{folder.path().string(), ""};
    const LockWait now{milliseconds(0), LockMeans::kLockFile};
    for (const char* text : {kElsewhere, "", "elsewhere\n"}) {
        const fs::path file = WriteForeignLock(folder.path(), seconds(30), text);
        const auto refused = StoreLock::Take(store, now);
        ASSERT_FALSE(refused.ok()) << text;
        EXPECT_NE(refused.status().message().find(text == kElsewhere ? "process 1 on host elsewhere"
                                                                     : file.string()),
                  std::string::npos)
            << refused.status().message();
        WriteForeignLock(folder.path(), seconds(3600), text);
        {
            const auto lock = StoreLock::Take(store, now);
            ASSERT_TRUE(Succeeds(lock)) << text;
            std::ifstream owner(file);
            std::string host;
            std::getline(owner, host);
            EXPECT_NE(host, "elsewhere");
        }
        EXPECT_FALSE(fs::exists(file));
    }
}

// Several writers meet the lock file of a process that was killed. One of them gets the lock, then
// the next.
TEST(LockFile, IsTakenOverByOneWriter) {
    const TempFolder folder;
    LockOwner ended = LockOwner::This();
    ended.start += "0";
    std::atomic<int> holders{0};
    std::atomic<bool> is_shared{false};
    constexpr int kRounds = 300;
    for (int round = 0; round < kRounds && !is_shared; ++round) {
        WriteForeignLock(folder.path(), seconds(0), ended.Text());
        std::vector<std::thread> writers;
        for (int i = 0; i < 4; ++i)
            writers.emplace_back([&] {
                LockFile lock(folder.path().string());
                for (;;) {
                    const auto is_taken = lock.Try();
                    if (!is_taken.ok()) ADD_FAILURE() << is_taken.status().message();
                    if (!is_taken.ok() || *is_taken) break;
                    std::this_thread::yield();
                }
                if (++holders != 1) is_shared = true;
                std::this_thread::yield();
                --holders;
            });
        for (std::thread& writer : writers) writer.join();
    }
    EXPECT_FALSE(is_shared);
    EXPECT_FALSE(fs::exists(LockFile::PathFor(folder.path().string())));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(LockFile, IsInTheStoreIfItsParentIsReadOnly) {
    const TempFolder folder;
    const fs::path parent = folder.path() / "parent";
    const fs::path store = parent / "x.zarr";
    fs::create_directories(store);
    EXPECT_EQ(LockFile::PathFor(store.string()), fs::canonical(store).string() + ".lock");
    const std::string inside = fs::canonical(store).string() + "/.lock";
    fs::permissions(folder.path(), fs::perms::all);
    fs::permissions(parent, static_cast<fs::perms>(0555));
    Child unprivileged([&] {
        if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
        ::_exit(LockFile::PathFor(store.string()) == inside ? 0 : 1);
    });
    EXPECT_EQ(unprivileged.Wait(), 0);
    fs::permissions(parent, fs::perms::owner_all);
}

}  // namespace
}  // namespace zarr::test

#endif
