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

// Arguments of a call of GDALDataset::BuildOverviews().
struct OverviewRequest {
    std::string resampling;
    std::vector<int> factors;
    std::vector<int> bands;  // from 1
    GDALProgressFunc progress = nullptr;
    void* progress_data = nullptr;
    CSLConstList options = nullptr;
};

// Builds, updates and removes the overviews of a raster in update mode. Existing levels are filled
// again in place. A new level is listed in the metadata only after it is filled, so readers never
// see an incomplete new level. Only one builder may work on the arrays of a group at a time.
class OverviewBuilder {
  public:
    explicit OverviewBuilder(OverviewSet& set);

    // Returns Ok if the store can hold overviews of the raster. Otherwise the error says why not.
    zarr::Status Check() const { return writer_.Check(); }
    // Builds the levels for `request.factors`. Fills a level again if it already exists. Emits
    // errors.
    CPLErr Build(const OverviewRequest& request);
    // Fills `request.bands` of existing levels again. Ignores `request.factors`. Does not update
    // attributes and coordinates of the levels; Update() does. Emits errors.
    CPLErr FillBands(const OverviewRequest& request, std::vector<StoreRaster*> levels) const;
    // Removes all overviews that GDAL has built. Emits errors.
    CPLErr Clean(const OverviewRequest& request);
    // Writes the list of levels in the metadata again. Needed after a change of the raster's
    // position if the list states the position; see OverviewLevels::HasLevelGroups().
    zarr::Status Describe();
    // Copies changed attributes, coordinates and fill values of the raster to the levels.
    zarr::Status Update();

  private:
    std::vector<LevelPaths> Described() const;
    bool HasOwnLevels() const;
    bool HasForeignLevels() const;
    StoreRaster* FindLevel(const OverviewSet::Levels& levels, int factor) const;
    zarr::Status CheckBase() const;
    zarr::Status CheckRequest(const OverviewRequest& request) const;
    // Fails if an array of the raster cannot be written, or if an existing level has fewer slices
    // than the raster. If `any_new` is true, levels must be created. The call then also fails if
    // the raster shows only a slice of an array.
    zarr::Status CheckArrays(bool any_new) const;
    zarr::Result<std::unique_ptr<StoreRaster>> Open(const LevelPaths& level) const;
    zarr::Status Reload();
    zarr::Status MakeMissingMasks(const OverviewRequest& request);
    CPLErr FillMasks(const OverviewRequest& request, const std::vector<StoreRaster*>& levels) const;
    zarr::Status DropUnused();
    zarr::Status Make(const OverviewRequest& request);
    std::vector<std::vector<int>> Runs(const std::vector<int>& bands) const;
    CPLErr Fill(const OverviewRequest& request) const;
    CPLErr FillLevels(const OverviewRequest& request, std::vector<StoreRaster*> levels) const;
    zarr::Status List(const OverviewRequest& request);
    void Discard();

    OverviewSet& set_;
    StoreRaster& raster_;
    const OverviewLevels writer_;
    OverviewSet::Levels made_;  // new levels that the metadata does not list yet
};

}  // namespace zarr_driver
