// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fork.h"
#include "core/store/forwarding_store.h"

namespace zarr {

// A store that keeps in mind when it failed to give metadata or a listing (kIo). Whoever looks for
// something that need not be there, a coordinate array or a CRS, goes on without it; what was not
// there for that reason is not to go unsaid.
class WatchedStore final : public ForwardingStore {
  public:
    explicit WatchedStore(std::shared_ptr<const Store> base) : ForwardingStore(std::move(base)) {}

    // The first failure since the last call, which it forgets; ok where there was none.
    Status TakeFailure() const;

    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    void Note(const Status& status) const;

    mutable Mutex mutex_;
    mutable Status first_;
};

}  // namespace zarr
