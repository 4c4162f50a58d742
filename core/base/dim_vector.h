// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>

namespace zarr {

// Vector of one value per dimension, with fixed capacity (kCapacity) and without allocation.
template <class T>
class DimVector {
  public:
    // Maximum number of dimensions: the largest value that Limit::kDimensions can have. NumPy 2 has
    // an equal maximum.
    static constexpr std::size_t kCapacity = 64;

    DimVector() = default;
    explicit DimVector(std::size_t size, T value = T()) : size_(size) {
        assert(size <= kCapacity);
        for (std::size_t i = 0; i < size; ++i) items_[i] = value;
    }
    DimVector(std::initializer_list<T> values) {
        for (const T& value : values) push_back(value);
    }

    void push_back(T value) {
        assert(size_ < kCapacity);
        items_[size_++] = value;
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return items_[i]; }
    const T& operator[](std::size_t i) const { return items_[i]; }
    T* begin() { return items_.data(); }
    T* end() { return items_.data() + size_; }
    const T* begin() const { return items_.data(); }
    const T* end() const { return items_.data() + size_; }

  private:
    std::array<T, kCapacity> items_;
    std::size_t size_ = 0;
};

}  // namespace zarr
