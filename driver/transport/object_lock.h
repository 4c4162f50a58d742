// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/store/lock_owner.h"
#include "core/store/process_lock.h"
#include "driver/transport/http_client.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// Lock of a store in an object store, by the object "STORE.lock" beside the store. The object
// exists while the lock is held, and says who holds it. Requests with conditions decide who creates
// or takes over the object. Whether a server honours conditions is tried once per process.
//
// The lock is taken over if its owner has ended on this machine, or if the object has not changed
// for five minutes on the server's clock. A thread changes it every 20 seconds.
class ObjectLock final : public zarr::ProcessLock {
  public:
    // `store` is the folder of the store. Sends no request.
    explicit ObjectLock(const StorePath& store);
    ~ObjectLock() override;
    ObjectLock(const ObjectLock&) = delete;
    ObjectLock& operator=(const ObjectLock&) = delete;

    // Returns kUnsupported if the object cannot be written, or if the server has no conditional
    // requests. Returns kIo if the server does not answer as usual.
    zarr::Result<bool> Try() override;
    std::string Holder() const override;

  private:
    // Sends a request for the lock object. `condition` is a header, or empty.
    zarr::Result<ObjectAnswer> Ask(const char* verb, const std::string& condition,
                                   const std::string& body = {}) const;
    zarr::Status CheckConditions();
    zarr::Result<bool> Contest();
    void Begin(std::string version);
    void Touch();

    const StorePath path_;  // path of the lock object
    const std::uint64_t generation_;
    const std::string text_;
    CPLStringList options_;  // the thread's own configuration options
    std::string holder_;     // text of the object that another writer has
    bool is_held_ = false;
    bool is_lost_ = false;  // true if another writer has taken over the lock
    std::string version_;   // ETag of the object
    std::chrono::system_clock::time_point touched_;
    std::unique_ptr<zarr::LockHeartbeat> heartbeat_;
};

}  // namespace zarr_driver
