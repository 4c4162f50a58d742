// SPDX-License-Identifier: MIT
// JSON as Zarr metadata needs it: members in their order, 64-bit integers exact, and the bare
// NaN, Infinity and -Infinity tokens that Python's json module writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr::json {

class Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;  // in the text's order

// A JSON value of 16 bytes, with its content behind a pointer where that is a string, an array or
// an object. Integers that fit neither int64 nor uint64 become doubles. Copies share their content,
// until MutableArray() or MutableObject() of one of them is called. Different values may be used by
// different threads, even where they share their content.
class Value {
  public:
    Value() = default;  // null
    explicit Value(bool v) : kind_(Kind::kBool) { content_.boolean = v; }
    explicit Value(std::int64_t v) : kind_(Kind::kInt64) { content_.int64 = v; }
    explicit Value(std::uint64_t v) : kind_(Kind::kUint64) { content_.uint64 = v; }
    explicit Value(double v) : kind_(Kind::kDouble) { content_.number = v; }
    explicit Value(std::string v);
    explicit Value(std::string_view v) : Value(std::string(v)) {}
    explicit Value(const char* v) : Value(std::string(v)) {}  // else it would be a bool
    explicit Value(Array v);
    explicit Value(Object v);

    Value(const Value& other) noexcept;
    Value(Value&& other) noexcept : kind_(other.kind_), content_(other.content_) {
        other.kind_ = Kind::kNull;
    }
    Value& operator=(const Value& other) noexcept {
        Value copy(other);
        return *this = std::move(copy);
    }
    Value& operator=(Value&& other) noexcept {
        std::swap(kind_, other.kind_);
        std::swap(content_, other.content_);
        return *this;
    }
    ~Value();

    bool is_null() const { return kind_ == Kind::kNull; }
    bool is_number() const { return is_integer() || kind_ == Kind::kDouble; }
    bool is_integer() const { return kind_ == Kind::kInt64 || kind_ == Kind::kUint64; }

    // The content where the value is of that type, else nullptr.
    const bool* as_bool() const { return kind_ == Kind::kBool ? &content_.boolean : nullptr; }
    const std::string* as_string() const {
        return kind_ == Kind::kString ? &content_.string->content : nullptr;
    }
    const Array* as_array() const {
        return kind_ == Kind::kArray ? &content_.array->content : nullptr;
    }
    const Object* as_object() const {
        return kind_ == Kind::kObject ? &content_.object->content : nullptr;
    }
    // The content to be changed, of this value alone; nullptr where it is of another type. The
    // pointer is not to be used after the value is copied.
    Array* MutableArray();
    Object* MutableObject();

    // Numbers: an integer that is in range (a double counts when it is integral, as in `4.0`).
    bool GetInt64(std::int64_t& out) const;
    bool GetUint64(std::uint64_t& out) const;
    // Any number, rounded to the nearest double.
    bool GetDouble(double& out) const;

    // The member `key` of an object, else nullptr (also where this is not an object).
    const Value* Find(std::string_view key) const;

    // "a number", "an array", ...: the type's name for messages.
    std::string_view TypeName() const;

  private:
    enum class Kind : std::uint8_t {
        kNull,
        kBool,
        kInt64,
        kUint64,
        kDouble,
        kString,
        kArray,
        kObject
    };
    template <class T>
    struct Shared {
        explicit Shared(T v) : content(std::move(v)) {}
        T content;
        std::atomic<std::size_t> users{1};  // values
    };
    union Content {
        bool boolean;
        std::int64_t int64 = 0;
        std::uint64_t uint64;
        double number;
        Shared<std::string>* string;
        Shared<Array>* array;
        Shared<Object>* object;
    };
    template <class T>
    static void Release(Shared<T>* shared) {
        if (shared->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
    }
    template <class T>
    static T* Own(Shared<T>*& shared);

    Kind kind_ = Kind::kNull;
    Content content_;
};

// Parses one UTF-8 JSON text, nested at most Limit::kJsonDepth deep and of at most
// Limit::kJsonValues values beside the `expected` ones that its reader has room for. Of a repeated
// key the last one counts, and is all that is kept. Errors are
// kCorrupt, or kLimit for these; where the syntax is wrong they give the number of the byte,
// from 1.
Result<Value> Parse(std::string_view text, std::uint64_t expected = 0);

// Parses one message of MessagePack, within the same limits. Its binary data are strings, which
// need not be UTF-8 then. kCorrupt where it is cut off or not one.
Result<Value> ParseMessagePack(ByteSpan message, std::uint64_t expected = 0);

// A member of an object with its value's text, not parsed and not validated.
using Slice = std::pair<std::string, std::string_view>;

// Splits the text of one JSON object into its members in one pass over the bytes, so that a large
// document costs only what is used of it. The slices borrow from `text`. kCorrupt where `text` is
// not an object or ends early; what is inside the values is checked when they are parsed.
Result<std::vector<Slice>> MemberSlices(std::string_view text);
// The text of the member `name`, the last one of that name; none where there is none.
std::optional<std::string_view> FindSlice(const std::vector<Slice>& slices, std::string_view name);

// Compact JSON text of `value`, numbers exact, NaN and infinities as Python's bare tokens; with
// `padding` inside of all brackets.
std::string Dump(const Value& value, std::string_view padding = {});

// Dump() with the members of all objects in the order of their names, of a repeated one the last:
// the same text for values that mean the same.
std::string DumpSorted(const Value& value);

// The text that Python's json.dumps() gives with indent=4, sort_keys=True and ensure_ascii=True, as
// zarr-python writes metadata. Of a repeated key only the last one is written; bytes that are no
// UTF-8 become U+FFFD.
std::string DumpIndented(const Value& value);

// A double as Python's repr() spells it in JSON: the fewest digits that read back to it, "1.0",
// "1e+16", "-0.0"; the bare tokens for NaN and the infinities.
std::string PythonFloat(double number);

// Dump() cut to a length that fits an error message.
std::string Brief(const Value& value);

// Changing the members of a JSON object.

// The member `name` of an object, to be changed; nullptr where there is none.
Value* FindMember(Object& object, std::string_view name);

// Sets it, or adds it at the end.
void PutMember(Object& object, std::string_view name, Value value);

// Removes it, if it is there.
void EraseMember(Object& object, std::string_view name);

// Typed access to the members of a JSON object, with errors that name the member and the value:
// `level: expected an integer >= 1, got 0`.

// The error for `value` at `where` (a member path such as `chunks[1]`).
Status Expected(std::string_view where, std::string_view what, const Value& got);

// A compulsory member of `object`.
Result<const Value*> Require(const Value& object, std::string_view key);

// `value` as an integer of at least `minimum`.
Result<std::uint64_t> UintAtLeast(const Value& value, std::uint64_t minimum,
                                  std::string_view where);
// `value` as an array of such integers.
Result<std::vector<std::uint64_t>> UintsAtLeast(const Value& value, std::uint64_t minimum,
                                                std::string_view where);

// Members that may be absent or null, in which case `fallback` is returned.
Result<std::int64_t> OptionalInt(const Value& object, std::string_view key, std::int64_t fallback,
                                 std::int64_t minimum, std::int64_t maximum);
Result<bool> OptionalBool(const Value& object, std::string_view key, bool fallback);
Result<double> OptionalDouble(const Value& object, std::string_view key, double fallback);
Result<std::string> OptionalString(const Value& object, std::string_view key,
                                   std::string_view fallback);

}  // namespace zarr::json
