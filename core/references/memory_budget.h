// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/base/limits.h"
#include "core/base/status.h"

namespace zarr {

// Memory that the references of one open store take together, in bytes, whatever the number of
// files and threads. Thread-safe.
class MemoryBudget {
  public:
    // `limit` is a limit in bytes, which errors name.
    explicit MemoryBudget(Limit limit) : limit_(limit), left_(LimitOf(limit)) {}

    // Counts `bytes`. Returns an error with code kLimit if they exceed what is left.
    Status Take(std::uint64_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (bytes > left_)
            return OverLimit(limit_, "the references of the store take too much memory");
        left_ -= bytes;
        return {};
    }
    void Return(std::uint64_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        left_ += bytes;
    }
    std::uint64_t left() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return left_;
    }

  private:
    const Limit limit_;
    mutable std::mutex mutex_;
    std::uint64_t left_;
};

// Bytes that an object has taken from a budget. The destructor returns them. Movable.
class BudgetShare {
  public:
    BudgetShare() = default;
    explicit BudgetShare(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
    ~BudgetShare() { Reset(); }
    BudgetShare(const BudgetShare&) = delete;
    BudgetShare& operator=(const BudgetShare&) = delete;
    BudgetShare(BudgetShare&& other) noexcept
        : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
    BudgetShare& operator=(BudgetShare&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
    // Takes `bytes` more; kLimit if the budget has fewer.
    Status Add(std::uint64_t bytes) {
        if (budget_ == nullptr) return {};
        ZARR_RETURN_IF_ERROR(budget_->Take(bytes));
        bytes_ += bytes;
        return {};
    }
    void Subtract(std::uint64_t bytes) {
        if (budget_ == nullptr) return;
        budget_->Return(bytes);
        bytes_ -= bytes;
    }

  private:
    void Reset() {
        if (budget_ != nullptr && bytes_ != 0) budget_->Return(bytes_);
    }

    std::shared_ptr<MemoryBudget> budget_;
    std::uint64_t bytes_ = 0;
};

}  // namespace zarr
