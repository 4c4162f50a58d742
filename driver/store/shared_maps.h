// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace zarr_driver {

// Shares maps of references among the datasets of this process. Keeps the last added map alive,
// because subdatasets are often opened one after another. Thread-safe.
template <class Map>
class SharedMaps {
  public:
    using MapPtr = std::shared_ptr<const Map>;

    // Returns the map called `name`. Returns nullptr if no dataset uses the map, or if more than
    // `most` has passed since it was added.
    MapPtr Find(const std::string& name,
                std::optional<std::chrono::steady_clock::duration> most = {}) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = entries_.find(name);
        if (known == entries_.end() ||
            (most && std::chrono::steady_clock::now() - known->second.added > *most))
            return nullptr;
        return known->second.map.lock();
    }

    void Add(const std::string& name, const MapPtr& map) {
        // Declared before the lock, so that the old map is destroyed after the mutex is released.
        MapPtr before;
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto each = entries_.begin(); each != entries_.end();)
            each = each->second.map.expired() ? entries_.erase(each) : std::next(each);
        entries_[name] = {map, std::chrono::steady_clock::now()};
        before = std::exchange(last_, map);
    }

    // Frees the last added map, unless a dataset uses it.
    void Forget() {
        MapPtr before;
        const std::lock_guard<std::mutex> lock(mutex_);
        before = std::move(last_);
    }

  private:
    struct Entry {
        std::weak_ptr<const Map> map;
        std::chrono::steady_clock::time_point added;
    };
    std::mutex mutex_;
    std::map<std::string, Entry> entries_;
    MapPtr last_;
};

}  // namespace zarr_driver
