// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/fork.h"

namespace zarr {

// A shared_ptr that is null in every process but the one that set it: a forked child neither uses
// what it points to nor destroys it, as that may be half changed, guarded by locks that nobody
// opens, or about to write what the parent will write. As thread-safe as a shared_ptr.
template <class T>
class ProcessLocal {
  public:
    ProcessLocal() = default;
    explicit ProcessLocal(std::shared_ptr<T> held) : held_(std::move(held)) {}
    ~ProcessLocal() { Set(nullptr); }
    ProcessLocal(const ProcessLocal&) = delete;
    ProcessLocal& operator=(const ProcessLocal&) = delete;

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
    friend bool operator==(const ProcessLocal& a, std::nullptr_t) { return a.get() == nullptr; }
    friend bool operator!=(const ProcessLocal& a, std::nullptr_t) { return a.get() != nullptr; }

  private:
    std::shared_ptr<T> held_;
    std::uint64_t generation_ = ForkGeneration();
};

}  // namespace zarr
