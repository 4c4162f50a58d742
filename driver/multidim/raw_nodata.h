// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"

namespace zarr_driver {

// The nodata value of an array as one element of GDAL's type, and its conversion from and to an
// element of the stored type. Const methods may be called from several threads at once.
class RawNodata {
  public:
    // `type` must outlive this object.
    RawNodata(const GDALExtendedDataType& type, zarr::DataType stored)
        : type_(type), stored_(std::move(stored)) {}
    ~RawNodata() { Clear(); }
    RawNodata(const RawNodata&) = delete;
    RawNodata& operator=(const RawNodata&) = delete;

    // Returns the element, which this object owns; nullptr if there is no nodata value.
    const void* data() const { return data_.empty() ? nullptr : data_.data(); }
    // Sets the nodata value from an element in the host's byte order. An element that cannot be a
    // nodata value of `type` counts as none.
    void Set(const std::optional<zarr::FillValue>& element);

    // Returns an element of GDAL's type as an element of the stored type, in the host's byte order;
    // nullopt if the stored type, which may be narrower, cannot hold the number.
    zarr::Result<std::optional<std::string>> Stored(const void* raw) const;
    // Returns an element of GDAL's type, which must be a number.
    double Number(const void* raw) const;

  private:
    void Clear();
    bool IsOutside(const void* raw, const std::string& element) const;

    const GDALExtendedDataType& type_;
    const zarr::DataType stored_;
    std::vector<std::uint8_t> data_;  // an element of type_; empty if there is none
};

}  // namespace zarr_driver
