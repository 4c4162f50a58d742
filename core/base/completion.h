// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/status.h"

namespace zarr {

// Signal that a thread's work has ended, for which other threads can wait. All threads involved
// hold the object by shared_ptr. Thread-safe.
class Completion {
  public:
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
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
};

// Value that is computed on first use. While one thread computes the value, other threads that need
// it wait. Thread-safe.
template <class T>
class Lazy {
  public:
    // Returns the value, computed by `make()` on first use; `make` must not use this object. The
    // reference is valid until Reset(). If `make` throws, the exception propagates and the next
    // caller tries again.
    template <class Make>
    const T& Get(const Make& make) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!value_) value_.emplace(make());
        return *value_;
    }

    // Returns a copy of the value, computed on first use by `make()`, which returns a Result<T>. A
    // failure is returned but not cached: the next caller tries again.
    template <class Make>
    Result<T> TryGet(const Make& make) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!value_) {
            ZARR_ASSIGN_OR_RETURN(T made, make());
            value_.emplace(std::move(made));
        }
        return T(*value_);
    }

    // Drops the value. No thread may still use a reference that Get() returned.
    void Reset() {
        const std::lock_guard<std::mutex> lock(mutex_);
        value_.reset();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::optional<T> value_;
};

}  // namespace zarr
