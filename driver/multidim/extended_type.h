// SPDX-License-Identifier: MIT
// Zarr's data types as those of GDAL's multidimensional API.
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

// Most fields of a structured type, items of subarrays counted one by one.
inline constexpr std::size_t kMaxFields = 65536;

// A member of a structured type, or an item of one that is a subarray: "name", "name[3]".
struct StructMember {
    std::string name;
    zarr::DataType type;
    std::size_t offset = 0;  // bytes from the start of the stored element
};

// The members of a structured type, one level deep. kLimit where there are too many.
zarr::Result<std::vector<StructMember>> StructMembers(const zarr::DataType& type);

// The type that shows elements of `type`: numbers and times as GdalTypeOf() has them; strings and
// objects as strings in UTF-8; raw bytes as strings in base64; structures as compounds of these, at
// aligned offsets. Compounds are called `name`, and those inside them `name`_member.
zarr::Result<GDALExtendedDataType> ExtendedTypeOf(const zarr::DataType& type,
                                                  const std::string& name);

// One number or string of an element, as it is stored and as a GDAL type has it.
struct ExtendedLeaf {
    zarr::DataType type;
    GDALExtendedDataType gdal_type;
    std::size_t offset = 0;       // in the stored element, in bytes
    std::size_t gdal_offset = 0;  // in GDAL's
};

enum class Members : std::uint8_t { kAnyOf, kAllOf };

// The leaves of a dtype with those of a GDAL type; the members of structures go together by name.
// Fails where one is a structure and the other is not and, with kAllOf, where the GDAL type lacks a
// member. Members that only the GDAL type has are left out.
zarr::Result<std::vector<ExtendedLeaf>> PairLeaves(const zarr::DataType& stored,
                                                   const GDALExtendedDataType& gdal,
                                                   Members members);

// Reads stored elements of any dtype into memory of any GDAL type that theirs converts to, with
// GDAL's rules of conversion; the members of structures are matched by name. Strings are allocated
// as GDAL's are, for the caller to free. The op made borrows this object; thread-safe.
class ExtendedConverter {
  public:
    // Fails where the types do not go together.
    static zarr::Result<std::unique_ptr<const ExtendedConverter>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::Converter& op() const { return op_; }
    // True once memory for a string was not to be had; the string is a null pointer then.
    bool is_out_of_memory() const { return is_out_of_memory_; }

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferConverter> number;  // set where both sides are numbers
    };

    ExtendedConverter() = default;
    void ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const;
    static void ConvertRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    zarr::Converter op_;
    mutable std::atomic<bool> is_out_of_memory_{false};
};

// Sets every element of a block of a GDAL type to zero bytes: numbers 0, strings null.
void ClearElements(const GDALExtendedDataType& type, std::uint8_t* data,
                   const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Frees the strings in a block of elements and sets it to zero bytes.
void FreeElements(const GDALExtendedDataType& type, std::uint8_t* data,
                  const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Texts that were too long for their dtype, of which the beginning was written.
class CutTexts {
  public:
    void Add(const zarr::DataType& type, const std::string& text);
    bool empty() const { return count_ == 0; }
    // Names the first.
    std::string Message() const;

  private:
    std::size_t count_ = 0;
    zarr::Status first_;
};

// Writes elements of any GDAL type as stored ones of any dtype that theirs converts to, but
// kObject, with GDAL's rules of conversion; the members of structures are matched by name, and
// those that the GDAL type lacks are left as they are. Strings are not taken over. The op made
// borrows this object; thread-safe.
class ExtendedWriteConverter {
  public:
    // Fails where the types do not go together: texts are no numbers, and every member of a
    // structure must be given.
    static zarr::Result<std::unique_ptr<const ExtendedWriteConverter>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::Converter& op() const { return op_; }
    // True where an element may fail to convert, as it is no base64, or is cut.
    bool can_fail() const { return can_fail_; }
    // The first such failure; its element is zeros.
    zarr::Status status() const;
    // The texts that did not fit.
    CutTexts cut_texts() const;

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferWriteConverter> number;  // set where both sides are numbers
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
    mutable CutTexts cut_;
};

// The text of one element of a GDAL type: a string, empty where it is a null pointer, or a number
// as GDAL writes it. Without bytes that are no UTF-8.
std::string TextOfElement(const GDALExtendedDataType& type, const void* element);

// The dtype that a new array of a type of GDAL's multidimensional API gets.

// The option STRING_FORMAT, of strings with a maximum length. kAscii, the default, takes it for
// bytes, as what it was read from; kUnicode for characters; kVariable stores strings of any length.
enum class StringFormat : std::uint8_t { kAscii, kUnicode, kVariable };
zarr::Result<StringFormat> ParseStringFormat(CSLConstList options);

// Numbers as StoredTypeOf() has them. Strings with a maximum length are S, with kUnicode U, and
// with kVariable or without a maximum kObject, for vlen-utf8. Compounds are structures without
// padding; strings in them need a maximum length and are S, with kUnicode U; members called
// name[0], name[1], ... of one type are a subarray.
zarr::Result<zarr::DataType> NewArrayType(const GDALExtendedDataType& type, StringFormat strings);

}  // namespace zarr_driver
