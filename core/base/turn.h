// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/status.h"

namespace zarr {

// Work of one thread that others wait for the end of. Shared by shared_ptr. Thread-safe.
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

// A value that is made when it is first asked for, however slowly; other threads wait. Thread-safe.
template <class T>
class Lazy {
  public:
    // The value, which `make()` returns where there is none. `make` must not ask for it. The
    // reference is good until Reset(). What `make` throws is passed on, and others try again.
    template <class Make>
    const T& Get(const Make& make) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!value_) value_.emplace(make());
        return *value_;
    }

    // A copy of the value, where `make()` returns a Result<T>. A failure is returned and not kept:
    // a thread that waited tries by itself.
    template <class Make>
    Result<T> TryGet(const Make& make) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!value_) {
            ZARR_ASSIGN_OR_RETURN(T made, make());
            value_.emplace(std::move(made));
        }
        return T(*value_);
    }

    // Forgets the value; not while others use the reference that Get() gave them.
    void Reset() {
        const std::lock_guard<std::mutex> lock(mutex_);
        value_.reset();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::optional<T> value_;
};

}  // namespace zarr
