// SPDX-License-Identifier: MIT
#include "core/json/value.h"

#include <cmath>

namespace zarr::json {

namespace {

// 2^63 and 2^64 are doubles; the largest int64 and uint64 are not.
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

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

}  // namespace zarr::json
