// SPDX-License-Identifier: MIT
// Locks files with fcntl(), to exclude other processes. Systems without fcntl() are not supported.
#include "core/store/synchronizer.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/base/completion.h"
#include "core/store/keys.h"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#define ZARR_HAS_FILE_LOCKS 1
#else
#define ZARR_HAS_FILE_LOCKS 0
#endif

namespace zarr {

Result<std::unique_ptr<Synchronizer::Lock>> AcquireIfAny(const std::shared_ptr<Synchronizer>& locks,
                                                         const std::string& key) {
    if (locks == nullptr) return std::unique_ptr<Synchronizer::Lock>();
    return locks->Acquire(key);
}

#if ZARR_HAS_FILE_LOCKS

namespace {

namespace fs = std::filesystem;

Status Failure(const std::string& path, const char* what, int error) {
    const std::string message = path + ": " + what + ": " + std::generic_category().message(error);
    return error == EACCES || error == EPERM ? Status::Permission(message) : Status::Io(message);
}

// Locks of the open file (F_OFD_SETLKW) also exclude other users in this process. Locks of the
// process (F_SETLKW) are lost when any code in the process closes the file.
#if defined(F_OFD_SETLKW)
constexpr int kSetLockAndWait = F_OFD_SETLKW;
#else
constexpr int kSetLockAndWait = F_SETLKW;
#endif

// Locks the whole file if `type` is F_WRLCK, and unlocks it if `type` is F_UNLCK. Returns 0, or an
// errno on failure.
int SetLock(int file, short type) {
    for (;;) {
        struct flock lock = {};
        lock.l_type = type;
        lock.l_whence = SEEK_SET;
        if (::fcntl(file, kSetLockAndWait, &lock) == 0) return 0;
        if (errno == EINTR) continue;
        if (errno != EDEADLK) return errno;
        // EDEADLK is a false alarm: threads of two processes wait for each other's process, but no
        // thread holds two locks. The lock is therefore tried again.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Opens a lock file. If `makes` is true, creates a missing file and its folders. Returns -1 and
// sets errno on failure.
int OpenLockFile(const std::string& path, bool makes) {
    const int flags = O_RDWR | (makes ? O_CREAT : 0) | O_CLOEXEC;
    const int file = ::open(path.c_str(), flags, 0666);
    if (file >= 0 || errno != ENOENT || !makes) return file;
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (error) {
        errno = error.value();
        return -1;
    }
    return ::open(path.c_str(), flags, 0666);
}

class FolderSynchronizer final : public Synchronizer,
                                 public std::enable_shared_from_this<FolderSynchronizer> {
  public:
    explicit FolderSynchronizer(std::string folder) : folder_(std::move(folder)) {}

    Result<std::unique_ptr<Lock>> Acquire(const std::string& key) override {
        return LockFileOf(key, true);
    }
    Result<std::unique_ptr<Lock>> AcquireIfKnown(const std::string& key) override {
        return LockFileOf(key, false);
    }

  private:
    Result<std::unique_ptr<Synchronizer::Lock>> LockFileOf(const std::string& key, bool makes) {
        ZARR_RETURN_IF_ERROR(CheckKey(key));
        const std::string path = folder_ + "/" + key;
        // Excludes other threads of this process; F_SETLKW excludes only other processes.
        Enter(key);
        const int file = OpenLockFile(path, makes);
        int error = file < 0 ? errno : 0;
        if (!makes && (error == ENOENT || error == ENOTDIR)) {
            Leave(key);
            return std::unique_ptr<Synchronizer::Lock>();
        }
        if (error == 0) error = SetLock(file, F_WRLCK);
        if (error == 0) return std::unique_ptr<Lock>(new FileLock(shared_from_this(), key, file));
        if (file >= 0) ::close(file);
        Leave(key);
        return Failure(path, file < 0 ? "cannot open the lock file" : "cannot lock", error);
    }

    class FileLock final : public Lock {
      public:
        FileLock(std::shared_ptr<FolderSynchronizer> owner, std::string key, int file)
            : owner_(std::move(owner)), key_(std::move(key)), file_(file) {}
        ~FileLock() override {
            // The file is unlocked before it is closed: a forked child may have the file open, too,
            // and would keep the lock.
            SetLock(file_, F_UNLCK);
            ::close(file_);
            owner_->Leave(key_);
        }
        FileLock(const FileLock&) = delete;
        FileLock& operator=(const FileLock&) = delete;

      private:
        const std::shared_ptr<FolderSynchronizer> owner_;
        const std::string key_;
        const int file_;
    };

    void Enter(const std::string& key) {
        for (;;) {
            std::shared_ptr<Completion> theirs;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                const auto held = held_.find(key);
                if (held == held_.end()) {
                    auto mine = std::make_shared<Completion>();
                    held_[key] = std::move(mine);
                    return;
                }
                theirs = held->second;
            }
            theirs->Wait();
        }
    }
    void Leave(const std::string& key) {
        std::shared_ptr<Completion> mine;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto held = held_.find(key);
            mine = std::move(held->second);
            held_.erase(held);
        }
        mine->End();
    }

    const std::string folder_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Completion>>
        held_;  // keys locked by threads of this process
};

// Open synchronizers by folder. All users of a folder share one object, so that threads of this
// process also exclude each other.
std::mutex all_mutex;
auto& all = *new std::map<std::string, std::weak_ptr<Synchronizer>>();

}  // namespace

Result<std::shared_ptr<Synchronizer>> OpenProcessSynchronizer(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error && !fs::is_directory(folder, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    const fs::path real = error ? fs::path() : fs::canonical(folder, error);
    if (error) return Failure(folder, "cannot create the folder of lock files", error.value());
    if (::access(real.c_str(), W_OK | X_OK) != 0)
        return Failure(folder, "cannot create lock files in it", errno);
    const std::lock_guard<std::mutex> lock(all_mutex);
    for (auto it = all.begin(); it != all.end();)
        it = it->second.expired() ? all.erase(it) : std::next(it);
    std::weak_ptr<Synchronizer>& known = all[real.string()];
    std::shared_ptr<Synchronizer> synchronizer = known.lock();
    if (synchronizer == nullptr) {
        synchronizer = std::make_shared<FolderSynchronizer>(real.string());
        known = synchronizer;
    }
    return synchronizer;
}

#else

Result<std::shared_ptr<Synchronizer>> OpenProcessSynchronizer(const std::string& folder) {
    return Status::Unsupported(folder + ": lock files need a system with fcntl()");
}

#endif

}  // namespace zarr
