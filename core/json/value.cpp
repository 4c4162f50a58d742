// SPDX-License-Identifier: MIT
#include "core/json/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace zarr::json {

namespace {

// 2^63 and 2^64 are doubles; the largest int64 and uint64 are not.
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

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

Value::Value(std::string v) {
    content_.string = new std::string(std::move(v));
    kind_ = Kind::kString;
}

Value::Value(Array v) {
    content_.array = new Array(std::move(v));
    kind_ = Kind::kArray;
}

Value::Value(Object v) {
    content_.object = new Object(std::move(v));
    kind_ = Kind::kObject;
}

Value::Value(const Value& other) : content_(other.content_) {
    if (other.kind_ == Kind::kString) content_.string = new std::string(*other.content_.string);
    if (other.kind_ == Kind::kArray) content_.array = new Array(*other.content_.array);
    if (other.kind_ == Kind::kObject) content_.object = new Object(*other.content_.object);
    kind_ = other.kind_;
}

Value::~Value() {
    if (kind_ == Kind::kString) delete content_.string;
    if (kind_ == Kind::kArray) delete content_.array;
    if (kind_ == Kind::kObject) delete content_.object;
}

bool Value::GetInt64(std::int64_t& out) const {
    const double number = kind_ == Kind::kDouble ? content_.number : 0;
    switch (kind_) {
        case Kind::kInt64:
            out = content_.int64;
            return true;
        case Kind::kUint64:
            if (content_.uint64 > static_cast<std::uint64_t>(INT64_MAX)) return false;
            out = static_cast<std::int64_t>(content_.uint64);
            return true;
        case Kind::kDouble:
            if (!(number >= -kTwoTo63 && number < kTwoTo63) || std::trunc(number) != number)
                return false;
            out = static_cast<std::int64_t>(number);
            return true;
        default:
            return false;
    }
}

bool Value::GetUint64(std::uint64_t& out) const {
    if (kind_ == Kind::kUint64) {
        out = content_.uint64;
        return true;
    }
    if (kind_ == Kind::kDouble) {
        const double number = content_.number;
        if (!(number >= 0 && number < kTwoTo64) || std::trunc(number) != number) return false;
        out = static_cast<std::uint64_t>(number);
        return true;
    }
    std::int64_t i = 0;
    if (!GetInt64(i) || i < 0) return false;
    out = static_cast<std::uint64_t>(i);
    return true;
}

bool Value::GetDouble(double& out) const {
    switch (kind_) {
        case Kind::kInt64:
            out = static_cast<double>(content_.int64);
            return true;
        case Kind::kUint64:
            out = static_cast<double>(content_.uint64);
            return true;
        case Kind::kDouble:
            out = content_.number;
            return true;
        default:
            return false;
    }
}

const Value* Value::Find(std::string_view key) const {
    const Object* members = as_object();
    if (members == nullptr) return nullptr;
    for (auto it = members->rbegin(); it != members->rend(); ++it)
        if (it->first == key) return &it->second;
    return nullptr;
}

std::string_view Value::TypeName() const {
    if (is_null()) return "null";
    if (is_number()) return "a number";
    if (as_bool() != nullptr) return "a boolean";
    if (as_string() != nullptr) return "a string";
    return as_array() != nullptr ? "an array" : "an object";
}

std::string Brief(const Value& value) {
    constexpr std::size_t kLimit = 60;
    std::string text = Dump(value);
    if (text.size() > kLimit) {
        text.resize(kLimit);
        text += "...";
    }
    return text;
}

// ---------------------------------------------------------------------------------------------
// Indented text

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

Value* FindMember(Object& object, std::string_view name) {
    const auto found = std::find_if(object.begin(), object.end(),
                                    [&](const Member& member) { return member.first == name; });
    return found == object.end() ? nullptr : &found->second;
}

void PutMember(Object& object, std::string_view name, Value value) {
    if (Value* const held = FindMember(object, name))
        *held = std::move(value);
    else
        object.emplace_back(name, std::move(value));
}

Status Expected(std::string_view where, std::string_view what, const Value& got) {
    std::string text(where);
    if (!text.empty()) text += ": ";
    text += "expected ";
    text += what;
    return Status::Corrupt(text + ", got " + Brief(got));
}

Result<const Value*> Require(const Value& object, std::string_view key) {
    if (object.as_object() == nullptr) return Expected("", "an object", object);
    const Value* member = object.Find(key);
    if (member == nullptr)
        return Status::Corrupt("the compulsory member \"" + std::string(key) + "\" is missing");
    return member;
}

Result<std::uint64_t> UintAtLeast(const Value& value, std::uint64_t minimum,
                                  std::string_view where) {
    std::uint64_t number = 0;
    if (!value.GetUint64(number) || number < minimum)
        return Expected(where, "an integer >= " + std::to_string(minimum), value);
    return number;
}

Result<std::vector<std::uint64_t>> UintsAtLeast(const Value& value, std::uint64_t minimum,
                                                std::string_view where) {
    const Array* items = value.as_array();
    if (items == nullptr) return Expected(where, "an array of integers", value);
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const std::string place = std::string(where) + "[" + std::to_string(i) + "]";
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t number, UintAtLeast((*items)[i], minimum, place));
        numbers.push_back(number);
    }
    return numbers;
}

Result<std::int64_t> OptionalInt(const Value& object, std::string_view key, std::int64_t fallback,
                                 std::int64_t minimum, std::int64_t maximum) {
    const Value* member = object.Find(key);
    if (member == nullptr || member->is_null()) return fallback;
    std::int64_t number = 0;
    if (!member->GetInt64(number) || number < minimum || number > maximum)
        return Expected(
            key, "an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum),
            *member);
    return number;
}

Result<bool> OptionalBool(const Value& object, std::string_view key, bool fallback) {
    const Value* value = object.Find(key);
    if (value == nullptr || value->is_null()) return fallback;
    if (value->as_bool() == nullptr) return Expected(key, "true or false", *value);
    return *value->as_bool();
}

Result<double> OptionalDouble(const Value& object, std::string_view key, double fallback) {
    const Value* member = object.Find(key);
    if (member == nullptr || member->is_null()) return fallback;
    double number = 0;
    if (!member->GetDouble(number)) return Expected(key, "a number", *member);
    return number;
}

Result<std::string> OptionalString(const Value& object, std::string_view key,
                                   std::string_view fallback) {
    const Value* member = object.Find(key);
    if (member == nullptr || member->is_null()) return std::string(fallback);
    if (member->as_string() == nullptr) return Expected(key, "a string", *member);
    return *member->as_string();
}

}  // namespace zarr::json
