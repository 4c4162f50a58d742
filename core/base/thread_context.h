// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace zarr {

// Settings that a host program keeps per thread, such as GDAL's thread-local options. Threads that
// work for another thread must use the other thread's settings. The host derives a class from
// ThreadContext.
class ThreadContext {
  public:
    // Returns the calling thread's settings; nullptr if it has none. May throw std::bad_alloc.
    using Source = std::shared_ptr<const ThreadContext> (*)();

    // Sets the function that the WorkerPool calls for the settings of the thread that submits work.
    // nullptr disables this. Thread-safe.
    static void SetSource(Source source);
    // Returns the calling thread's settings from the source; nullptr without a source. Thread-safe.
    static std::shared_ptr<const ThreadContext> OfThisThread();

    virtual ~ThreadContext() = default;
    ThreadContext(const ThreadContext&) = delete;
    ThreadContext& operator=(const ThreadContext&) = delete;

  protected:
    ThreadContext() = default;

  private:
    friend class ThreadContextScope;
    // Begin() applies these settings to the calling thread, which has none; End() removes them.
    // Several threads may call both at once. Neither may throw.
    virtual void Begin() const = 0;
    virtual void End() const = 0;
};

// Applies a context to the calling thread during its lifetime. nullptr changes nothing.
class ThreadContextScope {
  public:
    explicit ThreadContextScope(const ThreadContext* context) : context_(context) {
        if (context_ != nullptr) context_->Begin();
    }
    ~ThreadContextScope() {
        if (context_ != nullptr) context_->End();
    }
    ThreadContextScope(const ThreadContextScope&) = delete;
    ThreadContextScope& operator=(const ThreadContextScope&) = delete;

  private:
    const ThreadContext* const context_;
};

}  // namespace zarr
