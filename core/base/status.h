// SPDX-License-Identifier: MIT
// Errors as values: every function of the core that can fail returns a Status or a Result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zarr {

enum class StatusCode {
    kOk,
    kInvalidArgument,  // the caller asked for something impossible
    kNotFound,         // a node that was asked for by name does not exist
    kCorrupt,          // bytes or metadata in the store contradict the format
    kUnsupported,      // valid, but this library cannot or may not read it
    kPermission,       // the store refuses access
    kIo,               // the store failed
    kLimit,            // a configured or built-in bound would be exceeded
    kOutOfMemory,
    kCancelled,
};

// Outcome of a function: ok, or an error code with a message. The message names the location from
// the outside in ("dem.zarr: elevation/.zarray: chunks[1]: expected ..."). Cheap to copy. If there
// is no memory for a message, the code becomes kOutOfMemory.
class [[nodiscard]] Status {
  public:
    Status() = default;
    Status(StatusCode code, std::string message) noexcept;

    static Status Invalid(std::string message);
    static Status NotFound(std::string message);
    static Status Corrupt(std::string message);
    static Status Unsupported(std::string message);
    static Status Permission(std::string message);
    static Status Io(std::string message);
    static Status Limit(std::string message);
    static Status OutOfMemory(std::string message);

    bool ok() const { return rep_ == nullptr; }
    StatusCode code() const { return rep_ ? rep_->code : StatusCode::kOk; }
    const std::string& message() const;

    // Returns this error with `where` and ": " before its message; an ok status stays ok.
    Status WithContext(std::string_view where) const noexcept;

  private:
    struct Rep {
        StatusCode code;
        std::string message;
    };
    static const std::shared_ptr<const Rep>& no_memory_;
    std::shared_ptr<const Rep> rep_;
};

// Outcome of a function that returns a value: either the value, or the error due to which there is
// no value.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
    Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

    bool ok() const { return value_.has_value(); }
    const Status& status() const { return status_; }
    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }
    T&& Take() { return std::move(*value_); }

    Result WithContext(std::string_view where) && {
        if (!ok()) status_ = status_.WithContext(where);
        return std::move(*this);
    }

  private:
    std::optional<T> value_;
    Status status_;
};

// Runs `work` and ignores every exception; for destructors, which must not throw.
template <class Work>
void NoThrow(Work&& work) noexcept {
    try {
        work();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the purpose of NoThrow()
    }
}

}  // namespace zarr

#define ZARR_CONCAT_INNER(a, b) a##b
#define ZARR_CONCAT(a, b) ZARR_CONCAT_INNER(a, b)

#define ZARR_RETURN_IF_ERROR(expr)                 \
    do {                                           \
        ::zarr::Status zarr_status = (expr);       \
        if (!zarr_status.ok()) return zarr_status; \
    } while (false)

#define ZARR_ASSIGN_OR_RETURN(lhs, expr)                     \
    auto ZARR_CONCAT(zarr_result_, __LINE__) = (expr);       \
    if (!ZARR_CONCAT(zarr_result_, __LINE__).ok())           \
        return ZARR_CONCAT(zarr_result_, __LINE__).status(); \
    lhs = ZARR_CONCAT(zarr_result_, __LINE__).Take() /* NOLINT(bugprone-macro-parentheses) */
