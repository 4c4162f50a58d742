// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/limits.h"

namespace zarr::test {

// Sets a limit of core/base/limits.h. The destructor restores the old value.
class ScopedLimit {
  public:
    ScopedLimit(Limit limit, std::uint64_t value) : limit_(limit), before_(LimitOf(limit)) {
        SetLimit(limit, value);
    }
    ~ScopedLimit() { SetLimit(limit_, before_); }
    ScopedLimit(const ScopedLimit&) = delete;
    ScopedLimit& operator=(const ScopedLimit&) = delete;

  private:
    Limit limit_;
    std::uint64_t before_;
};

}  // namespace zarr::test
