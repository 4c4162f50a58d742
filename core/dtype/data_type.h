// SPDX-License-Identifier: MIT
// Parsed data types (Zarr v2 specification, "Data type encoding": NumPy's typestr and descr).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

enum class DataKind : std::uint8_t {
    kBool,       // typestr b1: one byte, 0 or 1
    kInt,        // typestr i1, i2, i4 or i8: signed integer
    kUint,       // typestr u1, u2, u4 or u8: unsigned integer
    kFloat,      // typestr f2, f4 or f8: floating-point number
    kComplex,    // typestr c8 or c16, or a pair of float16: real part, imaginary part
    kDatetime,   // typestr M8[unit]: int64 ticks since 1970-01-01T00:00, or kNotATime
    kTimedelta,  // typestr m8[unit]: int64 number of ticks, or kNotATime
    kBytes,      // typestr S: byte string of fixed length, padded with NUL
    // typestr U: fixed number of UCS-4 units in the type's byte order, padded with NUL
    kUnicode,
    kVoid,    // typestr V: opaque bytes of fixed length
    kStruct,  // structure with fields at fixed offsets, without padding
    kObject,  // typestr O: variable-length strings or bytes, which an object codec encodes
};

// Number of ticks that represents NumPy's NaT ("not a time").
inline constexpr std::int64_t kNotATime = std::numeric_limits<std::int64_t>::min();

enum class ByteOrder : std::uint8_t { kLittle, kBig, kNotRelevant };

// NumPy's time units, coarsest first. kGeneric belongs to a time type without a unit.
enum class TimeUnit : std::uint8_t {
    kGeneric,
    kYear,
    kMonth,
    kWeek,
    kDay,
    kHour,
    kMinute,
    kSecond,
    kMillisecond,
    kMicrosecond,
    kNanosecond,
    kPicosecond,
    kFemtosecond,
    kAttosecond,
};

// Number types of Zarr v3 extensions that have no C++ type, such as bfloat16. A bfloat16 takes two
// bytes, any other type one byte; a complex element takes twice as many.
enum class NarrowType : std::uint8_t {
    kNone,
    kInt2,
    kInt4,
    kUint2,
    kUint4,
    kBfloat16,
    kFloat4E2m1fn,
    kFloat6E2m3fn,
    kFloat6E3m2fn,
    kFloat8E3m4,
    kFloat8E4m3,
    kFloat8E4m3fn,  // this type is in no registry of Zarr types, but TensorStore writes it
    kFloat8E4m3b11fnuz,
    kFloat8E4m3fnuz,
    kFloat8E5m2,
    kFloat8E5m2fnuz,
    kFloat8E8m0fnu,
};

// Contents of kObject elements. kAny means that the metadata does not say whether they are texts or
// bytes.
enum class ObjectKind : std::uint8_t { kAny, kText, kBytes };

struct Field;

// Validated data type. `size` is the number of bytes per element, stored and in memory. For
// kObject, `size` is sizeof(ObjectRef), because stored elements vary in size.
struct DataType {
    DataKind kind = DataKind::kUint;
    std::size_t size = 1;
    ByteOrder order = ByteOrder::kNotRelevant;
    TimeUnit time_unit = TimeUnit::kGeneric;
    std::uint64_t time_multiple = 1;  // number of units per tick, for example 25 in M8[25s]
    std::vector<Field> fields;        // fields of a kStruct, ordered by offset
    // Number type without a C++ type, such as bfloat16; also of the parts of kComplex.
    NarrowType narrow = NarrowType::kNone;
    ObjectKind object_kind = ObjectKind::kAny;  // contents of kObject elements
    // Element that represents a missing value, in the host's byte order. Only the Zarr v3 data type
    // zarrs.optional has such an element.
    std::optional<std::string> missing;

    bool is_numeric() const { return kind <= DataKind::kComplex; }
    bool is_time() const { return kind == DataKind::kDatetime || kind == DataKind::kTimedelta; }
    // True if stored elements have another byte order than the host.
    bool NeedsSwap() const;
    // Returns this type, including its fields, in the host's byte order.
    DataType Native() const;
    // Returns the type's name for messages: NumPy's name, such as "<f8", "<M8[25s]" or "|S5"; the
    // JSON of a structured type; otherwise the Zarr v3 name, after ">" if big-endian. Ignores
    // `missing`.
    std::string ToString() const;
};

// Field of a structured type. The field is a subarray if `shape` is not empty.
struct Field {
    std::string name;
    DataType type;                     // type of one element of the subarray
    std::vector<std::uint64_t> shape;  // C order
    std::size_t offset = 0;            // offset in bytes from the start of the structure
    std::size_t count = 1;             // number of elements of the subarray, the product of `shape`
};

// Element of a kObject array in memory: a string or bytes. Points into the decoded chunk or the
// fill value, and does not own the bytes.
struct ObjectRef {
    const char* data = nullptr;
    std::size_t size = 0;
};

// Parse the "dtype" of a `.zarray` document. ParseTypestr() accepts a typestr; ParseDataType() also
// accepts a list of fields.
Result<DataType> ParseDataType(const json::Value& value);
Result<DataType> ParseTypestr(std::string_view text);

// Returns the value of "dtype" in a `.zarray` document. A type that NumPy lacks is stated by the
// name that ToString() returns.
json::Value DataTypeToJson(const DataType& type);

// Returns NumPy's abbreviation of a time unit, such as "Y" or "ms"; empty if the unit is kGeneric.
std::string_view TimeUnitName(TimeUnit unit);
// Returns the time unit that NumPy abbreviates as `name`; nullopt if there is none. Accepts both
// abbreviations of the microsecond. Never returns kGeneric.
std::optional<TimeUnit> TimeUnitOf(std::string_view name);

// Returns `type` with `order` as the byte order of all its numbers, texts, times and fields. Types
// without a byte order are unchanged.
DataType WithByteOrder(DataType type, ByteOrder order);

// Reverses the bytes of every scalar in `count` elements of `type`, in place. Does nothing if the
// type is in the host's byte order.
void SwapElements(const DataType& type, std::uint8_t* data, std::size_t count);

}  // namespace zarr
