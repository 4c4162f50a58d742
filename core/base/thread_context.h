// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace zarr {

// What a thread has set for itself and the work has to see that it hands to others, such as options
// of the host that hold for one thread. Derived and provided by the host of the core.
class ThreadContext {
  public:
    // The calling thread's own; nullptr where it has set nothing. Must not throw.
    using Source = std::shared_ptr<const ThreadContext> (*)();

    // Has the WorkerPool ask `source` for the context of who gives it work; nullptr ends that.
    // Thread-safe.
    static void SetSource(Source source);
    // That of the calling thread, by the source; nullptr without one. Thread-safe.
    static std::shared_ptr<const ThreadContext> OfThisThread();

    virtual ~ThreadContext() = default;
    ThreadContext(const ThreadContext&) = delete;
    ThreadContext& operator=(const ThreadContext&) = delete;

  protected:
    ThreadContext() = default;

  private:
    friend class InThreadContext;
    // Sets the same for the calling thread, which has nothing set; End() takes it back. Called from
    // several threads at once. Must not throw.
    virtual void Begin() const = 0;
    virtual void End() const = 0;
};

// While it lives the calling thread works in a context, or in its own where that is nullptr.
class InThreadContext {
  public:
    explicit InThreadContext(const ThreadContext* context) : context_(context) {
        if (context_ != nullptr) context_->Begin();
    }
    ~InThreadContext() {
        if (context_ != nullptr) context_->End();
    }
    InThreadContext(const InThreadContext&) = delete;
    InThreadContext& operator=(const InThreadContext&) = delete;

  private:
    const ThreadContext* const context_;
};

}  // namespace zarr
