// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <gdal_priv.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/array/array.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

class CutTexts;
class SharedResource;

// Elements of an array, and how a caller's memory holds them, as GDAL says it.
struct ElementBlock {
    // Of `rank` dimensions. Strides are GDAL's, in elements. `element_type` outlives the block.
    ElementBlock(std::size_t rank, const GUInt64* start, const std::size_t* count,
                 const GInt64* step, const GPtrDiff_t* stride,
                 const GDALExtendedDataType& element_type);

    zarr::Region region;
    zarr::Strides strides;  // in bytes
    const GDALExtendedDataType& type;
};

// The elements of an array: read and written as any of GDAL's extended types. Of netCDF's
// characters, whose last dimension is a text, each text is one element, and the dimension is left
// out. All const methods may be called from several threads, also at the same time.
class ArrayValues {
  public:
    // `session` outlives it. `stored` is the dtype of an element: that of the array, or what its
    // attributes make of it.
    ArrayValues(const SharedResource& session, std::shared_ptr<const zarr::Array> array,
                zarr::DataType stored);
    ~ArrayValues() = default;
    ArrayValues(const ArrayValues&) = delete;
    ArrayValues& operator=(const ArrayValues&) = delete;

    const std::shared_ptr<const zarr::Array>& array() const { return array_; }
    // From now on another instance of the array, of the same dtype.
    void SetArray(std::shared_ptr<const zarr::Array> array) { array_ = std::move(array); }
    const zarr::DataType& stored() const { return stored_; }
    // True where elements are texts of netCDF's characters. They are only read.
    bool are_characters() const { return text_length_ != 0; }

    // Strings are the caller's to free, where it succeeds.
    zarr::Status Read(const ElementBlock& block, std::uint8_t* data) const;
    // Writes all elements, or where one cannot be converted none. The session is open for update.
    // Emits a warning of texts that were cut.
    zarr::Status Write(ElementBlock block, const std::uint8_t* data) const;
    // Loads the chunks of a region into the cache. `options` are those of GDAL's AdviseRead().
    zarr::Status Advise(zarr::Region region, CSLConstList options) const;

  private:
    zarr::ReadOptions Reading() const;
    zarr::Status ReadTexts(const ElementBlock& block, std::uint8_t* data) const;
    void WarnOfCut(const CutTexts& cut) const;

    const SharedResource& session_;
    const zarr::DataType stored_;
    std::shared_ptr<const zarr::Array> array_;
    const std::size_t text_length_;  // of netCDF's characters; 0 for others
};

}  // namespace zarr_driver
