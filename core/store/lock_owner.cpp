// SPDX-License-Identifier: MIT
#include "core/store/lock_owner.h"

#include <cstdlib>
#include <sstream>
#include <utility>

#include "core/base/process.h"

namespace zarr {

LockOwner LockOwner::This() {
    const std::uint64_t process = ProcessId();
    return {HostName(), MachineMark(), std::to_string(process), ProcessStart(process)};
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
    const std::string now = ProcessStart(std::strtoull(process.c_str(), nullptr, 10));
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
