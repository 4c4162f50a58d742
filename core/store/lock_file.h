// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/store/lock_owner.h"
#include "core/store/process_lock.h"

namespace zarr {

// Lock by a file that exists while the lock is held, for file systems without a flock(2) that all
// machines see. The file says which process of which machine holds the lock. A thread touches the
// file every 20 seconds, so that other machines see that its owner lives.
class LockFile final : public ProcessLock {
  public:
    // `path` is the folder or file that the lock protects.
    explicit LockFile(const std::string& path);
    ~LockFile() override;
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;

    Result<bool> Try() override;
    std::string Holder() const override;

    // Returns the path of the lock file of `path`: "PATH.lock", with links resolved. If the parent
    // folder is not writable, "PATH/.lock".
    static std::string PathFor(const std::string& path);

  private:
    Result<bool> Create();
    Result<int> CreateOwn(const std::string& path) const;
    void Hold(int descriptor);
    bool IsAbandoned(const std::string& text) const;
    bool IsOld(std::int64_t modified) const;
    Result<bool> TakeOver(const std::string& text);
    Result<bool> Replace();

    const std::string path_;  // path of the lock file
    const std::uint64_t generation_;
    int descriptor_ = -1;  // the open lock file while the lock is held
    std::unique_ptr<LockHeartbeat> heartbeat_;
};

}  // namespace zarr
