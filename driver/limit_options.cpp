// SPDX-License-Identifier: MIT
#include "driver/limit_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "driver/report.h"

namespace zarr_driver {

namespace {

// What a number is multiplied with by the letters behind it.
std::optional<std::uint64_t> FactorOf(const std::string& unit, bool is_bytes) {
    if (unit.empty()) return 1;
    if (!is_bytes) return std::nullopt;
    static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
    std::uint64_t factor = 1;
    for (const char* name : kUnits) {
        if (EQUAL(unit.c_str(), name)) return factor;
        factor <<= 10;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> ParseLimit(std::string_view text, bool is_bytes) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number == 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto factor = FactorOf(std::string(text), is_bytes);
    return factor ? zarr::CheckedMul(number, *factor) : std::nullopt;
}

}  // namespace

void ReadLimits() {
    static std::mutex mutex;
    static std::array<std::string, std::tuple_size_v<std::decay_t<decltype(zarr::Limits())>>> seen;
    const std::lock_guard<std::mutex> lock(mutex);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const zarr::LimitInfo& info = zarr::Limits()[i];
        const std::string name(info.name);
        const std::string text = CPLGetConfigOption(name.c_str(), "");
        if (text == seen[i]) continue;
        seen[i] = text;
        const auto value =
            text.empty() ? std::optional(info.preset) : ParseLimit(text, info.is_bytes);
        const bool is_good = value && *value <= info.largest;
        zarr::SetLimit(info.limit, is_good ? *value : info.preset);
        if (!is_good)
            EmitWarning(name, "expected a number from 1 to " + std::to_string(info.largest) +
                                  ", got " + zarr::Quoted(text));
    }
}

}  // namespace zarr_driver
