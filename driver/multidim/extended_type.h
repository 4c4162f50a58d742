// SPDX-License-Identifier: MIT
// Conversion between Zarr's data types and the extended types of GDAL's multidimensional API.
#pragma once

#include <gdal_priv.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/converter.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/grid/copy.h"
#include "driver/base/gdal_types.h"

namespace zarr_driver {

// Maximum number of fields of a structured type. Each item of a subarray counts.
inline constexpr std::size_t kMaxFields = 65536;

// A member "name" of a structured type, or one item "name[3]" of a member that is a subarray.
struct StructMember {
    std::string name;
    zarr::DataType type;
    std::size_t offset = 0;  // bytes from the start of the stored element
};

// Returns the members of a structured type. A nested structure counts as one member. Returns kLimit
// if there are more than kMaxFields fields.
zarr::Result<std::vector<StructMember>> StructMembers(const zarr::DataType& type);

// Returns the GDAL type for elements of `type`. Numbers and times follow GdalTypeOf(). Strings and
// objects become UTF-8 strings, and raw bytes become base64 strings. Structures become compounds
// with aligned offsets; the compound is called `name`, a nested one `name`_member.
zarr::Result<GDALExtendedDataType> ExtendedTypeOf(const zarr::DataType& type,
                                                  const std::string& name);

// A number or string within an element, in its stored type and in the paired GDAL type.
struct ExtendedLeaf {
    zarr::DataType type;
    GDALExtendedDataType gdal_type;
    std::size_t offset = 0;       // bytes from the start of the stored element
    std::size_t gdal_offset = 0;  // bytes from the start of the GDAL element
};

enum class Members : std::uint8_t { kAnyOf, kAllOf };

// Pairs the numbers and strings of a dtype with those of a GDAL type. Members of structures are
// paired by name; members that only the GDAL type has are ignored. Fails if only one of the types
// is a structure. With kAllOf also fails if the GDAL type lacks a member.
zarr::Result<std::vector<ExtendedLeaf>> PairLeaves(const zarr::DataType& stored,
                                                   const GDALExtendedDataType& gdal,
                                                   Members members);

// Converts stored elements of any dtype to a GDAL type, by GDAL's conversion rules. Members of
// structures are paired by name. Strings are allocated with GDAL's allocator, and the caller frees
// them. op() borrows this object. Thread-safe.
class ExtendedConverter {
  public:
    // Creates a converter. Fails if the types cannot be paired.
    static zarr::Result<std::unique_ptr<const ExtendedConverter>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::Converter& op() const { return op_; }
    // True if the memory for a string could not be allocated. That string is nullptr.
    bool is_out_of_memory() const { return is_out_of_memory_; }

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferConverter> number;  // set if both types are numbers
    };

    ExtendedConverter() = default;
    void ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const;
    static void ConvertRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    zarr::Converter op_;
    mutable std::atomic<bool> is_out_of_memory_{false};
};

// Sets the bytes of all elements of a block to zero: numbers become 0, strings nullptr.
void ClearElements(const GDALExtendedDataType& type, std::uint8_t* data,
                   const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Frees the strings in a block of elements, and sets the bytes of all elements to zero.
void FreeElements(const GDALExtendedDataType& type, std::uint8_t* data,
                  const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Counts texts that were truncated because they were too long for their dtype.
class TruncatedTexts {
  public:
    void Add(const zarr::DataType& type, const std::string& text);
    bool empty() const { return count_ == 0; }
    // Returns a message that names the first truncated text.
    std::string Message() const;

  private:
    std::size_t count_ = 0;
    zarr::Status first_;
};

// Converts elements of a GDAL type to any stored dtype except kObject, by GDAL's conversion rules.
// Members of structures are paired by name. The caller keeps ownership of strings. op() borrows
// this object. Thread-safe.
class ExtendedWriteConverter {
  public:
    // Creates a converter. Fails if the stored type is a number and the GDAL type a string, or if
    // the GDAL type lacks a member of the structure.
    static zarr::Result<std::unique_ptr<const ExtendedWriteConverter>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::Converter& op() const { return op_; }
    // True if converting an element can fail, on invalid base64, or can truncate a text.
    bool can_fail() const { return can_fail_; }
    // Returns the first failure. The element that failed is set to zero bytes.
    zarr::Status status() const;
    // Returns the truncated texts.
    TruncatedTexts truncated_texts() const;

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferWriteConverter> number;  // set if both types are numbers
    };

    ExtendedWriteConverter() = default;
    void ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const;
    static void ConvertRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    zarr::Converter op_;
    bool can_fail_ = false;
    mutable std::mutex mutex_;
    mutable zarr::Status status_;
    mutable TruncatedTexts cut_;
};

// Returns one element of a GDAL type as text: a string, or a number in GDAL's format. A string that
// is nullptr gives an empty text. Invalid UTF-8 is replaced.
std::string TextOfElement(const GDALExtendedDataType& type, const void* element);

// Values of the creation option STRING_FORMAT, for strings with a maximum length. kAscii, the
// default, takes the maximum as bytes; kUnicode takes it as characters. kVariable stores strings of
// any length.
enum class StringFormat : std::uint8_t { kAscii, kUnicode, kVariable };
zarr::Result<StringFormat> ParseStringFormat(CSLConstList options);

// Returns the dtype of a new array for a GDAL type. Numbers follow StoredTypeOf().
//
// Strings with a maximum length become dtype S, or U with kUnicode. Other strings, and all
// strings with kVariable, become kObject with the codec vlen-utf8.
//
// Compounds become structures without padding. Their strings need a maximum length and become
// S, or U with kUnicode. Members name[0], name[1] and so on of one type become a subarray.
zarr::Result<zarr::DataType> NewArrayType(const GDALExtendedDataType& type, StringFormat strings);

}  // namespace zarr_driver
