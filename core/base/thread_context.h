// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace zarr {

// Settings that a host program keeps per thread, such as GDAL's thread-local options. A pool thread
// must use the settings of the thread for which the pool thread works. The host derives a class
// from ThreadContext.
class ThreadContext {
  public:
    // Function that returns the calling thread's settings; nullptr if the thread has none. May
    // throw std::bad_alloc.
    using Source = std::shared_ptr<const ThreadContext> (*)();

    // Sets the function that returns a thread's settings. WorkerPool calls the function on each
    // thread that submits work. With nullptr, pool threads work without settings. Thread-safe.
    static void SetSource(Source source);
    // Returns the calling thread's settings by calling the function given to SetSource(); nullptr
    // if no function was given. Thread-safe.
    static std::shared_ptr<const ThreadContext> OfThisThread();

    virtual ~ThreadContext() = default;
    ThreadContext(const ThreadContext&) = delete;
    ThreadContext& operator=(const ThreadContext&) = delete;

  protected:
    ThreadContext() = default;

  private:
    friend class ThreadContextScope;
    // Begin() applies these settings to the calling thread, which must have none; End() removes
    // them. Several threads may call both functions at once. Neither may throw.
    virtual void Begin() const = 0;
    virtual void End() const = 0;
};

// Applies a ThreadContext to the calling thread while the scope object exists. A null context
// changes nothing.
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
