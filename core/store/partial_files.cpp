// SPDX-License-Identifier: MIT
#include "core/store/partial_files.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <random>
#include <string_view>

#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Random number that distinguishes processes with equal ids on different machines. Set when the
// library is loaded, because a fork during the initialisation of a local static would leave the
// static locked in the child.
const std::uint32_t machine = std::random_device()();

constexpr std::string_view kPartialMark = "7a617272";
constexpr std::size_t kPartialDigits = 32;
constexpr std::string_view kPartialSuffix = ".partial";

bool IsOwnName(std::string_view name) {
    constexpr std::size_t kTail = 1 + kPartialDigits + kPartialSuffix.size();
    if (name.size() <= kTail) return false;
    const std::string_view tail = name.substr(name.size() - kTail);
    const std::string_view digits = tail.substr(1, kPartialDigits);
    return tail[0] == '.' && digits.substr(0, kPartialMark.size()) == kPartialMark &&
           digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           tail.substr(1 + kPartialDigits) == kPartialSuffix;
}

void RemoveUnlessLocked(const std::string& path) {
    PathLock::Failure failure{};
    const auto lock = PathLock::Try(path, failure);
    if (lock && lock->IsOf(path)) RemoveFile(path);
}

}  // namespace

std::string StagingName(const std::string& path) {
    static std::atomic<std::uint64_t> counter{0};
    // The process id is not stored, because a forked child has another id.
    const std::uint32_t process = machine ^ static_cast<std::uint32_t>(ProcessId());
    char digits[kPartialDigits + 1];
    std::snprintf(digits, sizeof digits, "%s%08x%016llx", kPartialMark.data(), process,
                  static_cast<unsigned long long>(counter++));  // NOLINT: what printf takes
    return path + "." + digits + std::string(kPartialSuffix);
}

void AbandonedStagingFiles::RemoveInFolderOf(const std::string& path) {
    // Maximum number of folders in `folders_`, to limit memory. Only arrays with chunk keys like
    // "0/1/2" have more folders.
    constexpr std::size_t kMaxFolders = 10'000;
    std::string folder = path.substr(0, path.rfind('/'));
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (folders_.size() >= kMaxFolders || !folders_.insert(folder).second) return;
    }
    // Failures are ignored, because a staging file that is left behind does no harm.
    static_cast<void>(VisitFolder(folder, [&](const std::string& name, EntryType /*type*/) {
        if (IsOwnName(name)) NoThrow([&] { RemoveUnlessLocked(JoinKey(folder, name)); });
        return true;
    }));
}

std::optional<PathLock> PathLock::Try(const std::string& path, Failure& failure) {
    failure = Failure::kImpossible;
    const int descriptor = OpenDescriptor(path, OpenAs::kReadNoLink);
    if (descriptor < 0) return std::nullopt;
    PathLock lock(descriptor);
    const Locking locking = TryLock(descriptor);
    if (locking == Locking::kTaken) return lock;
    if (locking == Locking::kHeldByOther) failure = Failure::kLocked;
    return std::nullopt;
}

std::optional<PathLock> PathLock::Share(int descriptor, Failure& failure) {
    failure = Failure::kImpossible;
    const int own = DuplicateDescriptor(descriptor);
    if (own < 0) return std::nullopt;
    PathLock lock(own);
    const Locking locking = TryShareLock(own);
    const bool is_locked = locking == Locking::kTaken;
    const auto state = is_locked ? StateOf(own) : std::nullopt;
    const bool is_gone = state && state->is_deleted;
    if (is_gone || locking == Locking::kHeldByOther) failure = Failure::kLocked;
    if (is_gone || !is_locked) return std::nullopt;
    return lock;
}

bool PathLock::IsOf(const std::string& path) const {
    const auto locked = StateOf(descriptor_);
    const auto there = locked ? StateAtLink(path) : std::nullopt;
    return there && locked->IsSameFile(*there);
}

void PathLock::Release() {
    if (descriptor_ >= 0) CloseDescriptor(std::exchange(descriptor_, -1));
}

int StagingFile::Create() {
    descriptor_ = OpenDescriptor(staging_, OpenAs::kNew);
    if (descriptor_ < 0) return errno;
    PathLock::Failure failure{};
    lock_ = PathLock::Share(descriptor_, failure);
    is_lost_ = !lock_ && failure == PathLock::Failure::kLocked;
    return 0;
}

int StagingFile::Write(const std::vector<ByteSpan>& parts) {
    const int error = WriteDescriptor(descriptor_, parts);
    return error != 0 ? error : CloseDescriptor(std::exchange(descriptor_, -1));
}

StagingFile::~StagingFile() {
    if (descriptor_ >= 0) CloseDescriptor(descriptor_);
    if (!staging_.empty()) RemoveFile(staging_);
}

int StagingFile::RenameToFinal() {
    if (const int error = RenamePath(staging_, path_); error != 0) return error;
    staging_.clear();
    return 0;
}

}  // namespace zarr
