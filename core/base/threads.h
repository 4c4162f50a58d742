// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace zarr {

// Returns the calling thread's object of type T. The object is made on first use and destroyed when
// the thread ends. Static destructors may call this function even after the main thread's objects
// are destroyed: the function then returns a new object, which leaks. A plain thread_local object
// would be used after its destruction.
template <class T>
T& ThreadLocalObject() {
    struct Owner {
        static T*& Pointer() {
            // Has no destructor, so it is usable until the process ends.
            thread_local T* pointer = nullptr;
            return pointer;
        }
        Owner() = default;
        ~Owner() {
            delete Pointer();
            Pointer() = nullptr;
        }
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
    };
    if (Owner::Pointer() == nullptr) {
        Owner::Pointer() = new T();
        thread_local const Owner ends_with_the_thread;
        static_cast<void>(&ends_with_the_thread);
    }
    return *Owner::Pointer();
}

// Calls `work()` and returns the result of `work()`. Passes the elapsed nanoseconds to
// `add(std::uint64_t)`.
template <class Work, class Add>
auto Timed(Work&& work, Add&& add) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    auto result = work();
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    add(static_cast<std::uint64_t>(time.count()));
    return result;
}

}  // namespace zarr
