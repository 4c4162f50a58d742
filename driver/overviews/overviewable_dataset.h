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
#include "driver/store/open_node.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// A dataset whose pixels are arrays of a store. Overviews are built through this interface, and are
// such datasets themselves.
class OverviewableDataset : public GDALPamDataset {
  public:
    const OpenNode& open_node() const { return open_node_; }
    const std::string& store_path() const { return open_node_.address; }
    const StoreAddress& address() const { return open_node_.address; }
    const OpenOptions& options() const { return options_; }
    // Returns the object that writes to the store; nullptr if the dataset is read-only.
    virtual StoreUpdate* update() const = 0;
    virtual void EnableUpdate(std::shared_ptr<StoreUpdate> update,
                              GeoreferencingForm convention) = 0;
    // Ends update mode; later writes fail.
    virtual void EndUpdate() = 0;
    // Returns the layouts of the dataset's arrays, in the order of the bands.
    virtual std::vector<const RasterLayout*> Layouts() const = 0;
    // Returns those properties of this raster that its overviews must share.
    virtual LevelSource Source() const = 0;
    // Returns the layout of the array to which band `number`, from 1, belongs.
    virtual const RasterLayout& LayoutOf(int number) = 0;
    // Returns the mask of band `number` if the store holds one, else nullptr.
    virtual GDALRasterBand* StoredMask(int number) = 0;
    // Writes the dirty blocks in GDAL's block cache to the store, also those of masks.
    virtual void FlushBlocks(bool closing) = 0;
    // Opens the arrays at `paths` as one overview dataset. `paths[i]` is an overview of this
    // raster's array number `first + i`.
    virtual zarr::Result<std::unique_ptr<OverviewableDataset>> OpenLevel(
        const std::vector<std::string>& paths, std::size_t first) = 0;
    // Opens an array again if its metadata has changed.
    virtual zarr::Status Refresh() = 0;

  protected:
    OverviewableDataset(OpenNode open_node, OpenOptions options)
        : open_node_(std::move(open_node)),
          options_(std::move(options)),
          store_in_use_(open_node_.address) {}

    const OpenNode open_node_;
    const OpenOptions options_;
    StoreInUse store_in_use_;  // while this dataset is open, its store is not deleted
};

}  // namespace zarr_driver
