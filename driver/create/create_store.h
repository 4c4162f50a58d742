// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"
#include "core/store/store.h"
#include "driver/create/band_dimension.h"
#include "driver/create/copy_record.h"
#include "driver/create/creation_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/store_replacement.h"

namespace zarr_driver {

// Properties of a new raster.
struct NewRaster {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t bands = 1;
    // True if the pixels are copied chunk by chunk. False if the order of writes is unknown.
    bool is_copied = false;
    zarr::DataType dtype;
    // Names of the arrays if each band is an array; may be empty.
    std::vector<std::string> band_names;
    // Dimensions of the bands, slowest first. Without them, several bands have the dimension
    // "band".
    std::vector<BandDimension> band_dimensions;
    // True if the creation option BAND_DIM names the dimension of bands, which then keeps this
    // name. Any other name is changed if the store already uses it, unless the store has equal
    // coordinates of that name.
    bool is_dimension_asked_for = false;
    // Text that identifies the pixels to copy, from SourceText(); may be empty.
    std::string source_text;
    // True if the source of a copy reads files in the folder of the new store.
    bool is_source_in_target = false;

    // True if the bands form a cube: their dimensions are not just the dimension "band".
    bool IsCube() const {
        return !band_dimensions.empty() &&
               (band_dimensions.size() > 1 || band_dimensions[0].name != "band");
    }
};

// An array that will be created: path, metadata and attributes.
struct PlannedArray {
    std::string path;
    zarr::ArrayMetadata metadata;
    zarr::json::Object attributes;  // attributes, including the names of dimensions
};

// Plans the arrays that will hold a raster (one array, or one per band), without writing. `folder`
// is the path of the store; `store` is an existing store that gets the arrays, or nullptr. Fails if
// a planned name is in use, or if options or codecs do not fit the raster.
zarr::Result<std::vector<PlannedArray>> PlanArrays(const std::string& folder,
                                                   const std::shared_ptr<zarr::Store>& store,
                                                   const NewRaster& raster,
                                                   const CreationOptions& options);

// Gives the only array of `dataset` the band dimensions of `raster`, and writes their coordinates.
// No pixel may have been written. Changes nothing if the chunks would get other sizes along X and
// Y, or if INTERLEAVE is PIXEL.
zarr::Status SetBandDimensions(ZarrDataset& dataset, const NewRaster& raster,
                               const CreationOptions& options);

// New arrays for a raster, in a new or an existing store. Their metadata is complete from the
// start, so programs can open the store at any time, except in an object store: there, a copy
// becomes visible when Commit() has succeeded, and another new store when it is flushed or closed.
// Without a successful Commit(), the destructor removes a new store. Arrays that were added to an
// existing store are removed if Make() or the first Open() fails.
class NewStore {
  public:
    // Creates a store at `folder`, or adds arrays to the existing store there, for a dataset called
    // `name`. Fails before any change if `folder` holds something other than a store, or if the
    // arrays cannot be created.
    static zarr::Result<NewStore> Make(const std::string& name, const StoreAddress& folder,
                                       const NewRaster& raster, const CreationOptions& options);

    // True while the store has a temporary (staging) name, which Commit() replaces by the final
    // name.
    bool IsStaging() const { return replacement_ != nullptr && replacement_->IsStaging(); }

    // Returns the position from which pixels must be copied. If the copy continues an earlier
    // process's copy, pixels before this position are in the store already.
    CopyPosition start() const { return start_; }
    // Returns the record of the copy into this store; nullptr if the copy cannot be resumed.
    CopyRecord* record() { return record_.get(); }
    // True if a later copy can continue this unfinished store, because the user has set RESUME and
    // a position is recorded.
    bool CanBeResumed() const;
    // Keeps the unfinished store, which the destructor would remove. No dataset of the store may be
    // open.
    void KeepForResume() { replacement_->KeepForResume(); }

    // Opens the arrays as a dataset in update mode. The dataset is read-only if Commit() has stored
    // a zip file in an object store. Destroy the dataset before this object.
    zarr::Result<std::unique_ptr<ZarrDataset>> Open();

    // Keeps the store, and gives it its final name. If the store has a staging name, no dataset of
    // it may be open during the call.
    zarr::Status Commit();

    // Keeps the store like Commit(), before the caller of Create() writes pixels. A zip file keeps
    // its staging name until the dataset from Open() is closed. Until then only this process can
    // write to the zip file. So does a store that replaces one that is open in this process, which
    // the caller may read while it writes pixels.
    zarr::Status CommitBeforePixels();

  private:
    NewStore(std::string name, CreationOptions options, std::vector<PlannedArray> arrays,
             std::unique_ptr<StoreReplacement> replacement)
        : name_(std::move(name)),
          options_(std::move(options)),
          arrays_(std::move(arrays)),
          replacement_(std::move(replacement)) {}

    zarr::Status MakeArrays();
    // Makes an unfinished store equal to the result of MakeArrays(), but keeps chunks that are
    // stored already.
    zarr::Status ResetArrays();
    // Begins to record the copy that `signature` identifies, if the copy can be resumed.
    void OpenRecord(const std::string& signature);
    // Writes group attributes that describe the arrays as the full-resolution level of a pyramid,
    // if OVERVIEW_LAYOUT=GROUPS is set.
    zarr::Status DescribeLevelGroups();
    // Writes the coordinate arrays of the band dimensions, unless a dimension has no coordinates or
    // the store has them already.
    zarr::Status WriteBandCoordinates();
    // Deletes the new arrays after the failure `status`, and returns `status`.
    zarr::Status Failed(const zarr::Status& status);

    std::string name_;      // final name of the store
    StoreAddress address_;  // path of the store at present: a staging name or the final name
    CreationOptions options_;
    std::vector<PlannedArray> arrays_;
    std::vector<BandDimension> band_dimensions_;
    std::unique_ptr<StoreReplacement> replacement_;  // nullptr for an existing store
    std::shared_ptr<zarr::Synchronizer> locks_;
    std::shared_ptr<StoreUpdate> update_;  // nullptr if the store is read-only
    // Keeps a copy in an object store invisible until it is complete; otherwise nullptr.
    std::unique_ptr<CreationHold> hold_;
    std::unique_ptr<CopyRecord> record_;
    CopyPosition start_;
    bool has_been_open_ = false;
};

}  // namespace zarr_driver
