// SPDX-License-Identifier: MIT
#include "core/store/lock_owner.h"

#include "core/store/local_file.h"

#if ZARR_HAS_POSIX_FILES
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#endif

#include <cstdlib>
#include <sstream>
#include <utility>

namespace zarr {

#if ZARR_HAS_POSIX_FILES

namespace {

std::string FirstLine(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
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

std::string ThisProcess() { return std::to_string(getpid()); }

}  // namespace

#else

namespace {

// Without these facts, a lock is known by its age alone.
std::string HostName() { return "unknown"; }
std::string MachineMark() { return "unknown"; }
std::string ThisProcess() { return "unknown"; }
std::string StartOf(long /*process*/) { return "unknown"; }

}  // namespace

#endif

LockOwner LockOwner::This() {
    std::string process = ThisProcess();
    std::string start = StartOf(std::atol(process.c_str()));
    return {HostName(), MachineMark(), std::move(process), std::move(start)};
}

LockOwner LockOwner::Parse(const std::string& text) {
    LockOwner owner;
    std::istringstream lines(text);
    for (std::string* part : {&owner.host, &owner.machine, &owner.process, &owner.start})
        std::getline(lines, *part);
    return owner;
}

std::string LockOwner::Text() const {
    return host + "\n" + machine + "\n" + process + "\n" + start + "\n";
}

std::optional<bool> LockOwner::HasEnded() const {
    if (!IsComplete() || host != HostName() || machine != MachineMark()) return std::nullopt;
    const std::string now = StartOf(std::atol(process.c_str()));
    return now.empty() || now != start;
}

LockHeartbeat::LockHeartbeat(std::function<void()> touch) {
    thread_ = std::thread([this, touch = std::move(touch)] {
        std::unique_lock<std::mutex> lock(mutex_);
        constexpr std::chrono::seconds kTouch{20};
        while (!ended_.wait_for(lock, kTouch, [this] { return is_ending_; })) touch();
    });
}

LockHeartbeat::~LockHeartbeat() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

}  // namespace zarr
