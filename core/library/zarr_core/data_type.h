// SPDX-License-Identifier: MIT
// The types of elements: in a store (DataType), and in the memory of the program (MemoryType).
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

// The kinds of types in a store.
enum class DataKind : std::uint8_t {
    kBool,
    kInt,        // signed integers
    kUint,       // unsigned integers
    kFloat,      // real numbers, bfloat16 and those of 4, 6 and 8 bits included
    kComplex,    // complex numbers
    kDatetime,   // ticks since 1970-01-01T00:00; the smallest int64 is "not a time"
    kTimedelta,  // a number of ticks; the smallest int64 is "not a time"
    kBytes,      // bytes of a fixed length, padded with NUL
    kUnicode,    // text of a fixed length: UCS-4 code units, padded with NUL
    kRaw,        // bytes without a meaning
    kStruct,     // fields of other types, without padding
    kVariable,   // strings or bytes of variable length
};

// A type of elements in the memory of the program, in the byte order of the machine.
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
    kElement,  // DataType::size() bytes: the element as it is stored, in the machine's byte order
};

// Returns the bytes of an element in memory; 0 for kElement, whose size the data type tells.
ZARR_CORE_EXPORT std::size_t SizeOf(MemoryType type) noexcept;

// The type of the elements of an array (Zarr v2 specification, "Data type encoding"; Zarr v3
// specification, "Data types", and its extensions). Immutable; copying is cheap. Thread-safe.
class ZARR_CORE_EXPORT DataType {
  public:
    // Returns the type that a text names: a type string of NumPy ("<f4", "|S5", "<M8[ns]"), a name
    // of Zarr v3 ("float32", "string"), or the JSON of "dtype" of Zarr v2 or of "data_type" of Zarr
    // v3. Names of Zarr v3 are little-endian. kInvalidArgument or kUnsupported if there is no such
    // type.
    static Result<DataType> Parse(std::string_view text) noexcept;

    DataKind kind() const noexcept;
    // Bytes of an element in memory as MemoryType::kElement; 0 for kVariable.
    std::size_t size() const noexcept;
    // The smallest memory type that holds every value: kFloat32 for float16, kInt64 for times;
    // kElement for bytes, text and structures. kVariable has none and gives kElement.
    MemoryType memory_type() const noexcept;
    // The name of the type: a type string of NumPy, JSON for structures, else the name of Zarr v3.
    Result<std::string> ToString() const noexcept;

    struct Impl;  // private to the library
    explicit DataType(std::shared_ptr<const Impl> impl) noexcept;
    const Impl& impl() const noexcept { return *impl_; }

  private:
    std::shared_ptr<const Impl> impl_;
};

// The MemoryType of a C++ type: bool, an integer of 8 to 64 bits, float, double, or a std::complex
// of these two. Other types do not compile.
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
