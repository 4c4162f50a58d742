// SPDX-License-Identifier: MIT
#include "driver/create/given_dates.h"

#include <cpl_conv.h>

#include <algorithm>

#include "core/base/text.h"
#include "driver/base/option_table.h"
#include "driver/create/band_dimension.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

bool IsDigits(const std::string& text, std::size_t count) {
    return text.size() == count && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the time of the number in `text`; nullopt if its year is not within 1 to 2999.
std::optional<std::string> TimeOfNumber(const std::string& text,
                                        const zarr::TimeReference& reference) {
    const zarr::json::Value number = NumberOf(text);
    std::int64_t whole = 0;
    auto time =
        number.GetInt64(whole) ? reference.TextOf(whole) : reference.TextOf(CPLAtof(text.c_str()));
    // Refuses years before 1 and after 2999. The first character is a sign in years before 0 and
    // after 9999.
    if (!time || (*time)[0] < '0' || (*time)[0] > '2' || time->compare(0, 4, "0000") == 0)
        return std::nullopt;
    return time;
}

}  // namespace

std::optional<std::string> DateOfEightDigits(const std::string& text,
                                             const zarr::TimeReference& reference) {
    const std::string digits(zarr::WithoutBlanks(text));
    if (!IsDigits(digits, 8) || digits[0] < '1' || digits[0] > '2') return std::nullopt;
    if (!reference.ValueOf(digits).ok()) return std::nullopt;
    return digits.substr(0, 4) + '-' + digits.substr(4, 2) + '-' + digits.substr(6);
}

Status HyphenateDates(const std::string& name, std::vector<std::string>& texts) {
    ZARR_ASSIGN_OR_RETURN(
        const auto reference,
        zarr::TimeReference::Parse("days since 1970-01-01", zarr::Calendar::kProlepticGregorian));
    const auto is_date = [&](const std::string& text) {
        return DateOfEightDigits(text, reference).has_value();
    };
    if (std::none_of(texts.begin(), texts.end(), is_date)) return {};
    const auto other = std::find_if_not(texts.begin(), texts.end(), [&](const std::string& text) {
        return is_date(text) || (!IsNumber(text) && reference.ValueOf(text).ok());
    });
    if (other == texts.end()) {
        for (std::string& text : texts) text = DateOfEightDigits(text, reference).value_or(text);
        return {};
    }
    if (name != "time" && name != "t") return {};
    return RefuseOption("BAND_DIM_VALUES", "only ISO 8601 times, because one value is a time",
                        other->c_str());
}

Result<GivenTime> ReadGivenTime(const std::string& text, const zarr::TimeReference& reference) {
    if (auto date = DateOfEightDigits(text, reference)) return GivenTime{*std::move(date), ""};
    if (!IsNumber(text)) return GivenTime{text, ""};
    const auto time = TimeOfNumber(text, reference);
    if (!time)
        return RefuseOption("APPEND_DIM_VALUES",
                            "a date such as 2024-05-01, or a number whose time is within the years "
                            "1 to 2999",
                            text.c_str());
    const std::string digits(zarr::WithoutBlanks(text));
    const bool looks_like_a_year = IsDigits(digits, 4) && digits >= "1800" && digits < "2200";
    if (!looks_like_a_year || time->compare(0, 4, digits) == 0) return GivenTime{text, ""};
    return GivenTime{text, "creation option APPEND_DIM_VALUES: " + digits +
                               " is read as a number, " + *time + "; write " + digits +
                               "-01-01 for the year"};
}

}  // namespace zarr_driver
