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

// A raster that is to be made.
struct NewRaster {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t bands = 1;
    // True where its pixels will be written chunk by chunk, false where it is unknown in which
    // order.
    bool is_copied = false;
    zarr::DataType dtype;
    std::vector<std::string> band_names;  // of the arrays where each band is one; may be empty
};

// An array that is to be made.
struct PlannedArray {
    std::string path;
    zarr::ArrayMetadata metadata;
    zarr::json::Object attributes;  // with the names of its dimensions
};

// The arrays that will hold a raster: one, or one a band. Nothing is written. Fails where the
// options do not fit the raster, a codec cannot encode it, or, when appending, a name is taken.
// `folder` is the store's; `store` what it holds where something is appended, else nullptr.
zarr::Result<std::vector<PlannedArray>> PlanArrays(const std::string& folder,
                                                   const std::shared_ptr<zarr::Store>& store,
                                                   const NewRaster& raster,
                                                   const CreationOptions& options);

// A store with the new arrays of a raster in it. Their metadata are complete, so that it opens at
// any moment; pixels that are not written are absent. It goes with this object, unless Commit() has
// succeeded, and so do arrays that were added to a store until they have been opened.
class NewStore {
  public:
    // Makes a store at `folder`, or adds to the one there, for a dataset called `name`. A place
    // where something else than a store lies is refused, and so is, before anything is touched,
    // what cannot be made.
    static zarr::Result<NewStore> Make(const std::string& name, const StorePath& folder,
                                       const NewRaster& raster, const CreationOptions& options);

    // True where the store is built under another name, and has yet to take its place.
    bool IsAside() const { return replacement_.IsAside(); }

    // The dataset of the arrays, open for update wherever the store is now; for reading where it is
    // in a zip file in an object store by now. Must end before this object.
    zarr::Result<std::unique_ptr<ZarrDataset>> Open();

    // The store stays. Where it is aside it takes its place, for which no dataset of it may be
    // open; Open() then opens it there.
    zarr::Status Commit();

    // Commit() of a store whose pixels are written afterwards. A zip file, in which nobody else can
    // write meanwhile, takes its place when the dataset of Open() is closed, and only where
    // everything could be stored.
    zarr::Status CommitBeforePixels();

  private:
    NewStore(std::string name, CreationOptions options, std::vector<PlannedArray> arrays,
             StoreReplacement replacement)
        : name_(std::move(name)),
          options_(std::move(options)),
          arrays_(std::move(arrays)),
          replacement_(std::move(replacement)) {}

    zarr::Status MakeArrays();
    // Erases arrays that were added, and returns why.
    zarr::Status Failed(const zarr::Status& status);

    std::string name_;        // that the store will have
    std::string store_path_;  // where it is now
    CreationOptions options_;
    std::vector<PlannedArray> arrays_;
    StoreReplacement replacement_;
    std::shared_ptr<zarr::Synchronizer> locks_;
    std::shared_ptr<StoreUpdate> update_;  // nullptr where it is only read by now
    bool has_been_open_ = false;
};

}  // namespace zarr_driver
