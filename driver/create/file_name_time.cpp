// SPDX-License-Identifier: MIT
#include "driver/create/file_name_time.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/text.h"
#include "core/conventions/cf/time.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kPrefix = "FILENAME:";

// A part of a pattern for file names: a placeholder for a number such as %Y, or a character that
// must occur in the name.
struct PatternPart {
    char letter = 0;
    bool is_number = false;
    std::size_t digits() const { return letter == 'Y' ? 4 : letter == 'j' ? 3 : 2; }
};

// Splits a pattern into parts. Returns nullopt if the pattern has an unknown placeholder, or one
// placeholder twice.
std::optional<std::vector<PatternPart>> ParsePattern(const std::string& pattern) {
    std::vector<PatternPart> parts;
    std::string used;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            parts.push_back({pattern[i], false});
            continue;
        }
        const char letter = ++i < pattern.size() ? pattern[i] : '\0';
        const bool is_number = letter != '%';
        if (is_number && (std::string("YmdHMSj").find(letter) == std::string::npos ||
                          used.find(letter) != std::string::npos))
            return std::nullopt;
        if (is_number) used += letter;
        parts.push_back({letter, is_number});
    }
    return parts;
}

// True if `pattern` contains a placeholder for the year, and no unknown placeholder.
bool IsPattern(const std::string& pattern) {
    const auto parts = ParsePattern(pattern);
    if (!parts) return false;
    return std::any_of(parts->begin(), parts->end(), [](const PatternPart& part) {
        return part.is_number && part.letter == 'Y';
    });
}

bool IsDigitAt(const std::string& text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

// numbers in a file's name, by the letter of their placeholder
using Numbers = std::map<char, std::int64_t>;

// Reads the numbers of the placeholders from `name`, from byte `at` on, and advances `at` past
// them. Returns nullopt if `name` does not match there.
std::optional<Numbers> Match(const std::string& name, const std::vector<PatternPart>& parts,
                             std::size_t& at) {
    Numbers numbers;
    for (const PatternPart& part : parts) {
        if (!part.is_number) {
            if (at >= name.size() || name[at++] != part.letter) return std::nullopt;
            continue;
        }
        std::int64_t& number = numbers[part.letter];
        for (std::size_t i = 0; i < part.digits(); ++i) {
            if (!IsDigitAt(name, at)) return std::nullopt;
            number = 10 * number + (name[at++] - '0');
        }
    }
    return numbers;
}

std::string Padded(std::int64_t number, std::size_t digits) {
    const std::string text = std::to_string(number);
    return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

// Returns the time that the numbers state; nullopt if the numbers are not a valid date and time.
std::optional<std::string> TimeOf(const Numbers& numbers) {
    constexpr auto kCalendar = zarr::Calendar::kProlepticGregorian;
    const auto number = [&](char letter, std::int64_t otherwise) {
        const auto found = numbers.find(letter);
        return found != numbers.end() ? found->second : otherwise;
    };
    zarr::Date date{number('Y', 0), number('m', 1), number('d', 1)};
    auto day = zarr::DayNumber(kCalendar, date);
    if (!day) return std::nullopt;
    if (numbers.count('j') != 0) {
        day = *day + number('j', 1) - 1;
        const zarr::Date counted = zarr::DateOfDay(kCalendar, *day);
        if (counted.year != date.year || number('j', 1) < 1) return std::nullopt;
        date = counted;
    }
    if (number('H', 0) > 23 || number('M', 0) > 59 || number('S', 0) > 59) return std::nullopt;
    std::string text =
        Padded(date.year, 4) + '-' + Padded(date.month, 2) + '-' + Padded(date.day, 2);
    if (numbers.count('H') + numbers.count('M') + numbers.count('S') != 0)
        text += 'T' + Padded(number('H', 0), 2) + ':' + Padded(number('M', 0), 2) + ':' +
                Padded(number('S', 0), 2);
    return text;
}

// Returns the names of files from which `source` is read, the most important one first.
std::vector<std::string> FileNames(GDALDataset& source) {
    std::vector<std::string> names;
    const auto add = [&](const char* path) {
        if (path[0] != '\0') names.emplace_back(CPLGetFilename(path));
    };
    add(source.GetDescription());
    const CPLStringList files(source.GetFileList());
    for (int i = 0; i < files.size(); ++i) add(files[i]);
    return names;
}

}  // namespace

std::optional<std::string> TimeInName(const std::string& name, const std::string& pattern) {
    const auto parts = ParsePattern(pattern);
    if (!parts || parts->empty()) return std::nullopt;
    for (const bool is_strict : {true, false})
        for (std::size_t first = 0; first < name.size(); ++first) {
            std::size_t end = first;
            const auto numbers = Match(name, *parts, end);
            const bool has_neighbour =
                (parts->front().is_number && first > 0 && IsDigitAt(name, first - 1)) ||
                (parts->back().is_number && IsDigitAt(name, end));
            if (!numbers || (is_strict && has_neighbour)) continue;
            if (auto time = TimeOf(*numbers)) return time;
        }
    return std::nullopt;
}

Result<std::string> WithTimeOfFile(const char* option, const std::string& value,
                                   GDALDataset* source) {
    if (!STARTS_WITH_CI(value.c_str(), kPrefix)) return value;
    const std::string pattern = value.substr(std::string(kPrefix).size());
    if (!IsPattern(pattern))
        return RefuseOption(option,
                            "FILENAME: and a pattern with %Y, and with %m, %d, %H, %M, %S, %j or "
                            "%% at most once each",
                            value.c_str());
    const std::vector<std::string> names =
        source != nullptr ? FileNames(*source) : std::vector<std::string>();
    for (const std::string& name : names)
        if (auto time = TimeInName(name, pattern)) return *std::move(time);
    const std::string start = std::string("creation option ") + option + ": ";
    if (names.empty())
        return Status::Invalid(start + value + " needs a source that is read from a file");
    return Status::Invalid(start + "the file name " + ShownName(names.front()) +
                           " has no time of the form " + pattern);
}

}  // namespace zarr_driver
