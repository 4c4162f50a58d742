// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "driver/base/open_options.h"
#include "driver/overviews/overview_levels.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// A dataset whose pixels are arrays of a store, as far as its overviews, which are such datasets
// themselves, are built and followed up.
class StoreRaster : public GDALPamDataset {
  public:
    const Location& location() const { return location_; }
    const std::string& store_path() const { return location_.store_path; }
    const OpenOptions& options() const { return options_; }
    // What is written through; nullptr where the dataset is for reading.
    virtual StoreUpdate* update() const = 0;
    virtual void EnableUpdate(std::shared_ptr<StoreUpdate> update, Georeferenced convention) = 0;
    // Ends update mode; later writes fail.
    virtual void EndUpdate() = 0;
    // The layouts of the arrays, in the order of their bands.
    virtual std::vector<const RasterLayout*> Layouts() const = 0;
    // Everything of this raster that an overview follows.
    virtual LevelSource Source() const = 0;
    // The layout of a band's array, from 1.
    virtual const RasterLayout& LayoutOf(int number) = 0;
    // The mask of a band in the store; nullptr without.
    virtual GDALRasterBand* StoredMask(int number) = 0;
    // Writes the blocks that GDAL holds, of masks as well.
    virtual void FlushBlocks(bool closing) = 0;
    // Opens arrays as one overview of as many arrays of this raster, from index `first` on.
    virtual zarr::Result<std::unique_ptr<StoreRaster>> OpenLevel(
        const std::vector<std::string>& paths, std::size_t first) = 0;
    // Opens arrays again whose metadata have changed.
    virtual zarr::Status Refresh() = 0;

  protected:
    StoreRaster(Location location, OpenOptions options)
        : location_(std::move(location)), options_(std::move(options)) {}

    const Location location_;
    const OpenOptions options_;
};

}  // namespace zarr_driver
