// SPDX-License-Identifier: MIT
// Metadata documents as zarr-python writes them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json/value.h"

namespace zarr::json {

namespace {

constexpr std::size_t kIndent = 4;

void NewLine(std::size_t depth, std::string& out) {
    out += '\n';
    out.append(depth * kIndent, ' ');
}

void AppendString(const std::string& text, std::string& out) {
    out += nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// The members that count, sorted as Python sorts strings: by code point, which is UTF-8's order.
std::vector<const Member*> Sorted(const Object& object) {
    std::vector<const Member*> members;
    members.reserve(object.size());
    for (auto it = object.rbegin(); it != object.rend(); ++it) members.push_back(&*it);
    std::stable_sort(members.begin(), members.end(),
                     [](const Member* a, const Member* b) { return a->first < b->first; });
    // Of a repeated key the last one counts, and the reversal put that first.
    members.erase(
        std::unique(members.begin(), members.end(),
                    [](const Member* a, const Member* b) { return a->first == b->first; }),
        members.end());
    return members;
}

void Append(const Value& value, std::size_t depth, std::string& out);

void AppendArray(const Array& array, std::size_t depth, std::string& out) {
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
        if (i != 0) out += ',';
        NewLine(depth + 1, out);
        Append(array[i], depth + 1, out);
    }
    if (!array.empty()) NewLine(depth, out);
    out += ']';
}

void AppendObject(const Object& object, std::size_t depth, std::string& out) {
    out += '{';
    bool is_first = true;
    for (const Member* member : Sorted(object)) {
        if (!is_first) out += ',';
        is_first = false;
        NewLine(depth + 1, out);
        AppendString(member->first, out);
        out += ": ";
        Append(member->second, depth + 1, out);
    }
    if (!is_first) NewLine(depth, out);
    out += '}';
}

void Append(const Value& value, std::size_t depth, std::string& out) {
    std::int64_t i = 0;
    std::uint64_t u = 0;
    double d = 0;
    if (const bool* b = value.as_bool()) {
        out += *b ? "true" : "false";
    } else if (const std::string* s = value.as_string()) {
        AppendString(*s, out);
    } else if (const Array* array = value.as_array()) {
        AppendArray(*array, depth, out);
    } else if (const Object* object = value.as_object()) {
        AppendObject(*object, depth, out);
    } else if (value.is_integer() && value.GetInt64(i)) {
        out += std::to_string(i);
    } else if (value.is_integer() && value.GetUint64(u)) {
        out += std::to_string(u);
    } else if (value.GetDouble(d)) {
        out += PythonFloat(d);
    } else {
        out += "null";
    }
}

}  // namespace

std::string PythonFloat(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    const double magnitude = std::fabs(number);
    const bool is_plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    char text[40];
    const char* const end =
        std::to_chars(text, text + sizeof text, number,
                      is_plain ? std::chars_format::fixed : std::chars_format::scientific)
            .ptr;
    std::string digits(text, static_cast<std::size_t>(end - text));
    if (is_plain && digits.find('.') == std::string::npos) digits += ".0";
    return digits;
}

std::string DumpIndented(const Value& value) {
    std::string text;
    Append(value, 0, text);
    return text;
}

}  // namespace zarr::json
