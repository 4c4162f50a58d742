// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/array/pending_chunks.h"
#include "core/base/fork.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

class Array;

// What all open arrays share that are one array of one store, however each of them asks the store:
// what was written and is not stored yet, and the news of what was stored. What an array has read,
// or was told to be absent, is its own. Thread-safe.
class ArrayPeers {
  public:
    explicit ArrayPeers(ArrayMetadata metadata) : metadata_(std::move(metadata)) {}

    const ArrayMetadata& metadata() const { return metadata_; }
    PendingChunks& pending() { return pending_; }

    // An array is one of them from Join() to Leave().
    void Join(const Array& array) {
        const std::lock_guard<Mutex> lock(mutex_);
        arrays_.push_back(&array);
    }
    void Leave(const Array& array) {
        const std::lock_guard<Mutex> lock(mutex_);
        arrays_.erase(std::remove(arrays_.begin(), arrays_.end(), &array), arrays_.end());
    }

    // Calls `visit` with each; none of them ends meanwhile. `visit` does nothing slow, see Mutex.
    template <class Visit>
    void ForEach(const Visit& visit) const {
        const std::lock_guard<Mutex> lock(mutex_);
        for (const Array* array : arrays_) visit(*array);
    }

  private:
    const ArrayMetadata metadata_;
    PendingChunks pending_;
    mutable Mutex mutex_;
    std::vector<const Array*> arrays_;
};

}  // namespace zarr
