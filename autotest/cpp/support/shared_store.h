// SPDX-License-Identifier: MIT
// A store and locks in memory, for tests of several writers that act as separate processes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/store/memory_store.h"
#include "core/store/synchronizer.h"

namespace zarr::test {

// Locks in memory. IsHeld() tells whether a key is locked.
class MemoryLocks final : public Synchronizer, public std::enable_shared_from_this<MemoryLocks> {
  public:
    Result<std::unique_ptr<Lock>> Acquire(const std::string& key) override {
        if (fails) return Status::Io("locks/" + key + ": cannot lock");
        std::unique_lock<std::mutex> lock(mutex_);
        released_.wait(lock, [&] { return held_.count(key) == 0; });
        held_.insert(key);
        known_.insert(key);
        return std::unique_ptr<Lock>(new Held(shared_from_this(), key));
    }
    Result<std::unique_ptr<Lock>> AcquireIfKnown(const std::string& key) override {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (known_.count(key) == 0) return std::unique_ptr<Lock>();
        }
        return Acquire(key);
    }
    bool IsHeld(const std::string& key) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return held_.count(key) != 0;
    }

    std::atomic<bool> fails{false};
    std::function<void()> on_release;  // called after a lock is released

  private:
    class Held final : public Lock {
      public:
        Held(std::shared_ptr<MemoryLocks> owner, std::string key)
            : owner_(std::move(owner)), key_(std::move(key)) {}
        ~Held() override {
            {
                const std::lock_guard<std::mutex> lock(owner_->mutex_);
                owner_->held_.erase(key_);
            }
            owner_->released_.notify_all();
            const auto hook = owner_->on_release;  // a copy, because the hook may clear on_release
            if (hook) hook();
        }

      private:
        const std::shared_ptr<MemoryLocks> owner_;
        const std::string key_;
    };

    mutable std::mutex mutex_;
    std::condition_variable released_;
    std::set<std::string> held_;
    std::set<std::string> known_;  // keys that were locked at least once
};

// A store in memory that calls `on_change` before a key is set or erased.
class ObservingStore final : public Store, private StoreWriter {
  public:
    StoreWriter* writer() override { return this; }
    std::string Describe() const override { return "watched"; }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        return base_.Read(key, part, sink);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base_.List(prefix);
    }
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override {
        if (fails) return Status::Io(key + ": disk full");
        if (on_change) on_change(key);
        return base_.SetParts(key, parts);
    }
    Status Remove(const std::string& key) override {
        if (on_change) on_change(key);
        return base_.Erase(key);
    }

    std::function<void(const std::string&)> on_change;
    std::atomic<bool> fails{false};

  private:
    MemoryStore base_;
};

}  // namespace zarr::test
