// SPDX-License-Identifier: MIT
#include "core/base/status.h"

namespace zarr {

Status::Status(StatusCode code, std::string message) {
    if (code != StatusCode::kOk) rep_ = std::make_shared<const Rep>(Rep{code, std::move(message)});
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

// Not of a function: see core/base/fork.h.
const auto& none = *new std::string();

}  // namespace

const std::string& Status::message() const { return rep_ ? rep_->message : none; }

Status Status::WithContext(std::string_view where) const {
    if (ok()) return *this;
    std::string text(where);
    text += ": ";
    text += rep_->message;
    return {rep_->code, std::move(text)};
}

}  // namespace zarr
