// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/status.h"
#include "core/base/turn.h"

namespace zarr {

// A value that is made when it is first asked for, however slowly; who asks meanwhile waits. In a
// forked child what a thread of the parent was making is made anew. Thread-safe.
template <class T>
class Lazy {
  public:
    // The value, which `make()` returns where there is none. `make` must not ask for it. The
    // reference is good until Reset(). What `make` throws is passed on, and others try again.
    template <class Make>
    const T& Get(const Make& make) const {
        for (;;) {
            std::shared_ptr<Turn> others;
            {
                const std::lock_guard<Mutex> lock(mutex_);
                if (value_) return *value_;
                others = OthersTurn();
            }
            if (others == nullptr) return MakeNow(make);
            others->Wait();
        }
    }

    // A copy of the value, where `make()` returns a Result<T>. A failure is returned and not kept:
    // who waited for it tries by itself. Others may call Reset() meanwhile.
    template <class Make>
    Result<T> TryGet(const Make& make) const {
        for (;;) {
            std::shared_ptr<Turn> others;
            {
                const std::lock_guard<Mutex> lock(mutex_);
                if (value_) return T(*value_);
                others = OthersTurn();
            }
            if (others == nullptr) {
                const EndOfTurn end(*this);
                ZARR_ASSIGN_OR_RETURN(T made, make());
                const std::lock_guard<Mutex> lock(mutex_);
                return T(value_.emplace(std::move(made)));
            }
            others->Wait();
        }
    }

    // Forgets the value; not while others use the reference that Get() gave them.
    void Reset() {
        const std::lock_guard<Mutex> lock(mutex_);
        value_.reset();
    }

  private:
    class EndOfTurn {
      public:
        explicit EndOfTurn(const Lazy& lazy) : lazy_(lazy) {}
        ~EndOfTurn() {
            std::shared_ptr<Turn> turn;
            {
                const std::lock_guard<Mutex> lock(lazy_.mutex_);
                turn = std::move(lazy_.turn_);
            }
            if (turn != nullptr) turn->End();
        }
        EndOfTurn(const EndOfTurn&) = delete;
        EndOfTurn& operator=(const EndOfTurn&) = delete;

      private:
        const Lazy& lazy_;
    };

    // The turn of somebody else; nullptr where it is the caller's from now on. Under the mutex.
    std::shared_ptr<Turn> OthersTurn() const {
        if (turn_ != nullptr && turn_->IsOfThisProcess()) return turn_;
        turn_ = std::make_shared<Turn>();
        return nullptr;
    }

    template <class Make>
    const T& MakeNow(const Make& make) const {
        const EndOfTurn end(*this);
        T made = make();
        const std::lock_guard<Mutex> lock(mutex_);
        return value_.emplace(std::move(made));
    }

    mutable Mutex mutex_;
    mutable std::optional<T> value_;
    mutable std::shared_ptr<Turn> turn_;  // of who makes it
};

}  // namespace zarr
