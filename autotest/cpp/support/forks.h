// SPDX-License-Identifier: MIT
// Helpers for tests of forked processes, on systems that have fork().
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "autotest/cpp/support/threads.h"
#include "core/base/sanitizers.h"

namespace zarr::test {

// Runs `child` in a forked process. Returns true if `child` returns true before a deadline.
inline bool SucceedsInChild(const std::function<bool()>& child) {
    std::fflush(nullptr);  // buffered output would be written twice
    const pid_t pid = fork();
    if (pid < 0) return false;
    if (pid == 0) _exit(child() ? 0 : 1);
    const auto deadline = std::chrono::steady_clock::now() + 2 * kMaxWait;
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            ADD_FAILURE() << "the child hangs";
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace zarr::test

// AddressSanitizer cannot follow a fork: the child may hang at a lock that another thread of the
// parent held. Its leak check fails, because the child lacks the threads of the parent.
#define SKIP_WITH_ADDRESS_SANITIZER() \
    if (zarr::kHasAddressSanitizer) GTEST_SKIP() << "AddressSanitizer cannot follow"

// ThreadSanitizer mixes up threads of child and parent with equal ids. When the child ends,
// ThreadSanitizer reports the threads of the parent as missing.
#define SKIP_WITH_THREAD_SANITIZER() \
    if (zarr::kHasThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer cannot follow"
