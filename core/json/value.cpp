// SPDX-License-Identifier: MIT
#include "core/json/value.h"

#include <cmath>

namespace zarr::json {

namespace {

// 2^63 and 2^64 are doubles; the largest int64 and uint64 are not.
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

}  // namespace

bool Value::is_integer() const {
    return std::holds_alternative<std::int64_t>(data_) ||
           std::holds_alternative<std::uint64_t>(data_);
}

bool Value::GetInt64(std::int64_t& out) const {
    if (const auto* i = std::get_if<std::int64_t>(&data_)) {
        out = *i;
        return true;
    }
    if (const auto* u = std::get_if<std::uint64_t>(&data_)) {
        if (*u > static_cast<std::uint64_t>(INT64_MAX)) return false;
        out = static_cast<std::int64_t>(*u);
        return true;
    }
    if (const auto* d = std::get_if<double>(&data_)) {
        if (!(*d >= -kTwoTo63 && *d < kTwoTo63) || std::trunc(*d) != *d) return false;
        out = static_cast<std::int64_t>(*d);
        return true;
    }
    return false;
}

bool Value::GetUint64(std::uint64_t& out) const {
    if (const auto* u = std::get_if<std::uint64_t>(&data_)) {
        out = *u;
        return true;
    }
    if (const auto* d = std::get_if<double>(&data_)) {
        if (!(*d >= 0 && *d < kTwoTo64) || std::trunc(*d) != *d) return false;
        out = static_cast<std::uint64_t>(*d);
        return true;
    }
    std::int64_t i = 0;
    if (!GetInt64(i) || i < 0) return false;
    out = static_cast<std::uint64_t>(i);
    return true;
}

bool Value::GetDouble(double& out) const {
    if (const auto* d = std::get_if<double>(&data_)) {
        out = *d;
    } else if (const auto* i = std::get_if<std::int64_t>(&data_)) {
        out = static_cast<double>(*i);
    } else if (const auto* u = std::get_if<std::uint64_t>(&data_)) {
        out = static_cast<double>(*u);
    } else {
        return false;
    }
    return true;
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

}  // namespace zarr::json
