// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace zarr {

// Returns the calling thread's object of type T. The object is made on first use and destroyed when
// the thread ends. Static destructors may call this function even after the main thread's objects
// are destroyed. A static destructor then gets a new object, which leaks; a plain thread_local
// object would be used after its destruction.
template <class T>
T& ThreadLocalObject() {
    struct Held {
        static T*& Place() {
            thread_local T* place = nullptr;  // a pointer: usable until the process ends
            return place;
        }
        Held() = default;
        ~Held() {
            delete Place();
            Place() = nullptr;
        }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
    };
    if (Held::Place() == nullptr) {
        Held::Place() = new T();
        thread_local const Held ends_with_the_thread;
        static_cast<void>(&ends_with_the_thread);
    }
    return *Held::Place();
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
