// SPDX-License-Identifier: MIT
// Data types: DataType for elements in a store, MemoryType for elements in a program's memory.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "zarr_core/export.h"
#include "zarr_core/status.h"

namespace zarr_core {

// Kinds of element types in a store.
enum class DataKind : std::uint8_t {
    kBool,
    kInt,      // signed integers
    kUint,     // unsigned integers
    kFloat,    // real numbers, including bfloat16 and numbers of 4, 6 and 8 bits
    kComplex,  // complex numbers
    // int64, in the type's unit since 1970-01-01T00:00; the smallest int64 is "not a time".
    kDatetime,
    kTimedelta,  // int64 duration in the type's unit; the smallest int64 is "not a time"
    kBytes,      // bytes of a fixed length, padded with NUL
    kUnicode,    // text of a fixed length: UCS-4 code units, padded with NUL
    kRaw,        // bytes that are not interpreted
    kStruct,     // fields with types of their own, without padding
    kVariable,   // strings or bytes of variable length
};

// Type of elements in the memory of the program, in the byte order of the machine.
enum class MemoryType : std::uint8_t {
    kBool,  // one byte, 0 or 1
    kInt8,
    kUint8,
    kInt16,
    kUint16,
    kInt32,
    kUint32,
    kInt64,
    kUint64,
    kFloat32,
    kFloat64,
    kComplex64,   // two float32: real part, imaginary part
    kComplex128,  // two float64
    kElement,     // the stored element in the machine's byte order, DataType::size() bytes
};

// Returns the size of an element in bytes; 0 for kElement, whose size is DataType::size().
ZARR_CORE_EXPORT std::size_t SizeOf(MemoryType type) noexcept;

// Type of the elements of an array (Zarr v2 specification, "Data type encoding"; Zarr v3
// specification, "Data types", and its extensions). Immutable; copying is cheap. Thread-safe.
class ZARR_CORE_EXPORT DataType {
  public:
    // Returns the type that `text` names: a NumPy type string ("<f4", "<M8[ns]"), a name of Zarr v3
    // ("float32", "string"), or JSON as in "dtype" of Zarr v2 or "data_type" of Zarr v3. Zarr v3
    // names give little-endian types. Returns kInvalidArgument or kUnsupported if no type has the
    // name.
    static Result<DataType> Parse(std::string_view text) noexcept;

    DataKind kind() const noexcept;
    // Returns the size in bytes of an element that is read as MemoryType::kElement; 0 for
    // kVariable.
    std::size_t size() const noexcept;
    // Returns the smallest memory type that holds every value, such as kFloat32 for float16 or
    // kInt64 for times. Returns kElement for bytes, text, structures and kVariable.
    MemoryType memory_type() const noexcept;
    // Returns the name of the type: a type string of NumPy, JSON for structures, else the name of
    // Zarr v3.
    Result<std::string> ToString() const noexcept;

    struct Impl;  // only for the library itself
    explicit DataType(std::shared_ptr<const Impl> impl) noexcept;
    const Impl& impl() const noexcept { return *impl_; }

  private:
    std::shared_ptr<const Impl> impl_;
};

// Returns the MemoryType of a C++ type: bool, an integer of 8 to 64 bits, float, double, or a
// std::complex of float or double. Other types do not compile.
template <class T>
constexpr MemoryType MemoryTypeOf() {
    if constexpr (std::is_same_v<T, bool>) {
        return MemoryType::kBool;
    } else if constexpr (std::is_integral_v<T>) {
        constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<MemoryType>(1 + 2 * kLog + (std::is_unsigned_v<T> ? 1 : 0));
    } else if constexpr (std::is_same_v<T, float>) {
        return MemoryType::kFloat32;
    } else if constexpr (std::is_same_v<T, double>) {
        return MemoryType::kFloat64;
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        return MemoryType::kComplex64;
    } else {
        static_assert(std::is_same_v<T, std::complex<double>>, "no MemoryType for this C++ type");
        return MemoryType::kComplex128;
    }
}

}  // namespace zarr_core
