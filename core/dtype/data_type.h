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
    kComplex,    // c8 c16, and of 4 bytes two float16: real part, imaginary part
    kDatetime,   // M8[unit]: int64 ticks since 1970-01-01T00:00, or kNotATime
    kTimedelta,  // m8[unit], likewise
    kBytes,      // S: fixed length, padded with NUL
    kUnicode,    // U: fixed length, UCS-4 units in the type's byte order, padded with NUL
    kVoid,       // V: opaque bytes
    kStruct,     // fields at fixed offsets, without padding
    kObject,     // O: variable-length strings or bytes, encoded by the first filter
};

// NumPy's NaT.
inline constexpr std::int64_t kNotATime = std::numeric_limits<std::int64_t>::min();

enum class ByteOrder : std::uint8_t { kLittle, kBig, kNotRelevant };

// NumPy's time units, coarsest first; kGeneric is a time type written without a unit.
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

// Numbers of Zarr v3's extensions that have fewer bits than C++ has a type for. An element takes a
// byte, of bfloat16 two, and twice that of a complex number.
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
    kFloat8E4m3fn,  // in no registry; TensorStore writes it
    kFloat8E4m3b11fnuz,
    kFloat8E4m3fnuz,
    kFloat8E5m2,
    kFloat8E5m2fnuz,
    kFloat8E8m0fnu,
};

// What the objects of kObject are, where the metadata say so.
enum class ObjectKind : std::uint8_t { kAny, kText, kBytes };

struct Field;

// A validated data type. `size` is bytes per element, as stored and in memory; for kObject it is
// the size of an in-memory ObjectRef, as nothing of fixed size is stored.
struct DataType {
    DataKind kind = DataKind::kUint;
    std::size_t size = 1;
    ByteOrder order = ByteOrder::kNotRelevant;
    TimeUnit time_unit = TimeUnit::kGeneric;
    std::uint64_t time_multiple = 1;            // the 25 of M8[25s]
    std::vector<Field> fields;                  // kStruct only, in the order of their offsets
    NarrowType narrow = NarrowType::kNone;      // of kInt, kUint, kFloat; of the parts of kComplex
    ObjectKind object_kind = ObjectKind::kAny;  // kObject only
    // Of zarrs.optional, whose elements may be missing: the element that stands for one that is, in
    // the host's byte order.
    std::optional<std::string> missing;

    bool is_numeric() const { return kind <= DataKind::kComplex; }
    bool is_time() const { return kind == DataKind::kDatetime || kind == DataKind::kTimedelta; }
    // True where an element in memory differs from the stored one in byte order.
    bool NeedsSwap() const;
    // The same type in the host's byte order, fields too.
    DataType Native() const;
    // For messages: NumPy's spelling, "<f8", "<M8[25s]", "|S5", structured types as their JSON; of
    // what NumPy lacks Zarr v3's name, with ">" in front where it is big-endian. Of one whose
    // elements may be missing the same.
    std::string ToString() const;
};

// A member of a structured type; a subarray where `shape` is not empty.
struct Field {
    std::string name;
    DataType type;                     // of one element of the subarray
    std::vector<std::uint64_t> shape;  // C order
    std::size_t offset = 0;            // bytes from the start of the element
    std::size_t count = 1;             // product of shape
};

// The in-memory element of a kObject array: a string or bytes, borrowed from the decoded chunk or
// the fill value it came from.
struct ObjectRef {
    const char* data = nullptr;
    std::size_t size = 0;
};

// Parses the value of `.zarray`'s "dtype": a typestr or a list of fields.
Result<DataType> ParseDataType(const json::Value& value);
Result<DataType> ParseTypestr(std::string_view text);

// The type as `.zarray` spells it, and as ToString() does where that has no name for it.
json::Value DataTypeToJson(const DataType& type);

// "Y", "ms", ...; empty for kGeneric.
std::string_view TimeUnitName(TimeUnit unit);
// The unit of that name, other than kGeneric; none where there is none. NumPy's second name of the
// microsecond counts.
std::optional<TimeUnit> TimeUnitOf(std::string_view name);

// The same type with every number, text and time in that byte order, fields too; what has no byte
// order stays without.
DataType WithByteOrder(DataType type, ByteOrder order);

// Reverses, in place, the byte order of every scalar in `count` elements of `type`.
void SwapElements(const DataType& type, std::uint8_t* data, std::size_t count);

}  // namespace zarr
