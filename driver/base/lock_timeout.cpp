// SPDX-License-Identifier: MIT
#include "driver/base/lock_timeout.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/text.h"

namespace zarr_driver {

namespace {

constexpr const char* kConfigOption = "ZARR_LOCK_TIMEOUT";

}  // namespace

zarr::Result<std::chrono::milliseconds> ParseLockTimeout(const char* const* options) {
    const char* text = CSLFetchNameValue(options, "LOCK_TIMEOUT");
    const char* const name = text != nullptr ? "LOCK_TIMEOUT" : kConfigOption;
    if (text == nullptr) text = CPLGetConfigOption(kConfigOption, "60");
    char* end = nullptr;
    const double seconds = CPLStrtod(text, &end);
    // A longer time would not fit the clock's numbers.
    constexpr double kYear = 366.0 * 24 * 3600;
    if (end == text || *end != '\0' || !(seconds >= 0) || !(seconds <= kYear))
        return zarr::Status::Invalid(std::string("option ") + name +
                                     ": expected a number of seconds from 0 to 31622400, got " +
                                     zarr::Quoted(text));
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

LockTimeoutScope::LockTimeoutScope(const char* const* options)
    : is_set_(CSLFetchNameValue(options, "LOCK_TIMEOUT") != nullptr &&
              ParseLockTimeout(options).ok()) {
    if (!is_set_) return;
    if (const char* const own = CPLGetThreadLocalConfigOption(kConfigOption, nullptr))
        before_ = own;
    CPLSetThreadLocalConfigOption(kConfigOption, CSLFetchNameValue(options, "LOCK_TIMEOUT"));
}

LockTimeoutScope::~LockTimeoutScope() {
    if (is_set_) CPLSetThreadLocalConfigOption(kConfigOption, before_ ? before_->c_str() : nullptr);
}

}  // namespace zarr_driver
