// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json/value.h"

namespace zarr::json {

namespace {

// Returns the members of `object` sorted by code point, which is the byte order of UTF-8. Python
// sorts strings by code point, too. The last member wins if a name is repeated.
std::vector<const Member*> Sorted(const Object& object) {
    std::vector<const Member*> members;
    members.reserve(object.size());
    for (auto it = object.rbegin(); it != object.rend(); ++it) members.push_back(&*it);
    std::stable_sort(members.begin(), members.end(),
                     [](const Member* a, const Member* b) { return a->first < b->first; });
    // `members` is in reverse order. std::unique() thus keeps the last of the members that have
    // equal names.
    members.erase(
        std::unique(members.begin(), members.end(),
                    [](const Member* a, const Member* b) { return a->first == b->first; }),
        members.end());
    return members;
}

class Writer {
  public:
    // An `indent` of 0 writes all in one line. Otherwise `indent` is the number of spaces for each
    // level. Objects and arrays that are nested `levels` deep or deeper are written in one line
    // each.
    Writer(std::size_t indent, std::string_view padding, std::size_t levels = SIZE_MAX)
        : is_indented_(indent != 0), indent_(indent), levels_(levels), padding_(padding) {}

    std::string Text(const Value& value) {
        Write(value, 0);
        return std::move(text_);
    }

  private:
    void Write(const Value& value, std::size_t depth) {
        std::int64_t i = 0;
        std::uint64_t u = 0;
        double d = 0;
        if (const bool* b = value.as_bool()) {
            text_ += *b ? "true" : "false";
        } else if (const std::string* s = value.as_string()) {
            WriteString(*s);
        } else if (const Array* array = value.as_array()) {
            WriteList(*array, "[]", depth, [&](const Value& item) { Write(item, depth + 1); });
        } else if (const Object* object = value.as_object()) {
            const auto write = [&](const Member& member) {
                WriteString(member.first);
                text_ += is_indented_ && depth >= levels_ ? ":" : ": ";
                Write(member.second, depth + 1);
            };
            if (is_indented_)
                WriteList(Sorted(*object), "{}", depth, [&](const Member* m) { write(*m); });
            else
                WriteList(*object, "{}", depth, write);
        } else if (value.is_integer() && value.GetInt64(i)) {
            text_ += std::to_string(i);
        } else if (value.is_integer() && value.GetUint64(u)) {
            text_ += std::to_string(u);
        } else if (value.GetDouble(d)) {
            text_ += is_indented_ || !std::isfinite(d) ? PythonFloat(d) : nlohmann::json(d).dump();
        } else {
            text_ += "null";
        }
    }

    void WriteString(const std::string& text) {
        const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
            return c >= ' ' && c <= '~' && c != '"' && c != '\\';
        });
        if (is_plain) {
            text_.append("\"").append(text).append("\"");
            return;
        }
        constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
        text_ += nlohmann::json(text).dump(-1, ' ', is_indented_, kReplace);
    }

    template <class Items, class Each>
    void WriteList(const Items& items, const char* brackets, std::size_t depth, const Each& each) {
        text_ += brackets[0];
        text_ += padding_;
        const bool has_lines = is_indented_ && depth < levels_;
        bool is_first = true;
        for (const auto& item : items) {
            if (!is_first) text_ += is_indented_ ? "," : ", ";
            is_first = false;
            if (has_lines) NewLine(depth + 1);
            each(item);
        }
        if (has_lines && !is_first) NewLine(depth);
        text_ += padding_;
        text_ += brackets[1];
    }

    void NewLine(std::size_t depth) {
        text_ += '\n';
        text_.append(depth * indent_, ' ');
    }

    const bool is_indented_;
    const std::size_t indent_;
    const std::size_t levels_;
    const std::string_view padding_;
    std::string text_;
};

Value WithSortedMembers(const Value& value) {
    if (const Array* items = value.as_array()) {
        Array sorted;
        for (const Value& item : *items) sorted.push_back(WithSortedMembers(item));
        return Value(std::move(sorted));
    }
    const Object* object = value.as_object();
    if (object == nullptr) return value;
    Object sorted;
    for (const Member* member : Sorted(*object))
        sorted.emplace_back(member->first, WithSortedMembers(member->second));
    return Value(std::move(sorted));
}

}  // namespace

std::string Dump(const Value& value, std::string_view padding) {
    return Writer(0, padding).Text(value);
}

std::string DumpIndented(const Value& value, std::size_t indent, std::size_t levels) {
    return Writer(indent, {}, levels).Text(value);
}

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

std::string DumpSorted(const Value& value) { return Dump(WithSortedMembers(value)); }

}  // namespace zarr::json
