// SPDX-License-Identifier: MIT
// Errors as return values. Functions of the library that can fail return a Status or a Result and
// do not throw. If memory is exhausted, they return StatusCode::kOutOfMemory.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "zarr_core/export.h"

namespace zarr_core {

// Kinds of errors.
enum class StatusCode : std::uint8_t {
    kOk,
    kInvalidArgument,  // the caller's arguments are invalid
    kNotFound,         // a requested store or node does not exist
    kCorrupt,          // bytes or metadata in the store violate the format
    kUnsupported,      // a valid request that this library, this build or this store cannot fulfil
    kPermission,       // the store refuses access
    kIo,               // reading from or writing to the store failed
    kLimit,            // a limit of limits.h would be exceeded
    kOutOfMemory,
    kCancelled,
};

// Success, or an error code with a message for people. The message begins with the location of the
// error, outermost first: "elevation/1.0: chunk [1, 0]: zlib: ...". Copying is cheap, and threads
// may share copies.
class [[nodiscard]] ZARR_CORE_EXPORT Status {
  public:
    // Constructs a success.
    Status() noexcept = default;
    // Constructs an error, or a success if `code` is kOk. Programs that implement a KeyValueStore
    // return errors made in this way.
    Status(StatusCode code, std::string message) noexcept;

    bool ok() const noexcept { return code_ == StatusCode::kOk; }
    StatusCode code() const noexcept { return code_; }
    // Returns the message; empty for success. The reference is valid as long as this Status or a
    // copy of it exists.
    const std::string& message() const noexcept;

  private:
    StatusCode code_ = StatusCode::kOk;
    std::shared_ptr<const std::string> message_;  // no message or no memory for it: nullptr
};

// Holds a value, or the error that prevented it.
template <class T>
class [[nodiscard]] Result {
  public:
    // Constructs a success with `value`.
    Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
    // Constructs an error; `status` must not be ok.
    Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
        assert(!status_.ok());
    }

    bool ok() const noexcept { return value_.has_value(); }
    // Returns the error; success if there is a value.
    const Status& status() const noexcept { return status_; }

    // Return the value; may only be called if ok().
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
