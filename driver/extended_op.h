// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/element_op.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/grid/copy.h"
#include "driver/extended_leaves.h"
#include "driver/gdal_types.h"

namespace zarr_driver {

// Reads stored elements of any dtype into memory of any GDAL type that theirs converts to, with
// GDAL's rules of conversion; the members of structures are matched by name. Strings are allocated
// as GDAL's are, for the caller to free. The op made borrows this object; thread-safe.
class ExtendedOp {
  public:
    // Fails where the types do not go together.
    static zarr::Result<std::unique_ptr<const ExtendedOp>> Make(const zarr::DataType& stored,
                                                                const GDALExtendedDataType& buffer);

    const zarr::ElementOp& op() const { return op_; }
    // True once memory for a string was not to be had; the string is a null pointer then.
    bool is_out_of_memory() const { return is_out_of_memory_; }

  private:
    struct Leaf : ExtendedLeaf {
        std::unique_ptr<BufferOp> number;  // set where both sides are numbers
    };

    ExtendedOp() = default;
    void ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const;
    static void ConvertRow(const zarr::ElementOp& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                           const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    zarr::ElementOp op_;
    mutable std::atomic<bool> is_out_of_memory_{false};
};

// Sets every element of a block of a GDAL type to zero bytes: numbers 0, strings null.
void ClearElements(const GDALExtendedDataType& type, std::uint8_t* data,
                   const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

// Frees the strings in a block of elements and sets it to zero bytes.
void FreeElements(const GDALExtendedDataType& type, std::uint8_t* data,
                  const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides);

}  // namespace zarr_driver
