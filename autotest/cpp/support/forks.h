// SPDX-License-Identifier: MIT
// For tests of what a forked process can do; on systems that fork.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "autotest/cpp/support/sanitizers.h"
#include "autotest/cpp/support/threads.h"

namespace zarr::test {

// True where `child`, in a forked process, returns true, and in time.
inline bool SucceedsInChild(const std::function<bool()>& child) {
    std::fflush(nullptr);  // or the child may write it again
    const pid_t pid = fork();
    if (pid < 0) return false;
    if (pid == 0) _exit(child() ? 0 : 1);
    const auto deadline = std::chrono::steady_clock::now() + 2 * kPatience;
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

// AddressSanitizer may be in the middle of something on another thread at the fork, which then
// never ends in the child; and its search for leaks stumbles over the parent's threads.
#define SKIP_WITH_ADDRESS_SANITIZER() \
    if (zarr::test::kHasAddressSanitizer) GTEST_SKIP() << "AddressSanitizer cannot follow"

// ThreadSanitizer takes threads of the child for those of the parent that had their ids, and misses
// the parent's in the end.
#define SKIP_WITH_THREAD_SANITIZER() \
    if (zarr::test::kHasThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer cannot follow"
