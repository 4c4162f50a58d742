// SPDX-License-Identifier: MIT
#include "driver/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>

#if defined(__unix__) || defined(__APPLE__)
#define ZARR_HAS_SIGACTION 1
#include <unistd.h>
#else
#define ZARR_HAS_SIGACTION 0
#endif

#include "core/base/fork.h"

namespace zarr_driver {

namespace {

// ---------------------------------------------------------------------------------------------
// What the system has

#if ZARR_HAS_SIGACTION
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
#else
constexpr std::array kSignals{SIGINT, SIGTERM};
#endif

std::size_t PlaceOf(int signal) {
    std::size_t place = 0;
    while (place < kSignals.size() && kSignals[place] != signal) ++place;
    return place;
}

#if ZARR_HAS_SIGACTION

long ThisProcess() { return static_cast<long>(getpid()); }

void EndBy(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    kill(getpid(), signal);  // within the handler it comes when that returns
}

#else

long ThisProcess() { return 1; }

void EndBy(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

#endif

// What a handler sees and changes, at once: the process whose jobs these are, 0 where there are
// none, and below it those that were noted, as a bit set.
std::atomic<std::uint64_t> state{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
constexpr std::uint64_t kNoted = 0xFF;

std::uint64_t NothingNoted() { return static_cast<std::uint64_t>(ThisProcess()) << 8U; }

// Only what POSIX lists as safe in a handler. May come long after its job has ended.
extern "C" void ZarrNoteSignal(int signal) {
    std::uint64_t before = NothingNoted();
    const std::uint64_t after = before | (1U << PlaceOf(signal));
    if (!state.compare_exchange_strong(before, after)) EndBy(signal);
}

#if ZARR_HAS_SIGACTION

bool IsOurs(int signal) {
    struct sigaction current {};
    return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == ZarrNoteSignal;
}

// Takes a signal that has the default disposition; false where it has another.
bool Take(int signal) {
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) != 0) return false;
    // A child that was forked during a job of its parent has ours already.
    const bool is_free = (current.sa_flags & SA_SIGINFO) == 0 &&
                         (current.sa_handler == SIG_DFL || current.sa_handler == ZarrNoteSignal);
    if (!is_free) return false;
    struct sigaction action {};
    action.sa_handler = ZarrNoteSignal;
    action.sa_flags = SA_RESTART;  // what others read and wait for goes on
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, nullptr) == 0;
}

// False where somebody has taken it from us.
bool GiveBack(int signal) {
    if (!IsOurs(signal)) return false;
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    return sigaction(signal, &action, nullptr) == 0;
}

// By whom it is handled now.
void Raise(int signal) { kill(getpid(), signal); }

#else

bool Take(int signal) {
    const auto before = std::signal(signal, ZarrNoteSignal);
    if (before == SIG_DFL || before == ZarrNoteSignal) return true;
    std::signal(signal, before);
    return false;
}

bool GiveBack(int signal) {
    const auto before = std::signal(signal, SIG_DFL);
    // The system may have done so before it called the handler.
    if (before == ZarrNoteSignal || before == SIG_DFL) return true;
    std::signal(signal, before);
    return false;
}

void Raise(int signal) { std::raise(signal); }

#endif

// Of a bit set.
void RaiseAll(unsigned signals) {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        if ((signals & (1U << i)) != 0) Raise(kSignals[i]);
}

// ---------------------------------------------------------------------------------------------
// The scopes of the process

struct Scopes {
    zarr::Mutex mutex;
    std::uint64_t generation = 0;  // of the process that they are of
    std::size_t count = 0;
    std::array<bool, kSignals.size()> taken{};
};

// Never destroyed: the last dataset may be closed at the very end of the process.
Scopes& scopes = *new Scopes;

// Those of a parent are not a child's: its handlers, which the child has too, see by `state` that
// the child is another process.
void ForgetParentsLocked() {
    if (scopes.generation == zarr::ForkGeneration()) return;
    scopes.generation = zarr::ForkGeneration();
    scopes.count = 0;
}

bool Begin() {
    const std::lock_guard<zarr::Mutex> lock(scopes.mutex);
    ForgetParentsLocked();
    if (scopes.count > 0) {
        if (InterruptScope::IsRequested()) return false;
        ++scopes.count;
        return true;
    }
    scopes.count = 1;
    state = NothingNoted();
    for (std::size_t i = 0; i < kSignals.size(); ++i) scopes.taken[i] = Take(kSignals[i]);
    return true;
}

void End() {
    unsigned handed_on = 0;  // those that the program has taken meanwhile
    {
        const std::lock_guard<zarr::Mutex> lock(scopes.mutex);
        if (--scopes.count > 0) return;
        unsigned given_back = 0;
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            if (scopes.taken[i] && GiveBack(kSignals[i])) given_back |= 1U << i;
        const auto asked = static_cast<unsigned>(state.exchange(0) & kNoted);
        // Before another thread begins, which would note it anew, and so on for ever.
        RaiseAll(asked & given_back);
        handed_on = asked & ~given_back;
    }
    // Its handlers may do anything, so not within the lock.
    RaiseAll(handed_on);
}

}  // namespace

InterruptScope::InterruptScope() : generation_(zarr::ForkGeneration()), counts_(Begin()) {}

InterruptScope::~InterruptScope() {
    if (counts_ && generation_ == zarr::ForkGeneration()) End();
}

bool InterruptScope::IsRequested() { return (state.load(std::memory_order_relaxed) & kNoted) != 0; }

}  // namespace zarr_driver
