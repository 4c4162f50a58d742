// SPDX-License-Identifier: MIT
#include "core/store/store_lock.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/fork.h"
#include "core/store/process_lock.h"

namespace zarr {

namespace {

using Clock = std::chrono::steady_clock;

// Sleeps between two attempts, for 1 ms at first and `longest` at last. Returns false at the
// deadline.
class Pause {
  public:
    explicit Pause(Clock::time_point deadline,
                   std::chrono::milliseconds longest = std::chrono::milliseconds(50))
        : deadline_(deadline), longest_(longest) {}

    bool Wait() {
        const auto now = Clock::now();
        if (now >= deadline_) return false;
        std::this_thread::sleep_for(std::min<Clock::duration>(next_, deadline_ - now));
        next_ = std::min(next_ * 2, longest_);
        return true;
    }

  private:
    const Clock::time_point deadline_;
    const std::chrono::milliseconds longest_;
    std::chrono::milliseconds next_{1};
};

Status Busy(const std::string& holder, const LockWait& wait) {
    const double seconds = std::chrono::duration<double>(wait.limit).count();
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return Status::Io("another writer is changing the store" +
                      (holder.empty() ? "" : " (" + holder + ")") + "; waited " + text +
                      " s, set LOCK_TIMEOUT or ZARR_LOCK_TIMEOUT to wait longer");
}

// Returns the end of an attempt to take a lock that excludes no other processes.
Status WithoutProcesses(const std::string& reason, const LockWait& wait) {
    if (!wait.is_required) return {};
    return Status::Unsupported(
        "REQUIRE_LOCK: the store cannot be locked against other processes: " + reason);
}

}  // namespace

// Lock of one store in this process. Thread-safe.
class StoreLock::State {
  public:
    // Takes the lock for the calling thread if no other thread holds it or waits for longer. A
    // thread that is to wait is known by `place`.
    bool Enter(const void* place) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const bool is_mine = depth_ != 0 && owner_ == std::this_thread::get_id();
        const bool is_free = depth_ == 0 && (waiting_.empty() || waiting_.front() == place);
        if (is_free) owner_ = std::this_thread::get_id();
        if (is_mine || is_free) {
            ++depth_;
            LeaveQueue(place);
            return true;
        }
        if (std::find(waiting_.begin(), waiting_.end(), place) == waiting_.end())
            waiting_.push_back(place);
        return false;
    }

    void GiveUp(const void* place) {
        const std::lock_guard<std::mutex> lock(mutex_);
        LeaveQueue(place);
    }

    void Leave() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (depth_ == 1) process_.reset();
        --depth_;
    }

    bool IsMine() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return depth_ != 0 && owner_ == std::this_thread::get_id();
    }

    // True in the thread that has just taken the lock, and has not excluded other processes yet.
    bool IsFirst() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return depth_ == 1;
    }

    void Hold(std::unique_ptr<ProcessLock> process) {
        const std::lock_guard<std::mutex> lock(mutex_);
        process_ = std::move(process);
    }

    bool IsInherited() const { return generation_ != ForkGeneration(); }

  private:
    void LeaveQueue(const void* place) {
        waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), place), waiting_.end());
    }

    const std::uint64_t generation_ = ForkGeneration();
    std::mutex mutex_;
    std::thread::id owner_;
    std::size_t depth_ = 0;
    std::deque<const void*> waiting_;
    std::unique_ptr<ProcessLock> process_;
};

struct StoreLock::States {
    const std::uint64_t generation = ForkGeneration();
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<State>> by_key;
};

// Set when the library is loaded: a fork during the initialisation of a local static would leave
// the static locked in the child.
std::atomic<StoreLock::States*> StoreLock::states_{new States};

