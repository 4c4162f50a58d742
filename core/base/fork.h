// SPDX-License-Identifier: MIT
// fork(): a child has the memory of its parent, and of its threads only the one that forked. The
// child of a process in which no other thread uses this code, as Python's multiprocessing makes
// them, reads on, through handles of its own and through inherited ones:
//   - fork() waits for the threads of the WorkerPool, and the child gets a pool of its own;
//   - objects that only one process may use, such as an update that is open, are ForkLocal.
// A lock that another thread holds at that moment stays locked in the child, as GDAL's own do.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace zarr {

// How many forks lie between this process and the one that loaded this code: another number than in
// the process that this one was forked from. Always 0 on systems without fork(). Thread-safe.
std::uint64_t ForkGeneration();

// A shared_ptr that is null in every process but the one that set it: a forked child neither uses
// what it points to nor destroys it, as the parent will write it. As thread-safe as a shared_ptr.
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

}  // namespace zarr
