// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace zarr {

// The calling thread's own T, one for each type, made when first asked for and destroyed when the
// thread ends. Static objects that are destroyed after the main thread's own things may still ask:
// they get a new one, which stays. A thread_local of class type would be used after its end there.
template <class T>
T& ThreadLocalObject() {
    struct Held {
        static T*& Place() {
            thread_local T* place = nullptr;  // nothing is done at its end
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

// What `work()` returns; gives the nanoseconds that it took to `add`, a function of std::uint64_t.
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
