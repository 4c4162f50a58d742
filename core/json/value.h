// SPDX-License-Identifier: MIT
// JSON values for Zarr metadata. Members keep their order and 64-bit integers are exact. The bare
// tokens NaN, Infinity and -Infinity are accepted, as Python's json module writes them.
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
using Object = std::vector<Member>;  // members in the order of the text

// A JSON value of 16 bytes; a string, an array or an object is behind a pointer. An integer that
// fits neither int64 nor uint64 becomes a double. Copies share their content until MutableArray()
// or MutableObject() is called on one copy. Different threads may use different values, even if
// these share their content.
class Value {
  public:
    Value() = default;  // null
    explicit Value(bool v) : kind_(Kind::kBool) { content_.boolean = v; }
    explicit Value(std::int64_t v) : kind_(Kind::kInt64) { content_.int64 = v; }
    explicit Value(std::uint64_t v) : kind_(Kind::kUint64) { content_.uint64 = v; }
    explicit Value(double v) : kind_(Kind::kDouble) { content_.number = v; }
    explicit Value(std::string v);
    explicit Value(std::string_view v) : Value(std::string(v)) {}
    // without this constructor, literals would become bool
    explicit Value(const char* v) : Value(std::string(v)) {}
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

    // Return a pointer to the content: as_bool() of a boolean, as_string() of a string, as_array()
    // of an array, as_object() of an object. Return nullptr if the value has another type.
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
    // Return the content for writing; nullptr if the value has another type. Copies that shared the
    // content do not change. The pointer becomes invalid when the value is copied.
    Array* MutableArray();
    Object* MutableObject();

    // Return true if the value is a number that the integer type of `out` can hold exactly. A
    // double counts if it is integral, such as `4.0`. `out` is set only if true is returned.
    bool GetInt64(std::int64_t& out) const;
    bool GetUint64(std::uint64_t& out) const;
    // Returns true and sets `out` to the nearest double if the value is a number.
    bool GetDouble(double& out) const;

    // Returns the last member named `key`; nullptr if no member has that name or the value is not
    // an object.
    const Value* Find(std::string_view key) const;

    // Returns the type's name for messages, with its article: "a number", "an array", ...
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
        std::atomic<std::size_t> users{1};  // number of values that share `content`
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

// True if two values are equal: numbers by value, with NaN equal to NaN, and objects with their
// members in any order.
bool Equals(const Value& a, const Value& b);

// True if Dump() gives both values the same text: 1 and 1.0 differ, and so do 0.0 and -0.0, and
// objects whose members have another order. Much faster than two calls of Dump().
bool HaveSameText(const Value& a, const Value& b);

// True if all items of an array are equal, as by Equals(). True for an empty array.
bool AreAllEqual(const Array& items);

// Parses one JSON text in UTF-8. The last member wins if a key is repeated. Returns kCorrupt if the
// syntax is wrong; the message gives the position of the wrong byte, counted from 1. Returns kLimit
// if values are nested deeper than Limit::kJsonDepth. Returns kLimit if the text has more than
// Limit::kJsonValues + `expected` values. `expected` is the number of values that the caller is
// prepared for.
Result<Value> Parse(std::string_view text, std::uint64_t expected = 0);

// Parses one MessagePack message within the limits of Parse(). Binary data becomes a string, which
// may be invalid UTF-8. Returns kCorrupt if the message is truncated or not valid MessagePack.
Result<Value> ParseMessagePack(ByteSpan message, std::uint64_t expected = 0);

// Name of an object's member, and the JSON text of the member's value. The value is neither parsed
// nor validated.
using Slice = std::pair<std::string, std::string_view>;

// Splits the text of a JSON object into its members in one pass. A caller parses only the values
// that it needs of a large document. The slices point into `text`, which must outlive them. Returns
// kCorrupt if `text` is truncated or not an object. Syntax errors inside of values are not
// detected.
Result<std::vector<Slice>> MemberSlices(std::string_view text);
// Returns the text of the last member called `name`; nullopt if no member has that name.
std::optional<std::string_view> FindSlice(const std::vector<Slice>& slices, std::string_view name);

// Returns `value` as JSON text on one line. Numbers are exact. NaN and infinities are written as
// Python's bare tokens NaN, Infinity and -Infinity. `padding` is inserted after each opening and
// before each closing bracket.
std::string Dump(const Value& value, std::string_view padding = {});

// Returns Dump() of `value` with the members of all objects sorted by name. Values that differ only
// in the order of members give equal text. If a name is repeated, only its last member is written.
std::string DumpSorted(const Value& value);

// Returns the text of Python's json.dumps() with sort_keys=True and ensure_ascii=True, which
// zarr-python uses for metadata. `indent` is the number of spaces per level: zarr-python uses 4 for
// documents of Zarr v2, and 2 for v3.
//
// Objects and arrays that are nested `levels` deep or deeper are written in one line, without white
// space. If a name is repeated, only its last member is written. Bytes that are not UTF-8 become
// U+FFFD.
std::string DumpIndented(const Value& value, std::size_t indent = 4, std::size_t levels = SIZE_MAX);

// Returns a double as Python's json.dumps() writes it: "1.0", "1e+16", "-0.0". The digits are the
// fewest that read back as `number`. NaN and infinities become the tokens NaN, Infinity and
// -Infinity.
std::string PythonFloat(double number);

// Returns Dump() of `value`, cut to 60 bytes followed by "...", for use in an error message.
std::string Brief(const Value& value);

// Functions that change the members of a JSON object.

// Returns a pointer to the value of the first member called `name`; nullptr if no member has that
// name.
Value* FindMember(Object& object, std::string_view name);

// Replaces the value of the member called `name`; appends a member if no member has that name.
void PutMember(Object& object, std::string_view name, Value value);

// Removes all members called `name`.
void EraseMember(Object& object, std::string_view name);

// Typed access to the members of a JSON object. Errors name the member and its value: `level:
// expected an integer >= 1, got 0`.

// Returns the error "<where>: expected <what>, got <got>". `where` is the path of a member, such as
// `chunks[1]`; may be empty.
Status Expected(std::string_view where, std::string_view what, const Value& got);

// Returns the member `key` of `object`. Returns kCorrupt if `object` is not an object or has no
// such member.
Result<const Value*> Require(const Value& object, std::string_view key);

// Returns `value` as an unsigned integer. Returns kCorrupt with the member path `where` if `value`
// is not an integer or less than `minimum`.
Result<std::uint64_t> UintAtLeast(const Value& value, std::uint64_t minimum,
                                  std::string_view where);
// Returns the items of the JSON array `value` as unsigned integers. Returns kCorrupt if an item is
// not an integer or less than `minimum`.
Result<std::vector<std::uint64_t>> UintsAtLeast(const Value& value, std::uint64_t minimum,
                                                std::string_view where);

// Return the member `key` of `object`, or `fallback` if the member is absent or null. Return
// kCorrupt if the member has another type or is out of range.
Result<std::int64_t> OptionalInt(const Value& object, std::string_view key, std::int64_t fallback,
                                 std::int64_t minimum, std::int64_t maximum);
Result<bool> OptionalBool(const Value& object, std::string_view key, bool fallback);
Result<double> OptionalDouble(const Value& object, std::string_view key, double fallback);
Result<std::string> OptionalString(const Value& object, std::string_view key,
                                   std::string_view fallback);

}  // namespace zarr::json
