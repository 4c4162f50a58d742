// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/dim_vector.h"

namespace zarr {

// Order in which the dimensions of a block lie in memory, slowest first.
class AxisOrder {
  public:
    // Creates row-major order (C), or column-major order (Fortran), for any number of dimensions.
    AxisOrder(bool is_column_major = false)  // NOLINT(google-explicit-constructor): Zarr v2's two
        : kind_(is_column_major ? Kind::kColumnMajor : Kind::kRowMajor) {}

    // Creates the order that the permutation `axes` lists: `axes[0]` is the slowest dimension.
    static AxisOrder Of(const DimVector<std::size_t>& axes);

    // Returns the dimension at `place` in the order, for a block with `rank` dimensions. The
    // slowest dimension is at place 0, the fastest at place `rank` - 1.
    std::size_t At(std::size_t place, std::size_t rank) const {
        if (kind_ == Kind::kOther) return axes_[place];
        return kind_ == Kind::kColumnMajor ? rank - 1 - place : place;
    }

    // A block with fewer than two dimensions is both row-major and column-major.
    bool is_row_major(std::size_t rank = 2) const { return kind_ == Kind::kRowMajor || rank < 2; }
    bool is_column_major(std::size_t rank = 2) const {
        return kind_ == Kind::kColumnMajor || rank < 2;
    }

    // Returns the order as text for messages: "C", "F", or the permutation, such as "[1, 0, 2]".
    std::string Text() const;

    friend bool operator==(const AxisOrder& a, const AxisOrder& b) {
        return a.kind_ == b.kind_ && a.Text() == b.Text();
    }

  private:
    enum class Kind : std::uint8_t { kRowMajor, kColumnMajor, kOther };
    Kind kind_ = Kind::kRowMajor;
    DimVector<std::uint8_t> axes_;  // slowest dimension first; set only if kind_ is kOther
};

}  // namespace zarr
