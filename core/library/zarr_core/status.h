// SPDX-License-Identifier: MIT
// Errors as values. Functions of the library that can fail return a Status or a Result, and throw
// nothing: where memory runs out they return StatusCode::kOutOfMemory.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "zarr_core/export.h"

namespace zarr_core {

// The kinds of errors.
enum class StatusCode : std::uint8_t {
    kOk,
    kInvalidArgument,  // the caller asked for something that cannot be
    kNotFound,         // a store or node that was asked for does not exist
    kCorrupt,          // bytes or metadata in the store contradict the format
    kUnsupported,      // valid, but this library, this build or this store cannot do it
    kPermission,       // the store refuses access
    kIo,               // the store failed
    kLimit,            // a bound of limits.h would be exceeded
    kOutOfMemory,
    kCancelled,
};

// Success, or an error code with a message for people. The message begins with where the error is,
// from the outside in: "elevation/1.0: chunk [1, 0]: zlib: ...". Copying is cheap. Copies may be
// used by different threads.
class [[nodiscard]] ZARR_CORE_EXPORT Status {
  public:
    // Success.
    Status() noexcept = default;
    // An error; success if `code` is kOk. A store of the program's own returns errors this way.
    Status(StatusCode code, std::string message) noexcept;

    bool ok() const noexcept { return code_ == StatusCode::kOk; }
    StatusCode code() const noexcept { return code_; }
    // Returns the message; empty for success. Valid as long as this object or a copy of it.
    const std::string& message() const noexcept;

  private:
    StatusCode code_ = StatusCode::kOk;
    std::shared_ptr<const std::string> message_;  // nullptr: none, or no memory for one
};

// A value, or the error that prevented it.
template <class T>
class [[nodiscard]] Result {
  public:
    // Success.
    Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
    // An error; `status` must not be ok.
    Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
        assert(!status_.ok());
    }

    bool ok() const noexcept { return value_.has_value(); }
    // Returns the error; success if there is a value.
    const Status& status() const noexcept { return status_; }

    // The value. Only to be called if ok().
    T& operator*() & { return *value_; }
    const T& operator*() const& { return *value_; }
    T&& operator*() && { return *std::move(value_); }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }

  private:
    std::optional<T> value_;
    Status status_;
};

}  // namespace zarr_core
