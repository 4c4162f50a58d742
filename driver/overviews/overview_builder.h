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

// Arguments of GDALDataset::BuildOverviews().
struct OverviewRequest {
    std::string resampling;
    std::vector<int> factors;
    std::vector<int> bands;  // from 1
    GDALProgressFunc progress = nullptr;
    void* progress_data = nullptr;
    CSLConstList options = nullptr;
};

// Builds, updates and removes the overviews of a raster in update mode. Existing levels are filled
// again in place, and are recorded as incomplete until all their pixels are stored. New levels are
// listed in the metadata after they are filled. So readers never use an incomplete level, even
// after a killed or failed build.
class OverviewBuilder {
  public:
    explicit OverviewBuilder(OverviewSet& set);

    // Adds levels to the dataset that other processes have built since it was opened, and drops
    // levels that they have removed. An incomplete level is added only if one of the overview
    // factors `factors` fills it again. The raster's hierarchy must have been reloaded.
    zarr::Status Renew(const std::vector<int>& factors);
    // Returns Ok if the store can hold overviews of the raster, else the reason.
    zarr::Status Check() const { return writer_.Check(); }
    // Builds the levels for the overview factors `request.factors`, and fills existing levels
    // again. Emits errors.
    CPLErr Build(const OverviewRequest& request);
    // Fills the bands `request.bands` of existing levels again, and ignores `request.factors`. Only
    // Update() updates attributes and coordinates. Emits errors.
    CPLErr FillBands(const OverviewRequest& request,
                     std::vector<OverviewableDataset*> levels) const;
    // Removes all overviews that GDAL has built. Emits errors.
    CPLErr Clean(const OverviewRequest& request);
    // Writes the list of levels again. Needed after the raster's georeferencing has changed, if the
    // list states it; see OverviewLevels::HasLevelGroups().
    zarr::Status Describe();
    // Copies changed attributes, coordinates and fill values from the raster to its levels.
    zarr::Status Update();

  private:
    std::vector<LevelPaths> Described() const;
    std::vector<OverviewableDataset*> Wanted(const OverviewRequest& request) const;
    std::vector<std::string> FilledPaths(const OverviewRequest& request) const;
    void DropIncomplete();
    bool HasOwnLevels() const;
    bool HasForeignLevels() const;
    OverviewableDataset* FindLevel(const OverviewSet::Levels& levels, int factor) const;
    zarr::Status CheckBase() const;
    zarr::Status CheckRequest(const OverviewRequest& request) const;
    // Fails if an array cannot be written, or an existing level has fewer slices than the raster.
    // If `any_new` is true, also fails if the raster is only a slice of an array, for which no
    // levels can be created.
    zarr::Status CheckArrays(bool any_new) const;
    zarr::Result<std::unique_ptr<OverviewableDataset>> Open(const LevelPaths& level) const;
    zarr::Status Reload();
    zarr::Status MakeMissingMasks(const OverviewRequest& request);
    CPLErr FillMasks(const OverviewRequest& request,
                     const std::vector<OverviewableDataset*>& levels) const;
    zarr::Status DropUnused();
    zarr::Status Make(const OverviewRequest& request);
    std::vector<std::vector<int>> Runs(const std::vector<int>& bands) const;
    CPLErr Fill(const OverviewRequest& request) const;
    CPLErr FillLevels(const OverviewRequest& request,
                      std::vector<OverviewableDataset*> levels) const;
    zarr::Status List(const OverviewRequest& request);
    void Discard();

    OverviewSet& set_;
    OverviewableDataset& raster_;
    const OverviewLevels writer_;
    OverviewSet::Levels made_;  // new levels that are not listed in the metadata yet
};

}  // namespace zarr_driver
