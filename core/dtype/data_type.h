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
    kBool,       // b1: one byte, 0 or 1
    kInt,        // i1 i2 i4 i8
    kUint,       // u1 u2 u4 u8
    kFloat,      // f2 f4 f8
    kComplex,    // c8, c16, or 4 bytes for two float16: real part, imaginary part
    kDatetime,   // M8[unit]: int64 ticks since 1970-01-01T00:00, or kNotATime
    kTimedelta,  // m8[unit]: int64 ticks, or kNotATime
    kBytes,      // S: fixed length, padded with NUL
    kUnicode,    // U: fixed length, UCS-4 units in the type's byte order, padded with NUL
    kVoid,       // V: opaque bytes
    kStruct,     // fields at fixed offsets, without padding
    kObject,     // O: variable-length strings or bytes, encoded by the first filter
};

// Number of ticks that stands for NumPy's NaT ("not a time").
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

// Number types of Zarr v3 extensions that are too narrow for a C++ type. An element takes one byte,
// or two bytes for bfloat16. A complex element takes twice as many bytes.
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
    kFloat8E4m3fn,  // TensorStore writes this type, which is in no registry
    kFloat8E4m3b11fnuz,
    kFloat8E4m3fnuz,
    kFloat8E5m2,
    kFloat8E5m2fnuz,
    kFloat8E8m0fnu,
};

// Content of kObject elements. kAny means that the metadata does not state the content.
enum class ObjectKind : std::uint8_t { kAny, kText, kBytes };

struct Field;

// Validated data type. `size` is the number of bytes per element, both stored and in memory. Stored
// kObject elements have no fixed size; their `size` is the size of an ObjectRef in memory.
struct DataType {
    DataKind kind = DataKind::kUint;
    std::size_t size = 1;
    ByteOrder order = ByteOrder::kNotRelevant;
    TimeUnit time_unit = TimeUnit::kGeneric;
    std::uint64_t time_multiple = 1;            // for example 25 in M8[25s]
    std::vector<Field> fields;                  // kStruct only, ordered by offset
    NarrowType narrow = NarrowType::kNone;      // for kInt, kUint, kFloat and the parts of kComplex
    ObjectKind object_kind = ObjectKind::kAny;  // kObject only
    // Element that represents a missing value, in the host's byte order; only for the data type
    // zarrs.optional.
    std::optional<std::string> missing;

    bool is_numeric() const { return kind <= DataKind::kComplex; }
    bool is_time() const { return kind == DataKind::kDatetime || kind == DataKind::kTimedelta; }
    // True if stored elements have another byte order than the host.
    bool NeedsSwap() const;
    // Returns this type, including its fields, in the host's byte order.
    DataType Native() const;
    // Returns the type's name for messages. Types known to NumPy have NumPy's name, such as "<f8",
    // "<M8[25s]" or "|S5". The name of a structured type is its JSON. Other types have Zarr v3's
    // name, with a leading ">" if big-endian. Ignores `missing`.
    std::string ToString() const;
};

// Field of a structured type. The field is a subarray if `shape` is not empty.
struct Field {
    std::string name;
    DataType type;                     // type of one element of the subarray
    std::vector<std::uint64_t> shape;  // C order
    std::size_t offset = 0;            // bytes from the start of the element
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

// Returns the "dtype" for a `.zarray` document. A type unknown to NumPy gets the name that
// ToString() returns.
json::Value DataTypeToJson(const DataType& type);

// Returns NumPy's abbreviation of a time unit, such as "Y" or "ms"; empty for kGeneric.
std::string_view TimeUnitName(TimeUnit unit);
// Returns the time unit that NumPy abbreviates as `name`; nullopt if no unit has that abbreviation.
// Never returns kGeneric. Accepts both abbreviations of the microsecond.
std::optional<TimeUnit> TimeUnitOf(std::string_view name);

// Returns `type` with `order` as the byte order of all its numbers, texts, times and fields. Types
// without a byte order are unchanged.
DataType WithByteOrder(DataType type, ByteOrder order);

// Reverses the bytes of every scalar in `count` elements of `type`, in place. Does nothing if the
// type is in the host's byte order.
void SwapElements(const DataType& type, std::uint8_t* data, std::size_t count);

}  // namespace zarr
