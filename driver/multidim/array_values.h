// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <gdal_priv.h>

#include <cstddef>
#include <cstdint>

#include "core/array/array.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

class TruncatedTexts;
class EditableArray;
class MdimSession;

// A block of elements of an array, and the layout of these elements in the caller's memory.
struct ElementBlock {
    // `start`, `count`, `step` and `stride` point to `rank` values each. `stride` counts elements
    // of `element_type`. `element_type` must outlive the block.
    ElementBlock(std::size_t rank, const GUInt64* start, const std::size_t* count,
                 const GInt64* step, const GPtrDiff_t* stride,
                 const GDALExtendedDataType& element_type);

    zarr::Region region;
    zarr::Strides strides;  // in bytes
    const GDALExtendedDataType& type;
};

// Reads and writes the elements of an array, converted to any extended type of GDAL. NCZarr stores
// a text as characters along the last dimension. Such a text counts as one element here, and that
// dimension is hidden. Const methods may be called from several threads at once.
class ArrayValues {
  public:
    // `session` and `array` must outlive this object. `stored` is the dtype of an element.
    // Attributes such as `_Unsigned` make `stored` differ from the dtype of the array.
    ArrayValues(const MdimSession& session, const EditableArray& array, zarr::DataType stored);
    ~ArrayValues() = default;
    ArrayValues(const ArrayValues&) = delete;
    ArrayValues& operator=(const ArrayValues&) = delete;

    const zarr::DataType& stored() const { return stored_; }
    // True if an element is a text that NCZarr stores as characters. Such arrays are read-only.
    bool are_characters() const { return text_length_ != 0; }

    // Reads a block into `data`. After a success, the caller must free the strings in `data`.
    zarr::Status Read(const ElementBlock& block, std::uint8_t* data) const;
    // Writes a block. Writes nothing if one element cannot be converted. The session must be open
    // for update. Emits a warning if texts are truncated.
    zarr::Status Write(ElementBlock block, const std::uint8_t* data) const;
    // Loads the chunks of `region` into the cache. `options` are those of
    // GDALMDArray::AdviseRead().
    zarr::Status Advise(zarr::Region region, CSLConstList options) const;

  private:
    zarr::ReadOptions Reading() const;
    zarr::Status ReadTexts(const ElementBlock& block, std::uint8_t* data) const;
    void WarnOfCut(const TruncatedTexts& cut) const;

    const MdimSession& session_;
    const zarr::DataType stored_;
    const EditableArray& array_;
    // number of characters per text in NCZarr; 0 for arrays of other elements
    const std::size_t text_length_;
};

}  // namespace zarr_driver
