// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace zarr_driver {

// While one of these lives, a signal that would end the process (SIGINT, as of Ctrl-C, SIGTERM,
// SIGHUP) is only noted, so that a job which changes a store can end in order. It is raised again
// when the last one of the process has gone, by when every job must have cleaned up. A second
// signal ends the process at once.
//
// Signals that the program handles (as Python does SIGINT) or ignores (as under nohup) stay its
// own: only what has the system's default disposition is noted. May be used from several threads,
// and within each other. A fork()ed child has nothing of its parent's jobs: signals end it at once.
class InterruptScope {
  public:
    InterruptScope();
    // May not return: where a signal was noted the process ends by it.
    ~InterruptScope();
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

    // True once a signal was noted, from then on for as long as there are scopes. Cheap.
    static bool IsRequested();

  private:
    const std::uint64_t generation_;  // of the process that it is of
    const bool counts_;               // false where a signal was noted before: no more is begun
};

}  // namespace zarr_driver
