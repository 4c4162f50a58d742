// SPDX-License-Identifier: MIT
// JSON as Zarr metadata needs it: members in their order, 64-bit integers exact, and the bare
// NaN, Infinity and -Infinity tokens that Python's json module writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/status.h"

namespace zarr::json {

class Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;  // in the text's order; of a repeated key the last one counts

// A JSON value. Integers that fit neither int64 nor uint64 become doubles.
class Value {
  public:
    Value() = default;  // null
    explicit Value(bool v) : data_(v) {}
    explicit Value(std::int64_t v) : data_(v) {}
    explicit Value(std::uint64_t v) : data_(v) {}
    explicit Value(double v) : data_(v) {}
    explicit Value(std::string v) : data_(std::move(v)) {}
    explicit Value(std::string_view v) : data_(std::string(v)) {}
    explicit Value(const char* v) : data_(std::string(v)) {}  // else it would be a bool
    explicit Value(Array v) : data_(std::move(v)) {}
    explicit Value(Object v) : data_(std::move(v)) {}

    bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
    bool is_number() const { return is_integer() || std::holds_alternative<double>(data_); }
    bool is_integer() const;

    // The content where the value is of that type, else nullptr.
    const bool* as_bool() const { return std::get_if<bool>(&data_); }
    const std::string* as_string() const { return std::get_if<std::string>(&data_); }
    const Array* as_array() const { return std::get_if<Array>(&data_); }
    const Object* as_object() const { return std::get_if<Object>(&data_); }
    Array* as_array() { return std::get_if<Array>(&data_); }
    Object* as_object() { return std::get_if<Object>(&data_); }

    // Numbers: an integer that is in range (a double counts when it is integral, as in `4.0`).
    bool GetInt64(std::int64_t& out) const;
    bool GetUint64(std::uint64_t& out) const;
    // Any number, rounded to the nearest double.
    bool GetDouble(double& out) const;

    // The member `key` of an object, else nullptr (also where this is no object).
    const Value* Find(std::string_view key) const;

    // "a number", "an array", ...: the type's name for messages.
    std::string_view TypeName() const;

  private:
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object>
        data_;
};

// Parses one UTF-8 JSON text, nested at most Limit::kJsonDepth deep. Errors are kCorrupt, or kLimit
// for the depth; where the syntax is wrong they give the number of the byte, from 1.
Result<Value> Parse(std::string_view text);

// Compact JSON text of `value`, numbers exact, NaN and infinities as Python's bare tokens.
std::string Dump(const Value& value);

// The text that Python's json.dumps() gives with indent=4, sort_keys=True and ensure_ascii=True, as
// zarr-python writes metadata. Of a repeated key only the last one is written; bytes that are no
// UTF-8 become U+FFFD.
std::string DumpIndented(const Value& value);

// A double as Python's repr() spells it in JSON: the fewest digits that read back to it, "1.0",
// "1e+16", "-0.0"; the bare tokens for NaN and the infinities.
std::string PythonFloat(double number);

// Dump() cut to a length that fits an error message.
std::string Brief(const Value& value);

}  // namespace zarr::json
