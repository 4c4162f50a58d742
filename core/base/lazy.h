// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

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
            std::shared_ptr<Turn> turn;
            {
                const std::lock_guard<Mutex> lock(mutex_);
                if (value_) return *value_;
                if (turn_ != nullptr && turn_->IsOfThisProcess())
                    turn = turn_;
                else
                    turn_ = std::make_shared<Turn>();
            }
            if (turn == nullptr) return MakeNow(make);
            turn->Wait();
        }
    }

    // Forgets the value; not while others use it.
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
