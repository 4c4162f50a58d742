// SPDX-License-Identifier: MIT
// Locks files to exclude other processes: with fcntl() on POSIX systems, with LockFileEx() on
// Windows.
#include "core/store/synchronizer.h"

#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/base/completion.h"
#include "core/base/files.h"
#include "core/store/keys.h"

namespace zarr {

Result<std::unique_ptr<Synchronizer::Lock>> AcquireIfAny(const std::shared_ptr<Synchronizer>& locks,
                                                         const std::string& key) {
    if (locks == nullptr) return std::unique_ptr<Synchronizer::Lock>();
    return locks->Acquire(key);
}

namespace {

namespace fs = std::filesystem;

Status Failure(const std::string& path, const char* what, int error) {
    const std::string message = path + ": " + what + ": " + std::generic_category().message(error);
    return error == EACCES || error == EPERM ? Status::Permission(message) : Status::Io(message);
}

// Opens a lock file. If `makes` is true, creates a missing file and its folders. Returns -1 and
// sets errno on failure.
int OpenLockFile(const std::string& path, bool makes) {
    const OpenAs as = makes ? OpenAs::kUpdateOrCreate : OpenAs::kUpdate;
    const int file = OpenDescriptor(path, as);
    if (file >= 0 || errno != ENOENT || !makes) return file;
    std::error_code error;
    fs::create_directories(fs::u8path(path).parent_path(), error);
    if (error) {
        errno = error.value();
        return -1;
    }
    return OpenDescriptor(path, as);
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
        // Excludes other threads of this process; the lock of some systems excludes only other
        // processes.
        Enter(key);
        const int file = OpenLockFile(path, makes);
        int error = file < 0 ? errno : 0;
        if (!makes && (error == ENOENT || error == ENOTDIR)) {
            Leave(key);
            return std::unique_ptr<Synchronizer::Lock>();
        }
        if (error == 0) error = LockWholeFile(file);
        if (error == 0) return std::unique_ptr<Lock>(new FileLock(shared_from_this(), key, file));
        if (file >= 0) CloseDescriptor(file);
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
            UnlockWholeFile(file_);
            CloseDescriptor(file_);
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
    const fs::path path = fs::u8path(folder);
    fs::create_directories(path, error);
    if (!error && !fs::is_directory(path, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    const std::string real = error ? std::string() : fs::canonical(path, error).generic_u8string();
    if (error) return Failure(folder, "cannot create the folder of lock files", error.value());
    if (const int failed = CheckWritableFolder(real); failed != 0)
        return Failure(folder, "cannot create lock files in it", failed);
    const std::lock_guard<std::mutex> lock(all_mutex);
    for (auto it = all.begin(); it != all.end();)
        it = it->second.expired() ? all.erase(it) : std::next(it);
    std::weak_ptr<Synchronizer>& known = all[real];
    std::shared_ptr<Synchronizer> synchronizer = known.lock();
    if (synchronizer == nullptr) {
        synchronizer = std::make_shared<FolderSynchronizer>(real);
        known = synchronizer;
    }
    return synchronizer;
}

}  // namespace zarr
