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
#include "driver/create/copy_journal.h"
#include "driver/create/creation_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/store_replacement.h"

namespace zarr_driver {

// Properties of a new raster.
struct NewRaster {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t bands = 1;
    // True if the pixels will be written chunk by chunk. False if the order of writes is unknown.
    bool is_copied = false;
    zarr::DataType dtype;
    std::vector<std::string> band_names;  // array names, if each band is an array; may be empty
    // Dimensions of the bands, slowest first. If the list is empty and the raster has several
    // bands, the dimension is called "band".
    std::vector<BandDimension> band_dimensions;
    // True if BAND_DIM names the dimension of bands, which then keeps this name. Otherwise the
    // dimension is renamed if the store already uses its name.
    bool is_dimension_asked_for = false;
    // Identifies the pixels that are copied, see SourceText(); may be empty.
    std::string source_text;

    // True if the bands have dimensions other than a single dimension "band".
    bool IsCube() const {
        return !band_dimensions.empty() &&
               (band_dimensions.size() > 1 || band_dimensions[0].name != "band");
    }
};

// An array that will be created: path, metadata and attributes.
struct PlannedArray {
    std::string path;
    zarr::ArrayMetadata metadata;
    zarr::json::Object attributes;  // including the names of dimensions
};

// Plans the arrays that will hold a raster: one array, or one array per band. Writes nothing. Fails
// if the options do not fit the raster, or if a codec cannot encode its data type. Also fails if an
// array of the planned name exists. `folder` is the path of the store. `store` is the existing
// store to which arrays are added, or nullptr for a new store.
zarr::Result<std::vector<PlannedArray>> PlanArrays(const std::string& folder,
                                                   const std::shared_ptr<zarr::Store>& store,
                                                   const NewRaster& raster,
                                                   const CreationOptions& options);

// Gives the array of `dataset` the band dimensions of `raster`, and writes their coordinates. The
// array must be new and unwritten, and the only array of the store. Changes nothing if chunks would
// get other sizes along X and Y, or if INTERLEAVE is PIXEL.
zarr::Status SetBandDimensions(ZarrDataset& dataset, const NewRaster& raster,
                               const CreationOptions& options);

// New arrays for a raster, in a new or an existing store. Programs can open the store at any time:
// its metadata is complete, and unwritten pixels are absent chunks.
//
// The destructor removes a new store, unless Commit() has succeeded. If Make() or the first Open()
// fails, arrays that were added to an existing store are removed.
class NewStore {
  public:
    // Creates a store at `folder`, or adds arrays to the existing store there, for a dataset called
    // `name`. Fails before any change if `folder` holds something other than a store, or if the
    // arrays cannot be created.
    static zarr::Result<NewStore> Make(const std::string& name, const StorePath& folder,
                                       const NewRaster& raster, const CreationOptions& options);

    // True if the store still has its staging name, which Commit() replaces by the final name.
    bool IsStaging() const { return replacement_.IsStaging(); }

    // Returns the position from which pixels must be copied. If an earlier process has begun the
    // store, all pixels before this position are in the store.
    CopyPosition start() const { return start_; }
    // Returns the journal of a copy into this store; nullptr if the copy cannot be resumed.
    CopyJournal* journal() { return journal_ ? &*journal_ : nullptr; }
    // True if a later copy can continue the unfinished store: the user has asked for RESUME, and
    // the journal has an entry.
    bool CanBeResumed() const;
    // Keeps the unfinished store, which this object would remove otherwise. No dataset of the store
    // may be open.
    void KeepForResume() { replacement_.KeepForResume(); }

    // Opens the arrays as a dataset in update mode. If Commit() has copied the store into a zip
    // file of an object store, the dataset is read-only. Destroy the dataset before this object.
    zarr::Result<std::unique_ptr<ZarrDataset>> Open();

    // Keeps the store. A store with a staging name gets its final name; no dataset of such a store
    // may be open during the call. A later Open() opens the store under its final name.
    zarr::Status Commit();

    // Completes the creation of a store whose pixels the caller of Create() writes later. Keeps the
    // store, as Commit() does. A zip file keeps its staging name until the dataset from Open() is
    // closed and all data is stored. Until then only this process can write to the zip file.
    zarr::Status CommitBeforePixels();

  private:
    NewStore(std::string name, CreationOptions options, std::vector<PlannedArray> arrays,
             StoreReplacement replacement)
        : name_(std::move(name)),
          options_(std::move(options)),
          arrays_(std::move(arrays)),
          replacement_(std::move(replacement)) {}

    zarr::Status MakeArrays();
    // Makes an unfinished store equal to the result of MakeArrays(), except that the arrays keep
    // their chunks.
    zarr::Status ResetArrays();
    // Opens the journal of the copy that `signature` identifies, if the copy can be resumed.
    void OpenJournal(const std::string& signature);
    // Describes the arrays as the largest level of a pyramid, if OVERVIEW_LAYOUT=GROUPS is set.
    zarr::Status DescribeLevelGroups();
    // Writes the coordinate arrays of the band dimensions. Skips dimensions without coordinates,
    // and dimensions whose coordinates the store already has.
    zarr::Status WriteBandCoordinates();
    // Deletes the arrays that were added, and returns `status`.
    zarr::Status Failed(const zarr::Status& status);

    std::string name_;        // final name of the store
    std::string store_path_;  // current path of the store
    CreationOptions options_;
    std::vector<PlannedArray> arrays_;
    std::vector<BandDimension> band_dimensions_;
    StoreReplacement replacement_;
    std::shared_ptr<zarr::Synchronizer> locks_;
    std::shared_ptr<StoreUpdate> update_;  // nullptr if the store is read-only
    std::optional<CopyJournal> journal_;
    CopyPosition start_;
    bool has_been_open_ = false;
};

}  // namespace zarr_driver
