// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/load_once_cache.h"
#include "core/base/status.h"
#include "core/references/reference_partition.h"
#include "core/store/store.h"

namespace zarr {

// Cache of a store's Parquet files of references, which are read on request. The most recently used
// files stay in memory, up to tuning::kPartitionCacheBytes. Thread-safe.
class PartitionFiles {
  public:
    // `record_size` is the maximum number of rows of a file.
    PartitionFiles(std::shared_ptr<const Store> store, std::uint64_t record_size);

    using PartitionPtr = std::shared_ptr<const ReferencePartition>;

    // Returns the file with the key `key`; nullptr if the file is absent. Threads that want a file
    // at the same time read it once.
    Result<PartitionPtr> Get(const std::string& key);

    // Calls `take` with the index of each key in `keys`, and with the result of Get() for that key.
    // The keys must be unique. Calls come one at a time, in any order. Reads files of a remote
    // store concurrently. Returns the first failure.
    using Taker = std::function<void(std::size_t which, const PartitionPtr& file)>;
    Status GetMany(const std::vector<std::string>& keys, const Taker& take);

    // True if the files that were read have not changed in the store. False if that is unknown or
    // takes too long to find out.
    bool IsCurrent() const;

    const Store& store() const { return *store_; }

  private:
    // A file as it was read; `file` is nullptr if it was absent.
    struct Known {
        PartitionPtr file;
        ObjectVersion version;
        std::size_t key_bytes = 0;

        std::size_t bytes() const;
    };
    using KnownPtr = std::shared_ptr<const Known>;

    Result<PartitionPtr> Decode(const std::string& key, ByteSpan bytes);
    Result<KnownPtr> Load(const std::string& key);

    const std::shared_ptr<const Store> store_;
    const std::uint64_t record_size_;
    LoadOnceCache<std::string, Known> files_;
    std::mutex mutex_;
    std::condition_variable has_decoded_;
    std::size_t decoding_ = 0;  // number of files that threads decode at present
};

}  // namespace zarr
