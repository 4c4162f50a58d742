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

// A dataset whose pixels are arrays of a store. Interface through which overviews are built and
// updated; an overview is a StoreRaster, too.
class StoreRaster : public GDALPamDataset {
  public:
    const Location& location() const { return location_; }
    const std::string& store_path() const { return location_.store_path; }
    const OpenOptions& options() const { return options_; }
    // Returns the object that writes to the store; nullptr if the dataset is read-only.
    virtual StoreUpdate* update() const = 0;
    virtual void EnableUpdate(std::shared_ptr<StoreUpdate> update, Georeferenced convention) = 0;
    // Ends update mode; later writes fail.
    virtual void EndUpdate() = 0;
    // Returns the layouts of the arrays, in the order of the bands.
    virtual std::vector<const RasterLayout*> Layouts() const = 0;
    // Returns the properties of this raster that overviews take over.
    virtual LevelSource Source() const = 0;
    // Returns the layout of the array of band `number`, from 1.
    virtual const RasterLayout& LayoutOf(int number) = 0;
    // Returns the mask of band `number` in the store; nullptr if missing.
    virtual GDALRasterBand* StoredMask(int number) = 0;
    // Writes the dirty blocks in GDAL's cache, including blocks of masks.
    virtual void FlushBlocks(bool closing) = 0;
    // Opens the arrays at `paths` as one overview. `paths[i]` is an overview of this raster's array
    // `first + i`.
    virtual zarr::Result<std::unique_ptr<StoreRaster>> OpenLevel(
        const std::vector<std::string>& paths, std::size_t first) = 0;
    // Opens the arrays again whose metadata has changed.
    virtual zarr::Status Refresh() = 0;

  protected:
    StoreRaster(Location location, OpenOptions options)
        : location_(std::move(location)), options_(std::move(options)) {}

    const Location location_;
    const OpenOptions options_;
};

}  // namespace zarr_driver
