// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/overviews/overview_levels.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// What GDALDataset::BuildOverviews() was asked for.
struct OverviewRequest {
    std::string resampling;
    std::vector<int> factors;
    std::vector<int> bands;  // from 1
    GDALProgressFunc progress = nullptr;
    void* progress_data = nullptr;
    CSLConstList options = nullptr;
    bool replaces = false;  // levels of other factors go away
};

// Builds, follows up and removes the overviews of a dataset that is open for update. Levels that
// are there are filled again in place; new ones are described once they are filled, so that a
// process that ends before leaves the store as it was. One builder at a time for the arrays of a
// group.
class OverviewBuilder {
  public:
    explicit OverviewBuilder(ZarrDataset& dataset);

    // Why the raster can have no overviews in its store; ok where it can.
    zarr::Status Check() const { return writer_.Check(); }
    // Emits what fails.
    CPLErr Build(const OverviewRequest& request);
    // Emits what fails.
    CPLErr Clean(const OverviewRequest& request);
    // Brings what the levels say about themselves up to the raster.
    zarr::Status UpdateDescriptions();

  private:
    using Datasets = std::vector<std::unique_ptr<ZarrDataset>>;

    LevelSource Source() const;
    std::vector<std::string> PathsOf(const ZarrDataset& level) const;
    std::vector<LevelPaths> Described() const;
    bool HasOwnLevels() const;
    bool HasForeignLevels() const;
    ZarrDataset* FindLevel(const Datasets& levels, int factor) const;
    zarr::Status CheckBase() const;
    zarr::Status CheckRequest(const OverviewRequest& request) const;
    // That the arrays of the raster and of its levels take overviews; `any_new` where levels are to
    // be added.
    zarr::Status CheckArrays(bool any_new) const;
    zarr::Result<std::unique_ptr<ZarrDataset>> OpenLevel(const LevelPaths& level) const;
    zarr::Status Reload();
    zarr::Status MakeMissingMasks(const OverviewRequest& request);
    CPLErr FillMasks(const OverviewRequest& request, const std::vector<ZarrDataset*>& levels) const;
    zarr::Status DropUnused();
    void DropLevelsOfArrays();
    zarr::Status Make(const OverviewRequest& request);
    std::vector<std::vector<int>> Runs(const std::vector<int>& bands) const;
    CPLErr Fill(const OverviewRequest& request) const;
    zarr::Status List(const OverviewRequest& request);
    std::vector<LevelPaths> TakeOut(const std::set<const ZarrDataset*>& levels);
    std::set<const ZarrDataset*> NotAskedFor(const OverviewRequest& request) const;
    void Discard();
    zarr::Status RemoveLevels();
    zarr::Status Finish();

    ZarrDataset& dataset_;
    const OverviewLevels writer_;
    Datasets made_;  // not described yet
};

// Which pixels are to be resampled from where to where.
struct OverviewPixels {
    GDALDataset& base;
    std::vector<GDALDataset*> levels;    // the same bands, smaller; the largest first
    std::vector<std::vector<int>> runs;  // numbers of bands, from 1, that are filled together
    std::string resampling;
    GDALProgressFunc progress = nullptr;
    void* progress_data = nullptr;
    CSLConstList options = nullptr;
};

// Fills the levels by GDAL's own resampling, which emits what fails; a cancellation it may not.
CPLErr FillOverviews(const OverviewPixels& pixels);

}  // namespace zarr_driver
