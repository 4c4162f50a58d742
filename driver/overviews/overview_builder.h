// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/overviews/overview_levels.h"
#include "driver/overviews/overview_set.h"

namespace zarr_driver {

// What GDALDataset::BuildOverviews() was asked for.
struct OverviewRequest {
    std::string resampling;
    std::vector<int> factors;
    std::vector<int> bands;  // from 1
    GDALProgressFunc progress = nullptr;
    void* progress_data = nullptr;
    CSLConstList options = nullptr;
};

// Builds, follows up and removes the overviews of a raster that is open for update. Levels that
// are there are filled again in place; new ones are described once they are filled, so that a
// process that ends before leaves the store as it was. One builder at a time for the arrays of a
// group.
class OverviewBuilder {
  public:
    explicit OverviewBuilder(OverviewSet& set);

    // Why the raster can have no overviews in its store; ok where it can.
    zarr::Status Check() const { return writer_.Check(); }
    // Emits what fails.
    CPLErr Build(const OverviewRequest& request);
    // Emits what fails.
    CPLErr Clean(const OverviewRequest& request);
    // Brings what the levels say about themselves up to the raster.
    zarr::Status Update();

  private:
    std::vector<LevelPaths> Described() const;
    bool HasOwnLevels() const;
    bool HasForeignLevels() const;
    StoreRaster* FindLevel(const OverviewSet::Levels& levels, int factor) const;
    zarr::Status CheckBase() const;
    zarr::Status CheckRequest(const OverviewRequest& request) const;
    // That the arrays of the raster and of its levels take overviews; `any_new` where levels are to
    // be added.
    zarr::Status CheckArrays(bool any_new) const;
    zarr::Result<std::unique_ptr<StoreRaster>> Open(const LevelPaths& level) const;
    zarr::Status Reload();
    zarr::Status MakeMissingMasks(const OverviewRequest& request);
    CPLErr FillMasks(const OverviewRequest& request, const std::vector<StoreRaster*>& levels) const;
    zarr::Status DropUnused();
    zarr::Status Make(const OverviewRequest& request);
    std::vector<std::vector<int>> Runs(const std::vector<int>& bands) const;
    CPLErr Fill(const OverviewRequest& request) const;
    zarr::Status List(const OverviewRequest& request);
    void Discard();

    OverviewSet& set_;
    StoreRaster& raster_;
    const OverviewLevels writer_;
    OverviewSet::Levels made_;  // not described yet
};

}  // namespace zarr_driver
