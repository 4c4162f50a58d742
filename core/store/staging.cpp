// SPDX-License-Identifier: MIT
#include "core/store/staging.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <random>

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

constexpr std::string_view kMark = "7a617272";  // first digits of this library's names
constexpr std::size_t kDigits = 32;

// Returns the length of a staging name's tail, ".<32 hex digits>.partial", at the end of `name`; 0
// if there is none.
std::size_t StagingTail(std::string_view name) {
    constexpr std::size_t kTail = 1 + kDigits + kStagingSuffix.size();
    if (name.size() <= kTail) return 0;
    const std::string_view tail = name.substr(name.size() - kTail);
    const std::string_view digits = tail.substr(1, kDigits);
    const bool is_staging =
        tail[0] == '.' && digits.substr(0, kMark.size()) == kMark &&
        digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
        tail.substr(1 + kDigits) == kStagingSuffix;
    return is_staging ? kTail : 0;
}

bool IsStagingNameOf(std::string_view entry, std::string_view name) {
    const std::size_t tail = StagingTail(entry);
    return tail != 0 && (name.empty() || entry.substr(0, entry.size() - tail) == name);
}

// A new local file with a staging name. The destructor removes a file that was not renamed.
class StagingFile {
  public:
    explicit StagingFile(const std::string& path) : staging_(StagingName(path)) {}
    ~StagingFile() {
        if (descriptor_ >= 0) CloseDescriptor(descriptor_);
        if (!staging_.empty()) RemoveFile(staging_);
    }
    StagingFile(const StagingFile&) = delete;
    StagingFile& operator=(const StagingFile&) = delete;

    int Create() {
        descriptor_ = OpenDescriptor(staging_, OpenAs::kNew);
        if (descriptor_ < 0) return errno;
        PathLock::Failure failure{};
        lock_ = PathLock::Share(descriptor_, failure);
        is_lost_ = !lock_ && failure == PathLock::Failure::kLocked;
        return 0;
    }
    // True if another process has removed the new file, because it took the file for that of a
    // killed writer.
    bool is_lost() const { return is_lost_; }
    int Write(const std::vector<ByteSpan>& parts) {
        const int error = WriteDescriptor(descriptor_, parts);
        return error != 0 ? error : CloseDescriptor(std::exchange(descriptor_, -1));
    }
    int RenameTo(const std::string& path) {
        const int error = RenamePath(staging_, path);
        if (error == 0) staging_.clear();
        return error;
    }

  private:
    std::string staging_;  // empty once renamed
    int descriptor_ = -1;
    std::optional<PathLock> lock_;
    bool is_lost_ = false;
};

}  // namespace

std::string StagingName(const std::string& path) {
    static std::atomic<std::uint64_t> counter{0};
    // The process id is not stored, because a forked child has another id.
    const std::uint32_t process = machine ^ static_cast<std::uint32_t>(ProcessId());
    char digits[kDigits + 1];
    std::snprintf(digits, sizeof digits, "%s%08x%016llx", kMark.data(), process,
                  static_cast<unsigned long long>(counter++));  // NOLINT: what printf takes
    return path.substr(0, path.size() - StagingTail(path)) + "." + digits +
           std::string(kStagingSuffix);
}

std::string FinalName(const std::string& path) {
    for (std::size_t at = path.find(kStagingSuffix); at != std::string::npos;
         at = path.find(kStagingSuffix, at + 1)) {
        const std::size_t end = at + kStagingSuffix.size();
        // A staging name ends with the path or before "/", "}" or ": ", as in
        // "/vsizip/{x.zip.<digits>.partial}/" and "x.zarr.<digits>.partial: /a".
        const bool is_whole = end == path.size() || path[end] == '/' || path[end] == '}' ||
                              path.compare(end, 2, ": ") == 0;
        const std::size_t tail = is_whole ? StagingTail({path.data(), end}) : 0;
        if (tail == 0) continue;
        std::string name = path.substr(0, end - tail);
        const std::size_t brace =
            end < path.size() && path[end] == '}' ? name.find('{') : std::string::npos;
        if (brace == std::string::npos) return name + path.substr(end);
        return name.erase(brace, 1) + path.substr(end + 1);
    }
    return path;
}

void VisitAbandoned(const std::string& folder, const std::string& name,
                    const std::function<void(const std::string& path, PathLock& lock)>& visit) {
    const auto visit_unless_locked = [&](const std::string& path) {
        PathLock::Failure failure{};
        auto lock = PathLock::Try(path, failure);
        if (lock && lock->IsOf(path)) visit(path, *lock);
    };
    std::vector<std::string> found;
    static_cast<void>(VisitFolder(folder, [&](const std::string& entry, EntryType /*type*/) {
        NoThrow([&] {
            if (IsStagingNameOf(entry, name)) found.push_back(JoinKey(folder, entry));
        });
        return true;
    }));
    for (const std::string& path : found) NoThrow([&] { visit_unless_locked(path); });
}

FileReplacement ReplaceFile(const std::string& path, const std::vector<ByteSpan>& parts,
                            const std::function<int()>& make_folder, const std::string& other) {
    for (;;) {
        StagingFile file(other.empty() ? path : other);
        int error = file.Create();
        // A folder is made only after a failure: it is seldom missing, and a check before each file
        // would cost a system call.
        if (error == ENOENT && make_folder) {
            error = make_folder();
            if (error == 0) error = file.Create();
        }
        if (error != 0) return {"cannot create", error};
        if (file.is_lost()) continue;
        if (error = file.Write(parts); error != 0) return {"cannot write", error};
        if (error = file.RenameTo(path); error != 0) return {"cannot replace", error};
        return {};
    }
}

void AbandonedFiles::RemoveInFolderOf(const std::string& path) {
    // Maximum number of folders in `folders_`, to limit memory. Only arrays with chunk keys like
    // "0/1/2" have more folders.
    constexpr std::size_t kMaxFolders = 10'000;
    std::string folder = path.substr(0, path.rfind('/'));
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (folders_.size() >= kMaxFolders || !folders_.insert(folder).second) return;
    }
    VisitAbandoned(folder, "", [](const std::string& left, PathLock&) { RemoveFile(left); });
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

}  // namespace zarr
