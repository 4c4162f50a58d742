// SPDX-License-Identifier: MIT
// What fork() leaves in the child: the memory as it was, and of all threads only the one that
// forked. A lock that another thread held stays locked for ever there, what it guards is half
// changed, and work that another thread was at is never done. So
//   - what is guarded by a Mutex or SharedMutex is free and whole in the child;
//   - slow work that others wait for is a Completion, which the child does not wait for, and what
//     is made once, slowly, a Lazy, which the child makes anew;
//   - what only one process may use is a ForkLocal, which the child has not.
// Other locks are for what a child does not reach: the stack of a call, or what is ForkLocal.
// Objects of the whole process are made at load, not when a function first runs, which takes a lock
// of the compiler's; and they are never destroyed, as other threads may go on while the process
// ends.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "core/base/status.h"

namespace zarr {

// How many forks lie between this process and the one that loaded this code: another number than in
// the process that this one was forked from. Always 0 on systems without fork(). Thread-safe.
std::uint64_t ForkGeneration();

// A section that fork() waits for while any thread is in it, and that none enters while the process
// forks. Sections nest. Thread-safe.
void EnterForkSafeSection();
void LeaveForkSafeSection();

// A mutex that no other thread holds in a forked child, for short work: a holder
// makes no callbacks, reads and writes no files, and waits for nothing but other mutexes like it,
// as a thread that forks waits for all of them (Python's with its interpreter lock held). Where one
// is held for longer than a few seconds the fork goes on without it.
template <class M>
class ForkSafe {
  public:
    constexpr ForkSafe() = default;
    ~ForkSafe() = default;
    ForkSafe(const ForkSafe&) = delete;
    ForkSafe& operator=(const ForkSafe&) = delete;

    // As the standard library's locks want them.
    void lock() {
        EnterForkSafeSection();
        mutex_.lock();
    }
    void unlock() {
        mutex_.unlock();
        LeaveForkSafeSection();
    }
    void lock_shared() {
        EnterForkSafeSection();
        mutex_.lock_shared();
    }
    void unlock_shared() {
        mutex_.unlock_shared();
        LeaveForkSafeSection();
    }

  private:
    M mutex_;
};

using Mutex = ForkSafe<std::mutex>;
using SharedMutex = ForkSafe<std::shared_mutex>;

// A shared_ptr that is null in every process but the one that set it: a forked child neither uses
// what it points to nor destroys it, as that may be half changed, guarded by locks that no thread
// opens, or about to write what the parent will write. As thread-safe as a shared_ptr.
template <class T>
class ForkLocal {
  public:
    ForkLocal() = default;
    explicit ForkLocal(std::shared_ptr<T> held) : held_(std::move(held)) {}
    ~ForkLocal() { Set(nullptr); }
    ForkLocal(const ForkLocal&) = delete;
    ForkLocal& operator=(const ForkLocal&) = delete;

    void Set(std::shared_ptr<T> held) {
        // Left alone, and so never destroyed.
        if (is_inherited()) static_cast<void>(new std::shared_ptr<T>(std::move(held_)));
        held_ = std::move(held);
        generation_ = ForkGeneration();
    }

    // True where there is something that another process has set.
    bool is_inherited() const { return held_ != nullptr && generation_ != ForkGeneration(); }

    std::shared_ptr<T> Share() const { return get() != nullptr ? held_ : nullptr; }
    T* get() const { return generation_ == ForkGeneration() ? held_.get() : nullptr; }
    T* operator->() const { return get(); }
    T& operator*() const { return *get(); }
    friend bool operator==(const ForkLocal& a, std::nullptr_t) { return a.get() == nullptr; }
    friend bool operator!=(const ForkLocal& a, std::nullptr_t) { return a.get() != nullptr; }

  private:
    std::shared_ptr<T> held_;
    std::uint64_t generation_ = ForkGeneration();
};

// Work that one thread is at, and that others wait for the end of. To be shared by shared_ptr, and
// found under a Mutex: in a forked child, a thread that finds one of the parent's takes its place
// instead of waiting, as no thread will end it. (Not destroyed there either, as the copies of the
// parent's threads are never dropped: a condition that was waited for cannot be.) Thread-safe.
class Completion {
  public:
    bool IsOfThisProcess() const { return generation_ == ForkGeneration(); }

    // Not under a Mutex.
    void Wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        ended_.wait(lock, [this] { return has_ended_; });
    }
    bool HasEnded() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return has_ended_;
    }
    void End() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            has_ended_ = true;
        }
        ended_.notify_all();
    }

  private:
    const std::uint64_t generation_ = ForkGeneration();
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
};

// A value that is made when it is first asked for, however slowly; other threads wait. In a
// forked child what a thread of the parent was making is made anew. Thread-safe.
template <class T>
class Lazy {
  public:
    // The value, which `make()` returns where there is none. `make` must not ask for it. The
    // reference is good until Reset(). What `make` throws is passed on, and others try again.
    template <class Make>
    const T& Get(const Make& make) const {
        for (;;) {
            std::shared_ptr<Completion> others;
            {
                const std::lock_guard<Mutex> lock(mutex_);
                if (value_) return *value_;
                others = OthersTurn();
            }
            if (others == nullptr) return MakeNow(make);
            others->Wait();
        }
    }

    // A copy of the value, where `make()` returns a Result<T>. A failure is returned and not kept:
    // a thread that waited tries by itself. Others may call Reset() meanwhile.
    template <class Make>
    Result<T> TryGet(const Make& make) const {
        for (;;) {
            std::shared_ptr<Completion> others;
            {
                const std::lock_guard<Mutex> lock(mutex_);
                if (value_) return T(*value_);
                others = OthersTurn();
            }
            if (others == nullptr) {
                const EndOfTurn end(*this);
                ZARR_ASSIGN_OR_RETURN(T made, make());
                const std::lock_guard<Mutex> lock(mutex_);
                return T(value_.emplace(std::move(made)));
            }
            others->Wait();
        }
    }

    // Forgets the value; not while others use the reference that Get() gave them.
    void Reset() {
        const std::lock_guard<Mutex> lock(mutex_);
        value_.reset();
    }

  private:
    class EndOfTurn {
      public:
        explicit EndOfTurn(const Lazy& lazy) : lazy_(lazy) {}
        ~EndOfTurn() {
            std::shared_ptr<Completion> turn;
            {
                const std::lock_guard<Mutex> lock(lazy_.mutex_);
                turn = std::move(lazy_.turn_);
            }
            if (turn != nullptr) turn->End();
        }
        EndOfTurn(const EndOfTurn&) = delete;
        EndOfTurn& operator=(const EndOfTurn&) = delete;

      private:
        const Lazy& lazy_;
    };

    // The work of another thread; nullptr where it is the caller's from now on. Under the mutex.
    std::shared_ptr<Completion> OthersTurn() const {
        if (turn_ != nullptr && turn_->IsOfThisProcess()) return turn_;
        turn_ = std::make_shared<Completion>();
        return nullptr;
    }

    template <class Make>
    const T& MakeNow(const Make& make) const {
        const EndOfTurn end(*this);
        T made = make();
        const std::lock_guard<Mutex> lock(mutex_);
        return value_.emplace(std::move(made));
    }

    mutable Mutex mutex_;
    mutable std::optional<T> value_;
    mutable std::shared_ptr<Completion> turn_;  // of the thread that makes it
};

}  // namespace zarr
