// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "core/base/status.h"

namespace zarr {

// Calls task(0) ... task(count - 1), on the calling thread and at most `max_threads - 1` others of
// the WorkerPool, which may begin later than the calling thread or never. After a failure no
// further task starts; the failure of the lowest index among those that ran is returned.
// `task` must be safe to call from several threads at once with different indices.
Status ParallelFor(std::size_t count, std::size_t max_threads,
                   const std::function<Status(std::size_t)>& task);

}  // namespace zarr
