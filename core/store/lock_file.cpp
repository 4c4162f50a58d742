// SPDX-License-Identifier: MIT
#include "core/store/lock_file.h"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/files.h"
#include "core/base/fork.h"
#include "core/base/fork_closed.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "core/store/staging.h"

namespace zarr {

namespace {

constexpr std::uint64_t kMostBytes = 4096;  // of a lock file

// True if `path` leads to the open file `descriptor`.
bool IsFileAt(int descriptor, const std::string& path) {
    const auto own = StateOf(descriptor);
    const auto there = own ? StateAtLink(path) : std::nullopt;
    return there && own->IsSameFile(*there);
}

}  // namespace

std::string LockFile::PathFor(const std::string& path) {
    const std::string real = RealPath(path);
    const std::string store = !real.empty() ? real : path;
    const std::string parent = store.substr(0, store.rfind('/') + 1);
    const auto state = StateAt(store);
    const bool is_folder = state && state->type == FileType::kFolder;
    if (is_folder && CheckWritableFolder(parent.empty() ? "." : parent) != 0)
        return JoinKey(store, ".lock");
    return store + ".lock";
}

LockFile::LockFile(const std::string& path) : path_(PathFor(path)), generation_(ForkGeneration()) {}

LockFile::~LockFile() {
    if (descriptor_ < 0) return;
    if (generation_ != ForkGeneration()) {
        // The thread exists in the parent only.
        static_cast<void>(heartbeat_.release());
        return;
    }
    heartbeat_.reset();
    if (IsFileAt(descriptor_, path_)) RemoveFile(path_);
    KeepInChildren(descriptor_);
    CloseDescriptor(descriptor_);
}

Result<bool> LockFile::Try() {
    ZARR_ASSIGN_OR_RETURN(const bool is_created, Create());
    if (is_created) return true;
    const std::string text = SmallFile(path_, kMostBytes);
    return IsAbandoned(text) ? TakeOver(text) : Result<bool>(false);
}

Result<bool> LockFile::Create() {
    ZARR_ASSIGN_OR_RETURN(const int descriptor, CreateOwn(path_));
    if (descriptor < 0) return false;
    Hold(descriptor);
    return true;
}

// Creates the file `path`, which names this process as the owner of the lock. Returns the open
// file; -1 if `path` exists.
Result<int> LockFile::CreateOwn(const std::string& path) const {
    const int descriptor = OpenDescriptor(path, OpenAs::kNew);
    if (descriptor < 0 && errno == EEXIST) return -1;
    if (descriptor < 0)
        return Status::Permission(
            path_ + ": the lock file cannot be created: " + std::generic_category().message(errno));
    const std::string text = LockOwner::This().Text();
    const int error = WriteDescriptor(descriptor, {ByteSpan(text)});
    if (error == 0) return descriptor;
    CloseDescriptor(descriptor);
    RemoveFile(path);
    return Status::Io(
        path_ + ": the lock file cannot be written: " + std::generic_category().message(error));
}

void LockFile::Hold(int descriptor) {
    descriptor_ = descriptor;
    CloseInChildren(descriptor);
    try {
        heartbeat_ = std::make_unique<LockHeartbeat>([descriptor] { TouchDescriptor(descriptor); });
    } catch (const std::system_error&) {
        // Without a thread the lock lasts for five minutes on other machines.
    }
}

bool LockFile::IsAbandoned(const std::string& text) const {
    const LockOwner owner = LockOwner::Parse(text);
    if (const auto has_ended = owner.HasEnded()) return *has_ended;
    const auto file = StateAt(path_);
    return file && IsOld(file->modified);
}

// True if a file of this file system with the modification time `modified` was not touched for five
// minutes, by the clock of the file system.
bool LockFile::IsOld(std::int64_t modified) const {
    const std::string probe = StagingName(path_);
    const int descriptor = OpenDescriptor(probe, OpenAs::kNew);
    if (descriptor < 0) return false;
    const auto now = StateOf(descriptor);
    CloseDescriptor(descriptor);
    RemoveFile(probe);
    return now && now->modified - modified > std::chrono::nanoseconds(kLockAbandoned).count();
}

// Replaces the lock file, which had the contents `text`, by one of this process. Returns false if
// another writer was faster. The file is replaced in one step, because any writer may create a file
// that is missing. Writers that take over at the same time exclude each other by TryLock() of the
// old file, where the file system has it.
Result<bool> LockFile::TakeOver(const std::string& text) {
    // Some file systems lock only files that are open for writing. The file may be another user's.
    int old = OpenDescriptor(path_, OpenAs::kUpdateNoLink);
    if (old < 0) old = OpenDescriptor(path_, OpenAs::kReadNoLink);
    if (old < 0) return false;
    const bool is_other_first = TryLock(old) == Locking::kHeldByOther;
    Result<bool> is_mine = false;
    if (!is_other_first && IsFileAt(old, path_) && SmallFile(path_, kMostBytes) == text)
        is_mine = Replace();
    CloseDescriptor(old);
    return is_mine;
}

Result<bool> LockFile::Replace() {
    const std::string staging = StagingName(path_);
    ZARR_ASSIGN_OR_RETURN(const int descriptor, CreateOwn(staging));
    if (descriptor < 0) return false;
    if (RenamePath(staging, path_) != 0) {
        CloseDescriptor(descriptor);
        RemoveFile(staging);
        return false;
    }
    Hold(descriptor);
    return true;
}

std::string LockFile::Holder() const {
    const LockOwner owner = LockOwner::Parse(SmallFile(path_, kMostBytes));
    return owner.IsComplete() ? owner.Name() + ", " + path_ : path_;
}

}  // namespace zarr
