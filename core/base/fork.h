// SPDX-License-Identifier: MIT
// Rules for fork(). A child has the parent's memory, but only the thread that called fork(). A
// child can go on reading if no other thread of the parent uses this code, as in Python's
// multiprocessing:
//   - fork() waits for the threads of the WorkerPool, and the child gets a pool of its own;
//   - objects that only one process may use, such as an open update, are ForkLocal.
// A lock that another thread holds during fork() stays locked in the child, which would wait for it
// forever. This also applies to GDAL's locks.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace zarr {

// Returns the number of forks between the process that loaded this code and the current process. A
// child's number differs from its parent's. Always 0 on systems without fork(). Thread-safe.
std::uint64_t ForkGeneration();

// A shared_ptr that is null in every process except the process that set it. A forked child neither
// uses nor destroys the object, whose unwritten changes are the parent's to write. No more
// thread-safe than a shared_ptr.
template <class T>
class ForkLocal {
  public:
    ForkLocal() = default;
    explicit ForkLocal(std::shared_ptr<T> held) : held_(std::move(held)) {}
    ~ForkLocal() { Set(nullptr); }
    ForkLocal(const ForkLocal&) = delete;
    ForkLocal& operator=(const ForkLocal&) = delete;

    void Set(std::shared_ptr<T> held) {
        // The parent's object must not be destroyed in the child, so the reference is leaked on
        // purpose.
        if (is_inherited()) static_cast<void>(new std::shared_ptr<T>(std::move(held_)));
        held_ = std::move(held);
        generation_ = ForkGeneration();
    }

    // True if the pointer was set by another process, before fork().
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

}  // namespace zarr
