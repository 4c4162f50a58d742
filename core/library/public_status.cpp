// SPDX-License-Identifier: MIT
#include <exception>

#include "core/library/internal.h"
#include "core/library/zarr_core/status.h"

namespace zarr_core {

namespace {

// The empty message is never destroyed, because threads may still use it while the process ends.
const std::string& no_message = *new std::string();

constexpr bool AreSame(StatusCode code, zarr::StatusCode other) {
    return static_cast<int>(code) == static_cast<int>(other);
}
static_assert(AreSame(StatusCode::kOk, zarr::StatusCode::kOk) &&
              AreSame(StatusCode::kInvalidArgument, zarr::StatusCode::kInvalidArgument) &&
              AreSame(StatusCode::kNotFound, zarr::StatusCode::kNotFound) &&
              AreSame(StatusCode::kCorrupt, zarr::StatusCode::kCorrupt) &&
              AreSame(StatusCode::kUnsupported, zarr::StatusCode::kUnsupported) &&
              AreSame(StatusCode::kPermission, zarr::StatusCode::kPermission) &&
              AreSame(StatusCode::kIo, zarr::StatusCode::kIo) &&
              AreSame(StatusCode::kLimit, zarr::StatusCode::kLimit) &&
              AreSame(StatusCode::kOutOfMemory, zarr::StatusCode::kOutOfMemory) &&
              AreSame(StatusCode::kCancelled, zarr::StatusCode::kCancelled));

}  // namespace

Status::Status(StatusCode code, std::string message) noexcept : code_(code) {
    if (code == StatusCode::kOk) return;
    zarr::NoThrow([&] { message_ = std::make_shared<const std::string>(std::move(message)); });
}

const std::string& Status::message() const noexcept {
    return message_ != nullptr ? *message_ : no_message;
}

Status ToPublic(const zarr::Status& status) noexcept {
    if (status.ok()) return {};
    const auto code = static_cast<StatusCode>(status.code());
    try {
        return {code, status.message()};
    } catch (const std::exception&) {
        return {code, std::string()};
    }
}

zarr::Status ToPrivate(const Status& status) {
    return {static_cast<zarr::StatusCode>(status.code()), status.message()};
}

Status UnexpectedException(const char* what) noexcept {
    try {
        return {StatusCode::kIo, std::string("unexpected exception: ") + what};
    } catch (const std::exception&) {
        return {StatusCode::kIo, std::string()};
    }
}

zarr::Status ToInvalidArgument(const zarr::Status& status, std::string_view what) {
    if (status.ok()) return {};
    const bool is_damage = status.code() == zarr::StatusCode::kCorrupt;
    const zarr::Status argument(is_damage ? zarr::StatusCode::kInvalidArgument : status.code(),
                                status.message());
    return what.empty() ? argument : argument.WithContext(what);
}

}  // namespace zarr_core
