// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/base/dim_vector.h"
#include "core/base/fork.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

// What joins the indices in the keys of an array's chunks. Where `.zarray` does not say, "." is
// what the specification means, but stores in nested folders were written without a word as well:
// by zarr-python's NestedDirectoryStore before 2.8, and by who follows OGC's text, which has no
// such member. The store shows which it is once a chunk is found, or is looked for in vain.
// Thread-safe.
class KeySeparator {
  public:
    // Of an array without chunks to be found; others are told what their metadata say, once, before
    // they are shared.
    KeySeparator() = default;
    void Init(const ArrayMetadata& metadata);

    // '.' or '/', as far as is known.
    char get() const { return state_.load() == State::kSlash ? '/' : '.'; }
    bool is_settled() const { return state_.load() != State::kUnknown; }

    // The separator. The first call that finds it unsettled looks at what the store has below
    // `array_path`: a chunk joined by "." counts before one of a nested folder, and where there is
    // neither, it is asked for `chunk`, joined by "/"; if that is absent, "." is assumed.
    Result<char> Settle(const Store& store, const std::string& array_path,
                        const DimVector<std::uint64_t>& chunk) const;
    // A chunk was found under the key that get() makes.
    void Confirm() const;
    // A listing found chunks joined by "." or, as far as that did not, by "/".
    void Listed(bool has_dots, bool has_slashes) const;
    // What was assumed is looked for again.
    void DropAssumption() const;

  private:
    enum class State : std::uint8_t { kUnknown, kAssumedDot, kDot, kSlash };

    Result<State> Look(const Store& store, const std::string& array_path,
                       const DimVector<std::uint64_t>& chunk) const;
    // Where nothing is known for certain yet.
    void Know(State state) const;

    std::size_t rank_ = 0;
    mutable std::atomic<State> state_{State::kDot};
    mutable Lazy<State> looked_;
};

}  // namespace zarr