// Returns the state of the lock of the store `key`, which all threads of this process share. A
// forked child has states of its own.
std::shared_ptr<StoreLock::State> StoreLock::StateOf(const std::string& key) {
    States* states = states_.load();
    if (states->generation != ForkGeneration()) {
        // The parent's states leak, because a thread of the parent may hold their mutex forever.
        auto own = std::make_unique<States>();
        if (states_.compare_exchange_strong(states, own.get())) states = own.release();
    }
    const std::lock_guard<std::mutex> lock(states->mutex);
    for (auto at = states->by_key.begin(); at != states->by_key.end();)
        at = at->second.expired() ? states->by_key.erase(at) : std::next(at);
    std::weak_ptr<State>& known = states->by_key[key];
    std::shared_ptr<State> state = known.lock();
    if (state == nullptr) {
        state = std::make_shared<State>();
        known = state;
    }
    return state;
}

namespace {

Result<std::string> KeyOf(const LockTarget& target) {
    if (target.path.empty()) return target.identity;
    auto key = FileIdentity(target.path);
    if (!key) return Status::NotFound("the store does not exist");
    return std::move(*key);
}

// Returns the lock of `target` against other processes, not yet taken; nullptr if there is none.
Result<std::unique_ptr<ProcessLock>> ProcessLockOf(const LockTarget& target, const LockWait& wait) {
    if (target.path.empty()) return target.open ? target.open() : nullptr;
    ZARR_ASSIGN_OR_RETURN(auto process, OpenProcessLock(target.path, wait.means));
    if (process == nullptr) ZARR_RETURN_IF_ERROR(WithoutProcesses("the system has no locks", wait));
    return process;
}

// Waits for the lock of `target` against other processes. Returns nullptr if there is none.
Result<std::unique_ptr<ProcessLock>> ExcludeProcesses(const LockTarget& target,
                                                      const LockWait& wait,
                                                      Clock::time_point deadline) {
    ZARR_ASSIGN_OR_RETURN(auto process, ProcessLockOf(target, wait));
    if (process == nullptr) return process;
    // Each attempt is a request if the lock is on a server.
    using std::chrono::milliseconds;
    Pause between_processes(deadline, target.path.empty() ? milliseconds(500) : milliseconds(50));
    for (;;) {
        const Result<bool> is_taken = process->Try();
        if (target.open && is_taken.status().code() == StatusCode::kUnsupported) {
            ZARR_RETURN_IF_ERROR(WithoutProcesses(is_taken.status().message(), wait));
            return std::unique_ptr<ProcessLock>();
        }
        ZARR_RETURN_IF_ERROR(is_taken.status());
        if (*is_taken) return process;
        if (!between_processes.Wait()) return Busy(process->Holder(), wait);
    }
}

}  // namespace

Result<StoreLock> StoreLock::Take(const LockTarget& target, const LockWait& wait) {
    const auto deadline = Clock::now() + wait.limit;
    for (;;) {
        ZARR_ASSIGN_OR_RETURN(const std::string key, KeyOf(target));
        const std::shared_ptr<State> state = StateOf(key);
        Pause between_threads(deadline);
        const int place = 0;  // its address is this thread's place in the queue
        while (!state->Enter(&place)) {
            if (between_threads.Wait()) continue;
            state->GiveUp(&place);
            return Busy("another thread of this process", wait);
        }
        StoreLock lock(state);
        if (!state->IsFirst()) return lock;
        ZARR_ASSIGN_OR_RETURN(auto process, ExcludeProcesses(target, wait, deadline));
        state->Hold(std::move(process));
        // Another writer may have replaced the store while this one waited.
        if (target.path.empty() || FileIdentity(target.path) == key) return lock;
    }
}

bool StoreLock::IsHeldByThisThread(const LockTarget& target) {
    const auto key = KeyOf(target);
    return key.ok() && StateOf(*key)->IsMine();
}

void StoreLock::Release() {
    const std::shared_ptr<State> state = std::move(state_);
    if (state != nullptr && !state->IsInherited()) state->Leave();
}

}  // namespace zarr
