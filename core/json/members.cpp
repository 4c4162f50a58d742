// SPDX-License-Identifier: MIT
#include "core/json/members.h"

namespace zarr::json {

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
