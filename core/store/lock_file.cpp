// SPDX-License-Identifier: MIT
#include "core/store/lock_file.h"

#include "core/store/local_file.h"

#if ZARR_HAS_POSIX_FILES

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/fork.h"
#include "core/base/fork_closed.h"
#include "core/store/keys.h"
#include "core/store/partial_files.h"

namespace zarr {

namespace {

constexpr std::chrono::seconds kTouch{20};
constexpr std::int64_t kAbandoned = std::int64_t{300} * 1'000'000'000;  // nanoseconds

std::string FirstLine(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string Whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string HostName() {
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0) return "unknown";
    return name;
}

// Returns a text that differs between machines of one name, and between containers that number
// their processes separately.
std::string MachineMark() {
    char numbers[64] = "";
    static_cast<void>(readlink("/proc/self/ns/pid", numbers, sizeof numbers - 1));
    return FirstLine("/proc/sys/kernel/random/boot_id") + " " + numbers;
}

// Returns the time at which a process started, in the system's clock ticks; empty if there is no
// such process, "unknown" if the system does not say.
std::string StartOf(long process) {
    if (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return {};
    const std::string state = FirstLine("/proc/" + std::to_string(process) + "/stat");
    const std::size_t name_end = state.rfind(')');
    if (name_end == std::string::npos) return "unknown";
    std::istringstream fields(state.substr(name_end + 1));
    constexpr int kStart = 20;  // number of the field, counted from behind the name
    std::string field;
    for (int i = 0; i < kStart; ++i) fields >> field;
    return field;
}

// The contents of a lock file: who holds the lock.
struct Owner {
    std::string host;
    std::string machine;
    std::string process;
    std::string start;

    static Owner This() {
        return {HostName(), MachineMark(), std::to_string(getpid()), StartOf(getpid())};
    }
    static Owner Parse(const std::string& text) {
        Owner owner;
        std::istringstream lines(text);
        for (std::string* part : {&owner.host, &owner.machine, &owner.process, &owner.start})
            std::getline(lines, *part);
        return owner;
    }
    std::string Text() const {
        return host + "\n" + machine + "\n" + process + "\n" + start + "\n";
    }
    bool IsComplete() const { return !start.empty(); }
};

}  // namespace

// Touches an open file every 20 seconds.
struct LockFile::Heartbeat {
    explicit Heartbeat(int descriptor) {
        thread = std::thread([this, descriptor] {
            std::unique_lock<std::mutex> lock(mutex);
            while (!ended.wait_for(lock, kTouch, [this] { return is_ending; }))
                futimens(descriptor, nullptr);
        });
    }
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;
    ~Heartbeat() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            is_ending = true;
        }
        ended.notify_all();
        thread.join();
    }

    std::mutex mutex;
    std::condition_variable ended;
    bool is_ending = false;
    std::thread thread;
};

std::string LockFile::PathFor(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                           std::free);
    const std::string store = real != nullptr ? real.get() : path;
    const std::string parent = store.substr(0, store.rfind('/') + 1);
    struct stat state {};
    const bool is_folder = stat(store.c_str(), &state) == 0 && S_ISDIR(state.st_mode);
    if (is_folder && access(parent.empty() ? "." : parent.c_str(), W_OK | X_OK) != 0)
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
    struct stat own {};
    struct stat there {};
    if (fstat(descriptor_, &own) == 0 && lstat(path_.c_str(), &there) == 0 &&
        own.st_dev == there.st_dev && own.st_ino == there.st_ino)
        RemoveFile(path_);
    KeepInChildren(descriptor_);
    close(descriptor_);
}

Result<bool> LockFile::Try() {
    ZARR_ASSIGN_OR_RETURN(const bool is_created, Create());
    if (is_created) return true;
    const std::string text = Whole(path_);
    if (!IsAbandoned(text)) return false;
    TakeOver(text);
    return Create();
}

Result<bool> LockFile::Create() {
    const int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && (errno == EEXIST || errno == EINTR)) return false;
    if (descriptor < 0)
        return Status::Permission(
            path_ + ": the lock file cannot be created: " + std::generic_category().message(errno));
    const std::string text = Owner::This().Text();
    if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        const int error = errno;
        close(descriptor);
        RemoveFile(path_);
        return Status::Io(
            path_ + ": the lock file cannot be written: " + std::generic_category().message(error));
    }
    descriptor_ = descriptor;
    CloseInChildren(descriptor);
    try {
        heartbeat_ = std::make_unique<Heartbeat>(descriptor);
    } catch (const std::system_error&) {
        // Without a thread the lock lasts for five minutes on other machines.
    }
    return true;
}

bool LockFile::IsAbandoned(const std::string& text) const {
    const Owner owner = Owner::Parse(text);
    const Owner own = Owner::This();
    if (owner.IsComplete() && owner.host == own.host && owner.machine == own.machine) {
        const std::string start = StartOf(std::atol(owner.process.c_str()));
        return start.empty() || start != owner.start;
    }
    struct stat file {};
    return stat(path_.c_str(), &file) == 0 && IsOld(ModificationTime(file));
}

// True if a file of this file system with the modification time `modified` was not touched for five
// minutes, by the clock of the file system.
bool LockFile::IsOld(std::int64_t modified) const {
    const std::string probe = StagingName(path_);
    const int descriptor = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return false;
    struct stat now {};
    const bool is_known = fstat(descriptor, &now) == 0;
    close(descriptor);
    RemoveFile(probe);
    return is_known && ModificationTime(now) - modified > kAbandoned;
}

// Removes the lock file if it still has the contents `text`. One of several writers that try so at
// the same time renames the file. Another may rename the lock of the first, and puts it back.
void LockFile::TakeOver(const std::string& text) const {
    const std::string aside = StagingName(path_);
    if (std::rename(path_.c_str(), aside.c_str()) != 0) return;
    if (Whole(aside) != text) static_cast<void>(link(aside.c_str(), path_.c_str()));
    RemoveFile(aside);
}

std::string LockFile::Holder() const {
    const Owner owner = Owner::Parse(Whole(path_));
    if (!owner.IsComplete()) return path_;
    return "process " + owner.process + " on host " + owner.host + ", " + path_;
}

}  // namespace zarr

#endif
