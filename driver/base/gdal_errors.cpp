// SPDX-License-Identifier: MIT
#include "driver/base/gdal_errors.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "core/base/text.h"
#include "core/store/staging.h"
#include "driver/base/secrets.h"

namespace zarr_driver {

namespace {

CPLErrorNum ErrorNumber(zarr::StatusCode code) {
    switch (code) {
        case zarr::StatusCode::kInvalidArgument:
            return CPLE_IllegalArg;
        case zarr::StatusCode::kNotFound:
            return CPLE_OpenFailed;
        case zarr::StatusCode::kUnsupported:
            return CPLE_NotSupported;
        case zarr::StatusCode::kPermission:
        case zarr::StatusCode::kIo:
            return CPLE_FileIO;
        case zarr::StatusCode::kOutOfMemory:
            return CPLE_OutOfMemory;
        case zarr::StatusCode::kCancelled:
            return CPLE_UserInterrupt;
        default:
            return CPLE_AppDefined;
    }
}

// Returns `message` as users may see it. The name of the store is replaced by the result of
// ShownName(), and secrets are hidden.
std::string ShownMessage(const std::string& store, std::string message) {
    const std::string name = store.substr(0, store.find(": "));
    const std::string shown = ShownName(name);
    for (std::size_t at = name.empty() ? std::string::npos : message.find(name);
         at != std::string::npos; at = message.find(name, at + shown.size()))
        message.replace(at, name.size(), shown);
    return HideSecrets(message, UrlEnd::kAtSpace);
}

// Emits an error or warning. Replaces invalid UTF-8, because names and values in a store may hold
// any bytes.
void Emit(CPLErr severity, CPLErrorNum number, const std::string& store,
          const std::string& message) {
    CPLError(
        severity, number, "%s",
        zarr::ReplaceInvalidUtf8(ShownName(store) + ": " + ShownMessage(store, message)).c_str());
}

}  // namespace

std::string ShownName(const std::string& store) {
    return HideSecrets(zarr::FinalName(store), UrlEnd::kAtSeparator);
}

void EmitThrown(const char* store, const std::exception* thrown) noexcept {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(thrown) != nullptr ||
                           dynamic_cast<const std::length_error*>(thrown) != nullptr;
    const char* name = MayHoldSecrets(store) ? "***" : store;
    const char* cause = is_memory ? "out of memory" : "an unknown error";
    std::string shown_name;
    std::string shown_cause;
    zarr::NoThrow([&] {
        shown_name = ShownName(store);
        name = shown_name.c_str();
        if (is_memory || thrown == nullptr) return;
        shown_cause = ShownMessage(store, thrown->what());
        cause = shown_cause.c_str();
    });
    CPLError(CE_Failure, is_memory ? CPLE_OutOfMemory : CPLE_AppDefined, "%s: %s", name, cause);
}

CPLErr EmitError(const std::string& store, const zarr::Status& status) {
    Emit(CE_Failure, ErrorNumber(status.code()), store, status.message());
    return CE_Failure;
}

void EmitWarning(const std::string& store, const std::string& message) {
    Emit(CE_Warning, CPLE_AppDefined, store, message);
}

void EmitWarnings(const std::string& store, const std::vector<std::string>& messages) {
    for (const std::string& message : messages) EmitWarning(store, message);
}

std::string FirstFew(const std::vector<std::string>& texts, const std::string& separator) {
    constexpr std::size_t kNamed = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(texts.size(), kNamed); ++i)
        text += (i != 0 ? separator : "") + texts[i];
    if (texts.size() > kNamed)
        text += separator + "and " + std::to_string(texts.size() - kNamed) + " more";
    return text;
}

QuietErrors::QuietErrors() {
    CPLPushErrorHandler(CPLQuietErrorHandler);
    CPLErrorReset();
}

QuietErrors::~QuietErrors() { CPLPopErrorHandler(); }

std::string QuietErrors::Message() { return CPLGetLastErrorMsg(); }

}  // namespace zarr_driver
