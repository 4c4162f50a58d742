// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/element_op.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "driver/extended_leaves.h"
#include "driver/gdal_types.h"

namespace zarr_driver {

// Writes elements of any GDAL type as stored ones of any dtype that theirs converts to, but
// kObject, with GDAL's rules of conversion; the members of structures are matched by name, and
// those that the GDAL type lacks are left as they are. Strings are not taken over. The op made
// borrows this object; thread-safe.
class ExtendedWriteOp {
  public:
    // Fails where the types do not go together: texts are no numbers, and every member of a
    // structure must be given.
    static zarr::Result<std::unique_ptr<const ExtendedWriteOp>> Make(
        const zarr::DataType& stored, const GDALExtendedDataType& buffer);

    const zarr::ElementOp& op() const { return op_; }
    // True where an element may fail to convert: a text that is too long, or no base64.
    bool can_fail() const { return can_fail_; }
    // The first such failure; its element is zeros.
    zarr::Status status() const;

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferWriteOp> number;  // set where both sides are numbers
    };

    ExtendedWriteOp() = default;
    void ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const;
    static void ConvertRow(const zarr::ElementOp& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    zarr::ElementOp op_;
    bool can_fail_ = false;
    mutable std::mutex mutex_;
    mutable zarr::Status status_;
};

// The text of one element of a GDAL type: a string, empty where it is a null pointer, or a number
// as GDAL writes it. Without bytes that are no UTF-8.
std::string TextOfElement(const GDALExtendedDataType& type, const void* element);

}  // namespace zarr_driver
