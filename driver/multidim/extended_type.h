// SPDX-License-Identifier: MIT
// Converts between the data types of Zarr and the extended types of GDAL's multidimensional API.
#pragma once

#include <gdal_priv.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/row_converter.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/grid/copy.h"
#include "driver/base/gdal_types.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

// Maximum number of fields of a structured type. Each item of a subarray counts as a field.
inline constexpr std::size_t kMaxFields = 65536;

// A member of a structured type. Each item of a subarray is a member of its own: "name[3]" is an
// item of the subarray "name".
struct StructMember {
    std::string name;
    zarr::DataType type;
    std::size_t offset = 0;  // bytes from the start of the stored element
};

// Returns the members of a structured type. A nested structure counts as one member. Returns kLimit
// if the type has more than kMaxFields fields.
zarr::Result<std::vector<StructMember>> StructMembers(const zarr::DataType& type);

// Returns the GDAL type for elements of the Zarr data type `type`. Numbers and times get
// GdalTypeOf(type). Strings and objects become UTF-8 strings, and raw bytes become base64 strings.
// A structure becomes a compound with aligned offsets, called `name`. A nested compound is called
// `name`_member.
zarr::Result<GDALExtendedDataType> ExtendedTypeOf(const zarr::DataType& type,
                                                  const std::string& name);

// A number or string in an element, with its stored type and the GDAL type into which it is
// converted.
struct ExtendedLeaf {
    zarr::DataType type;
    GDALExtendedDataType gdal_type;
    std::size_t offset = 0;       // bytes from the start of the stored element
    std::size_t gdal_offset = 0;  // bytes from the start of the GDAL element
};

enum class Members : std::uint8_t { kAnyOf, kAllOf };

// Pairs the numbers and strings of a Zarr dtype with those of a GDAL type. Members of structures
// are paired by name. Members that only the GDAL type has are ignored. Fails if only one of the
// types is a structure. With kAllOf, also fails if the GDAL type lacks a member.
zarr::Result<std::vector<ExtendedLeaf>> PairLeaves(const zarr::DataType& stored,
                                                   const GDALExtendedDataType& gdal,
                                                   Members members);

// Converts stored elements of any dtype to a GDAL type, by GDAL's conversion rules. Members of
// structures are paired by name. Strings are allocated with GDAL's allocator, and the caller must
// free them. The function that op() returns refers to this object and must not outlive it.
// Thread-safe.
class ExtendedConverter {
  public:
    // Creates a converter. Fails if the members of the two types cannot be paired.
    static zarr::Result<std::unique_ptr<const ExtendedConverter>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::Converter& op() const { return op_; }
    // True if memory for a string could not be allocated. The string is then nullptr.
    bool is_out_of_memory() const { return is_out_of_memory_; }

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferConverter> number;  // converts numbers; nullptr for other types
    };

    ExtendedConverter() = default;
    void ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const;
    static void ConvertRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    zarr::Converter op_;
    mutable std::atomic<bool> is_out_of_memory_{false};
};

// Sets all elements of a block to zero bytes. Numbers become 0, and strings become nullptr.
void ClearElements(const GDALExtendedDataType& type, std::uint8_t* data,
                   const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Frees the strings in a block of elements. Then sets all elements to zero bytes.
void FreeElements(const GDALExtendedDataType& type, std::uint8_t* data,
                  const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Records texts that were truncated because they were too long for their dtype.
class TruncatedTexts {
  public:
    void Add(const zarr::DataType& type, const std::string& text);
    bool empty() const { return count_ == 0; }
    // Returns a message with the first truncated text and the number of truncated texts.
    std::string Message() const;

  private:
    std::size_t count_ = 0;
    zarr::Status first_;
};

// Converts elements of a GDAL type to any stored dtype except kObject, by GDAL's conversion rules.
// Members of structures are paired by name. The caller keeps ownership of strings. The function
// that op() returns refers to this object and must not outlive it. Thread-safe.
class ExtendedWriteConverter {
  public:
    // Creates a converter. Fails if the stored type is a number and the GDAL type is a string. Also
    // fails if the GDAL type lacks a member of the structure.
    static zarr::Result<std::unique_ptr<const ExtendedWriteConverter>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::Converter& op() const { return op_; }
    // True if a conversion can fail because of invalid base64, or can truncate a text.
    bool can_fail() const { return can_fail_; }
    // Returns the first failure of a conversion. The element that failed was set to zero bytes.
    zarr::Status status() const;
    // Returns the record of texts that were truncated.
    TruncatedTexts truncated_texts() const;

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferWriteConverter> number;  // converts numbers; nullptr for other types
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

// Returns one element of a GDAL type as text. Numbers are formatted as GDAL does. A string that is
// nullptr becomes an empty text. Invalid UTF-8 is replaced.
std::string TextOfElement(const GDALExtendedDataType& type, const void* element);

// Values of the creation option STRING_FORMAT, which says how strings with a maximum length are
// stored. kAscii, the default, counts the maximum in bytes; kUnicode counts it in characters.
// kVariable stores strings of any length.
enum class StringFormat : std::uint8_t { kAscii, kUnicode, kVariable };

// The creation option STRING_FORMAT.
extern const OptionRow<StringFormat> kStringRows[1];

// Returns the dtype of a new array for a GDAL type. Numbers follow StoredTypeOf().
//
// Strings with a maximum length become dtype S, or U with kUnicode. Other strings, and all
// strings with kVariable, become kObject with the codec vlen-utf8.
//
// Compounds become structures without padding. Their strings need a maximum length and become
// S, or U with kUnicode. Members name[0], name[1] and so on of one type become a subarray.
zarr::Result<zarr::DataType> NewArrayType(const GDALExtendedDataType& type, StringFormat strings);

}  // namespace zarr_driver
