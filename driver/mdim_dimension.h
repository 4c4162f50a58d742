// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

#include "core/conventions/array_facts.h"

namespace zarr_driver {

class MdimSession;

// A dimension of GDAL's multidimensional API.
class ZarrDimension final : public GDALDimension {
  public:
    // The dimension `index` of an array, inside the group or array of the full name `parent`.
    ZarrDimension(std::shared_ptr<MdimSession> session, const std::string& parent,
                  const zarr::ArrayFacts& facts, std::size_t index);

    // The coordinate array; where there is none, but the array that the dimension was met on has a
    // geotransform without rotation, pixel centres computed from that. nullptr where there is
    // neither.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;

  private:
    std::shared_ptr<GDALMDArray> FromGeoTransform() const;

    const std::shared_ptr<MdimSession> session_;
    const std::string parent_;
    const std::string array_path_;  // of the array that it was met on
    const std::string coordinate_path_;
    const bool is_x_;  // of that array's raster
    const bool is_y_;
};

}  // namespace zarr_driver
