// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace zarr {

// What a thread has set for itself alone, such as options of the host. Other threads that do its
// work must see the same. The host of the core derives from this.
class ThreadContext {
  public:
    // Gives the calling thread's own; nullptr where it has set nothing. May throw std::bad_alloc.
    using Source = std::shared_ptr<const ThreadContext> (*)();

    // The WorkerPool asks `source` from now on for the context of the thread that gives it work;
    // with nullptr it asks no more. Thread-safe.
    static void SetSource(Source source);
    // What the source gives; nullptr without a source. Thread-safe.
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
