// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>

#include "driver/mdim_session.h"

namespace zarr_driver {

// A dataset of GDAL's multidimensional API: a root group.
class MdimDataset final : public GDALDataset {
  public:
    explicit MdimDataset(std::shared_ptr<MdimSession> session);

    std::shared_ptr<GDALGroup> GetRootGroup() const override { return root_; }

  private:
    const std::shared_ptr<GDALGroup> root_;
};

}  // namespace zarr_driver
