// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/dim_vector.h"

namespace zarr {

// The order in which the elements of a block lie in memory: its dimensions, slowest first.
class AxisOrder {
  public:
    // Row-major, of any number of dimensions; column-major where asked for.
    AxisOrder(bool is_column_major = false)  // NOLINT(google-explicit-constructor): Zarr v2's two
        : kind_(is_column_major ? Kind::kColumnMajor : Kind::kRowMajor) {}

    // Of dimension `axes[0]`, which is the slowest, `axes[1]`, ...: a permutation.
    static AxisOrder Of(const DimVector<std::size_t>& axes);

    // Of `rank` dimensions, the one that is `place`-th, 0 being the slowest.
    std::size_t At(std::size_t place, std::size_t rank) const {
        if (kind_ == Kind::kOther) return axes_[place];
        return kind_ == Kind::kColumnMajor ? rank - 1 - place : place;
    }

    // Of a block of one dimension both hold.
    bool is_row_major(std::size_t rank = 2) const { return kind_ == Kind::kRowMajor || rank < 2; }
    bool is_column_major(std::size_t rank = 2) const {
        return kind_ == Kind::kColumnMajor || rank < 2;
    }

    // "C", "F", or the dimensions as "[1, 0, 2]".
    std::string Text() const;

    friend bool operator==(const AxisOrder& a, const AxisOrder& b) {
        return a.kind_ == b.kind_ && a.Text() == b.Text();
    }

  private:
    enum class Kind : std::uint8_t { kRowMajor, kColumnMajor, kOther };
    Kind kind_ = Kind::kRowMajor;
    DimVector<std::uint8_t> axes_;  // of kOther
};

}  // namespace zarr
