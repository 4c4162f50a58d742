// SPDX-License-Identifier: MIT
#include "driver/mdim_dataset.h"

#include "driver/mdim_group.h"

namespace zarr_driver {

MdimDataset::MdimDataset(std::shared_ptr<MdimSession> session)
    : root_(ZarrGroup::Root(std::move(session))) {}

}  // namespace zarr_driver
