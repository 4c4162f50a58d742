// SPDX-License-Identifier: MIT
// Parts of locks that a file or an object represents: a text that says who holds the lock, and a
// sign of life.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace zarr {

// A lock counts as abandoned if another machine has given no sign of life for this time.
constexpr std::chrono::seconds kLockAbandoned{300};

// The process that holds a lock. The text of a lock has one line for each member.
struct LockOwner {
    std::string host;
    std::string machine;  // differs between machines of one name, and between containers
    std::string process;
    std::string start;  // when the process started, on the clock of its system

    // Returns the calling process.
    static LockOwner This();
    // Parses the text of a lock. Members whose lines are missing are empty.
    static LockOwner Parse(const std::string& text);

    std::string Text() const;
    bool IsComplete() const { return !start.empty(); }
    // True if the process has ended; nullopt if it runs on another machine.
    std::optional<bool> HasEnded() const;
    // Returns a text for messages: "process 7 on host a".
    std::string Name() const { return "process " + process + " on host " + host; }
};

// Calls a function every 20 seconds in a thread of its own, from construction to destruction. The
// constructor throws std::system_error if there is no thread. In a forked child the object must be
// leaked, because the thread exists in the parent only.
class LockHeartbeat {
  public:
    explicit LockHeartbeat(std::function<void()> touch);
    ~LockHeartbeat();
    LockHeartbeat(const LockHeartbeat&) = delete;
    LockHeartbeat& operator=(const LockHeartbeat&) = delete;

  private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_ending_ = false;
    std::thread thread_;
};

}  // namespace zarr
