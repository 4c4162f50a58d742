// SPDX-License-Identifier: MIT
// Conversion between the elements of a store and the MemoryTypes of a program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/row_converter.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/library/zarr_core/data_type.h"

namespace zarr_core {

// Returns the smallest memory type that holds every value of `type`; kElement if `type` is not
// numeric.
MemoryType MemoryTypeFor(const zarr::DataType& type);

// Converts between elements as stored and elements in memory. Must outlive each read or write that
// uses its converter. Cannot be copied or moved, because the converter points to it.
class Conversion {
  public:
    Conversion() = default;
    Conversion(const Conversion&) = delete;
    Conversion& operator=(const Conversion&) = delete;
    ~Conversion() = default;

    // Return the converter from stored elements to `memory`, and from `memory` to stored elements.
    // The converter refers to `stored`. kInvalidArgument if the two types cannot be converted.
    zarr::Result<zarr::Converter> ForReading(const zarr::DataType& stored, MemoryType memory);
    zarr::Result<zarr::Converter> ForWriting(MemoryType memory, const zarr::DataType& stored);

  private:
    // Function that converts `count` elements from `src` to `dst`; strides are in bytes.
    using Convert = void (*)(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                             std::ptrdiff_t src_stride, std::size_t count);
    static void ReadRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                        const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);
    static void WriteRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                         const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);
    static Convert Find(MemoryType to, MemoryType from);

    // Type of the elements between the two steps of a conversion: `inner_` converts stored
    // elements, `convert_` converts elements in memory.
    zarr::DataType holding_;
    zarr::Converter inner_;  // converts between stored elements and `holding_`
    Convert convert_ = nullptr;
};

}  // namespace zarr_core
