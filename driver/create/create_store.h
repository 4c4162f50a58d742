// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"
#include "core/store/store.h"
#include "driver/create/creation_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/store_replacement.h"

namespace zarr_driver {

// Properties of a raster that is to be created.
struct NewRaster {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t bands = 1;
    // True if the pixels will be written chunk by chunk; false if the order of writes is unknown.
    bool is_copied = false;
    zarr::DataType dtype;
    std::vector<std::string> band_names;  // names of arrays if each band is one; may be empty
};

// An array that is to be created.
struct PlannedArray {
    std::string path;
    zarr::ArrayMetadata metadata;
    zarr::json::Object attributes;  // including the names of dimensions
};

// Plans the arrays that will hold a raster: one array, or one array per band. Writes nothing. Fails
// if the options do not fit the raster, if a codec cannot encode the raster, or if the name of an
// added array exists. `folder` is the path of the store. `store` is the existing store to add to;
// nullptr for a new store.
zarr::Result<std::vector<PlannedArray>> PlanArrays(const std::string& folder,
                                                   const std::shared_ptr<zarr::Store>& store,
                                                   const NewRaster& raster,
                                                   const CreationOptions& options);

// New arrays for a raster, in a new or an existing store. The metadata is complete at any moment,
// so that the store can be opened; unwritten pixels are absent. A new store is removed with this
// object unless Commit() has succeeded. Added arrays are removed if Make() or the first Open()
// fails.
class NewStore {
  public:
    // Creates a store at `folder`, or adds arrays to the store there, for a dataset called `name`.
    // Fails before any change if `folder` holds something other than a store, or if the arrays
    // cannot be created.
    static zarr::Result<NewStore> Make(const std::string& name, const StorePath& folder,
                                       const NewRaster& raster, const CreationOptions& options);

    // True if the store is built under another name until Commit().
    bool IsStaging() const { return replacement_.IsStaging(); }

    // Opens the arrays as a dataset in update mode. The dataset is read-only if Commit() has put
    // the store into a zip file of an object store. Destroy the dataset before this object.
    zarr::Result<std::unique_ptr<ZarrDataset>> Open();

    // Keeps the store. A store under another name gets its final name; no dataset of the store may
    // be open then. Open() opens the store under its final name.
    zarr::Status Commit();

    // Keeps a store whose pixels are written later. A zip file gets its final name when the dataset
    // of Open() is closed, and only if everything was stored. Nobody else can write to a zip file
    // until then.
    zarr::Status CommitBeforePixels();

  private:
    NewStore(std::string name, CreationOptions options, std::vector<PlannedArray> arrays,
             StoreReplacement replacement)
        : name_(std::move(name)),
          options_(std::move(options)),
          arrays_(std::move(arrays)),
          replacement_(std::move(replacement)) {}

    zarr::Status MakeArrays();
    // Deletes the added arrays and returns `status`.
    zarr::Status Failed(const zarr::Status& status);

    std::string name_;        // final name of the store
    std::string store_path_;  // current path of the store
    CreationOptions options_;
    std::vector<PlannedArray> arrays_;
    StoreReplacement replacement_;
    std::shared_ptr<zarr::Synchronizer> locks_;
    std::shared_ptr<StoreUpdate> update_;  // nullptr if the store is read-only
    bool has_been_open_ = false;
};

}  // namespace zarr_driver
