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
#include "core/base/fork.h"
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

using Texts = std::array<std::string, std::tuple_size_v<std::decay_t<decltype(zarr::Limits())>>>;

zarr::Mutex seen_mutex;
Texts& seen = *new Texts;  // what the options said when they were read last

// The value of an option, or none where that is not one.
std::optional<std::uint64_t> ValueOf(const zarr::LimitInfo& info, const std::string& text) {
    if (text.empty()) return info.preset;
    const auto value = ParseLimit(text, info.is_bytes);
    return value && *value <= info.largest ? value : std::nullopt;
}

}  // namespace

void ReadLimits() {
    Texts texts;
    for (std::size_t i = 0; i < texts.size(); ++i)
        texts[i] = CPLGetConfigOption(std::string(zarr::Limits()[i].name).c_str(), "");
    std::array<bool, std::tuple_size_v<Texts>> is_bad{};
    {
        const std::lock_guard<zarr::Mutex> lock(seen_mutex);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (texts[i] == seen[i]) continue;
            seen[i] = texts[i];
            const zarr::LimitInfo& info = zarr::Limits()[i];
            const auto value = ValueOf(info, texts[i]);
            zarr::SetLimit(info.limit, value.value_or(info.preset));
            is_bad[i] = !value;
        }
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (is_bad[i])
            EmitWarning(std::string(zarr::Limits()[i].name),
                        "expected a number from 1 to " + std::to_string(zarr::Limits()[i].largest) +
                            ", got " + zarr::Quoted(texts[i]));
}

}  // namespace zarr_driver
