// SPDX-License-Identifier: MIT
#include "core/base/status.h"

#include <new>

namespace zarr {

// Content of every out-of-memory error. Allocated at load time, because memory may be lacking when
// the error occurs. Never destroyed, because threads may still run while the process ends.
const std::shared_ptr<const Status::Rep>& Status::no_memory_ =
    *new std::shared_ptr<const Rep>(new Rep{StatusCode::kOutOfMemory, "out of memory"});

Status::Status(StatusCode code, std::string message) noexcept {
    if (code == StatusCode::kOk) return;
    try {
        rep_ = std::make_shared<const Rep>(Rep{code, std::move(message)});
    } catch (const std::bad_alloc&) {
        rep_ = no_memory_;
    }
}

Status Status::Invalid(std::string message) {
    return {StatusCode::kInvalidArgument, std::move(message)};
}
Status Status::NotFound(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }
Status Status::Corrupt(std::string message) { return {StatusCode::kCorrupt, std::move(message)}; }
Status Status::Unsupported(std::string message) {
    return {StatusCode::kUnsupported, std::move(message)};
}
Status Status::Permission(std::string message) {
    return {StatusCode::kPermission, std::move(message)};
}
Status Status::Io(std::string message) { return {StatusCode::kIo, std::move(message)}; }
Status Status::Limit(std::string message) { return {StatusCode::kLimit, std::move(message)}; }
Status Status::OutOfMemory(std::string message) {
    return {StatusCode::kOutOfMemory, std::move(message)};
}

namespace {

// Message of an ok status. Allocated at load time and never destroyed, because threads may still
// use the message while the process ends.
const auto& none = *new std::string();

}  // namespace

const std::string& Status::message() const { return rep_ ? rep_->message : none; }

Status Status::WithContext(std::string_view where) const noexcept {
    if (ok()) return *this;
    try {
        std::string text(where);
        text += ": ";
        text += rep_->message;
        return {rep_->code, std::move(text)};
    } catch (const std::bad_alloc&) {
        return *this;
    }
}

}  // namespace zarr
