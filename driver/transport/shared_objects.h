// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace zarr_driver {

// What happens to the object that was used last, when no dataset uses it any more. It is kept if
// subdatasets, which are often opened one after another, need it.
enum class LastObject : std::uint8_t { kKept, kFreed };

// Shares open stores, zip files and maps of references among the datasets of this process.
// Thread-safe.
template <class Object>
class SharedObjects {
  public:
    using Pointer = std::shared_ptr<const Object>;

    explicit SharedObjects(LastObject last) : keeps_last_(last == LastObject::kKept) {}

    // Returns the object called `name`. Returns nullptr if no dataset uses the object, or if more
    // than `most` has passed since it was added.
    Pointer Find(const std::string& name,
                 std::optional<std::chrono::steady_clock::duration> most = {}) {
        // Declared before the lock, so that the old object is destroyed after the mutex is
        // released.
        Pointer before;
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = entries_.find(name);
        if (known == entries_.end() ||
            (most && std::chrono::steady_clock::now() - known->second.added > *most))
            return nullptr;
        Pointer object = known->second.object.lock();
        if (keeps_last_ && object != nullptr) before = std::exchange(last_, object);
        return object;
    }

    void Add(const std::string& name, const Pointer& object) {
        Pointer before;
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto each = entries_.begin(); each != entries_.end();)
            each = each->second.object.expired() ? entries_.erase(each) : std::next(each);
        entries_[name] = {object, std::chrono::steady_clock::now()};
        if (keeps_last_) before = std::exchange(last_, object);
    }

    // Frees the object that was used last, unless a dataset uses it.
    void FreeLast() {
        Pointer before;
        const std::lock_guard<std::mutex> lock(mutex_);
        before = std::move(last_);
    }

    // Later calls of Find() return no object that was added before.
    void Forget() {
        FreeLast();
        const std::lock_guard<std::mutex> lock(mutex_);
        entries_.clear();
    }

  private:
    struct Entry {
        std::weak_ptr<const Object> object;
        std::chrono::steady_clock::time_point added;
    };
    const bool keeps_last_;
    std::mutex mutex_;
    std::map<std::string, Entry> entries_;
    Pointer last_;
};

}  // namespace zarr_driver
