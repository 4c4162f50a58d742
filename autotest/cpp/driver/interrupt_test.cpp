// SPDX-License-Identifier: MIT
// Signals that come while a store is being made. Each case is a process of its own, as most end.
#include "driver/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "autotest/cpp/support/sanitizers.h"

namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;
using zarr_driver::InterruptScope;

// What the death tests look for.
void Say(const char* text) { std::fputs(text, stderr); }

void SetDefault(int signal) { std::signal(signal, SIG_DFL); }

std::atomic<int> handled{0};
extern "C" void CountSignal(int /*signal*/) { ++handled; }

class Interrupt : public testing::Test {
  protected:
    // A shell may have started the tests with signals ignored.
    static void SetUpTestSuite() {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) SetDefault(signal);
    }
};

TEST_F(Interrupt, IsNotRequestedWithoutSignals) {
    EXPECT_FALSE(InterruptScope::IsRequested());
    const InterruptScope scope;
    EXPECT_FALSE(InterruptScope::IsRequested());
}

TEST_F(Interrupt, EndsTheProcessOnceTheScopeHasEnded) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const auto run = [signal] {
            SetDefault(signal);
            {
                const InterruptScope scope;
                std::raise(signal);
                if (InterruptScope::IsRequested()) Say("cleaned up");
            }
            Say("went on");
            std::_Exit(0);
        };
        EXPECT_EXIT(run(), KilledBySignal(signal), "cleaned up$") << signal;
    }
}

TEST_F(Interrupt, WaitsForTheLastScope) {
    const auto run = [] {
        SetDefault(SIGINT);
        std::optional<InterruptScope> outer(std::in_place);
        std::thread other([] {
            const InterruptScope inner;
            std::raise(SIGINT);
        });
        other.join();
        if (InterruptScope::IsRequested()) Say("still there");
        outer.reset();
        std::_Exit(0);
    };
    EXPECT_EXIT(run(), KilledBySignal(SIGINT), "still there");
}

// Else threads that begin one job after the other would hold up the end for ever.
TEST_F(Interrupt, IsNotHeldUpByWhatBeginsAfterwards) {
    const auto run = [] {
        SetDefault(SIGINT);
        std::optional<InterruptScope> first(std::in_place);
        std::raise(SIGINT);
        const InterruptScope second;
        if (InterruptScope::IsRequested()) Say("begins cancelled");
        first.reset();
        std::_Exit(0);
    };
    EXPECT_EXIT(run(), KilledBySignal(SIGINT), "begins cancelled");
}

TEST_F(Interrupt, EndsTheProcessAtOnceTheSecondTime) {
    for (const int second : {SIGINT, SIGTERM}) {
        const auto run = [second] {
            SetDefault(SIGINT);
            SetDefault(SIGTERM);
            const InterruptScope scope;
            std::raise(SIGINT);
            Say("once");
            std::raise(second);
            Say("twice");
            std::_Exit(0);
        };
        EXPECT_EXIT(run(), KilledBySignal(second), "once$") << second;
    }
}

TEST_F(Interrupt, LeavesHandlersOfTheProgramAlone) {
    const auto before = std::signal(SIGINT, CountSignal);
    {
        const InterruptScope scope;
        std::raise(SIGINT);
        EXPECT_FALSE(InterruptScope::IsRequested());
    }
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(std::signal(SIGINT, before), CountSignal);
}

TEST_F(Interrupt, LeavesIgnoredSignalsAlone) {
    const auto before = std::signal(SIGHUP, SIG_IGN);
    {
        const InterruptScope scope;
        std::raise(SIGHUP);
        EXPECT_FALSE(InterruptScope::IsRequested());
    }
    EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
}

TEST_F(Interrupt, GivesTheDispositionsBack) {
    for (int i = 0; i < 3; ++i) {
        const InterruptScope outer;
        const InterruptScope inner;
    }
    EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_DFL);
    EXPECT_EQ(std::signal(SIGTERM, SIG_DFL), SIG_DFL);
}

// A program may take a signal while a job is under way: it is its own from then on, and hears of
// what was noted before.
TEST_F(Interrupt, HandsOnToWhoHasTakenTheSignalMeanwhile) {
    handled = 0;
    {
        const InterruptScope scope;
        std::raise(SIGINT);
        EXPECT_TRUE(InterruptScope::IsRequested());
        std::signal(SIGINT, CountSignal);
    }
    EXPECT_EQ(handled, 1);
    EXPECT_FALSE(InterruptScope::IsRequested());
    EXPECT_EQ(std::signal(SIGINT, SIG_DFL), CountSignal);
}

// Runs `work` in a fork()ed child and returns how that ended.
template <class Work>
int StatusOfChild(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        std::_Exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST_F(Interrupt, AChildHasNothingOfItsParentsJobs) {
    const InterruptScope scope;
    const int status = StatusOfChild([] { std::raise(SIGINT); });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    EXPECT_FALSE(InterruptScope::IsRequested());
}

TEST_F(Interrupt, AChildHasJobsOfItsOwn) {
    const InterruptScope scope;
    const int status = StatusOfChild([] {
        const InterruptScope own;
        std::raise(SIGTERM);
        std::_Exit(InterruptScope::IsRequested() ? 7 : 8);
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
    const int killed = StatusOfChild([] {
        { const InterruptScope own; }
        std::raise(SIGTERM);
    });
    EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGTERM) << killed;
}

TEST_F(Interrupt, ThreadsMayBeginAndEndAtAnyTime) {
    const auto run = [] {
        SetDefault(SIGINT);
        std::atomic<bool> stop{false};
        const auto work = [&stop] {
            while (!stop) const InterruptScope scope;
        };
        std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
        Say("running");
        // Noted, or at once: it must not be lost. ThreadSanitizer itself loses some of those whose
        // handler changes while they come, so there several are sent.
        for (int times = zarr::test::kHasThreadSanitizer ? 20 : 1; times > 0; --times) {
            kill(getpid(), SIGINT);
            std::this_thread::sleep_for(std::chrono::seconds(times == 1 ? 60 : 1));
        }
        stop = true;
        for (std::thread& thread : threads) thread.join();
        std::_Exit(0);
    };
    EXPECT_EXIT(run(), KilledBySignal(SIGINT), "running");
}

}  // namespace
