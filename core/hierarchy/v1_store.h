// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "core/base/fork.h"
#include "core/store/store.h"

namespace zarr {

// True where an array of Zarr v1 lies at `path`, by its `meta`, whole or damaged.
Result<bool> HoldsV1Array(const Store& store, const std::string& path);

// kUnsupported where one does: they are only read.
Status CheckNoV1Array(const Store& store, const std::string& path);

// Shows the arrays of Zarr v1 that Find() has found as ones of v2: `.zarray` is translated from
// `meta`, `.zattrs` are `attrs`. Everything else is the store behind it. To look for them in
// each place that has no `.zarray` would be a request that no store of v2 deserves. Read-only.
class V1Store final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;

    // HoldsV1Array(); for a path that has neither `.zarray` nor `.zgroup`.
    Result<bool> Find(const std::string& path) const;
    // True where Find() was.
    bool HasFound(const std::string& path) const;
    // The key behind `key`: that of v1 where an array that was found is meant.
    std::string SourceOf(const std::string& key) const;

    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override;
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override;
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override;

  private:
    mutable Mutex mutex_;
    mutable std::set<std::string> found_;  // paths
};

}  // namespace zarr
