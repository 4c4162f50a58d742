// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/base/tuning.h"

namespace zarr {

// Cache of one value of type T for each chunk shape. When the cache is full, all values are
// dropped, because making a value again costs little compared to decoding a chunk. Thread-safe.
template <class T>
class ShapeCache {
  public:
    using Pointer = std::shared_ptr<const T>;
    using Shape = DimVector<std::uint64_t>;

    // Returns the T of a shape. If no T is cached for the shape, calls `make()` without a lock.
    // `make()` returns a Result<T>; a failure is not cached.
    template <class Make>
    Result<Pointer> GetOrMake(const Shape& shape, const Make& make) {
        const std::uint64_t hash = HashOf(shape);
        {
            const std::shared_lock<std::shared_mutex> lock(mutex_);
            const auto found = entries_.find(hash);
            if (found != entries_.end() &&
                std::equal(shape.begin(), shape.end(), found->second.shape.begin(),
                           found->second.shape.end()))
                return found->second.value;
        }
        auto made = make();
        ZARR_RETURN_IF_ERROR(made.status());
        auto value = std::make_shared<const T>(made.Take());
        const std::lock_guard<std::shared_mutex> lock(mutex_);
        if (entries_.size() >= tuning::kBoundShapes) entries_.clear();
        entries_[hash] = {{shape.begin(), shape.end()}, value};
        return Pointer(std::move(value));
    }

  private:
    struct Entry {
        std::vector<std::uint64_t> shape;
        Pointer value;
    };
    static std::uint64_t HashOf(const Shape& shape) {
        std::uint64_t hash = shape.size();
        for (const std::uint64_t size : shape) {
            hash = (hash ^ size) * 0x9e3779b97f4a7c15U;
            hash ^= hash >> 32;
        }
        return hash;
    }

    std::shared_mutex mutex_;
    std::unordered_map<std::uint64_t, Entry> entries_;  // cached values by hash of the shape
};

}  // namespace zarr
