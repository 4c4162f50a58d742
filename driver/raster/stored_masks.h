// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr_driver {

class ZarrDataset;
class ZarrRasterBand;

// Masks of a dataset that are stored as uint8 arrays: 0 for masked pixels, 255 for valid pixels.
// The attribute `gdal_mask` of an array is the name of its mask, an array in the same group. Not
// thread-safe.
// A mask of two dimensions has the attribute `gdal_mask_flags`: 2 (GMF_PER_DATASET) for a mask of
// all bands, 0 for a mask of the only band. A mask of more dimensions has the shape of the masked
// array. Its attribute `gdal_masked_bands` lists the numbers of the bands with a mask, in the form
// of `gdal_band_names`.
class StoredMasks {
  public:
    explicit StoredMasks(ZarrDataset& dataset) : dataset_(dataset) {}
    StoredMasks(const StoredMasks&) = delete;
    StoredMasks& operator=(const StoredMasks&) = delete;
    ~StoredMasks();

    struct Mask {
        ZarrRasterBand* band = nullptr;  // owned by StoredMasks
        int flags = 0;                   // GDAL's mask flags, GMF_...
    };
    // Returns the mask of band `number`, from 1. Returns a mask without a band if the store has no
    // mask; emits a warning if the mask cannot be used. Opens the mask's array on first use.
    Mask Find(int number);

    // Creates the mask of band `number`, or of all bands if `number` is 0. `flags` are the flags of
    // GDAL's CreateMaskBand(). The dataset must be in update mode.
    zarr::Status Create(int number, int flags);

    // Returns the masks that are open. The dataset must flush and close them.
    std::vector<ZarrDataset*> opened() const;

  private:
    struct MaskArray {
        std::unique_ptr<ZarrDataset> dataset;
        int flags = 0;
        bool is_of_all = false;
        std::vector<int> bands;  // numbers (from 1) of masked bands; unused if is_of_all
    };
    // Returns the mask array at `path`. Opens the array on first use. Returns nullptr if the array
    // is no mask.
    MaskArray* Open(const std::string& path, int number);
    zarr::Result<MaskArray> OpenArray(const std::string& path, int number) const;
    std::string PathOf(int number) const;
    std::vector<int> MaskedBands(const zarr::json::Value& attributes, int number) const;
    zarr::Result<std::string> MakeArray(int number, int flags);

    ZarrDataset& dataset_;
    std::map<std::string, MaskArray> arrays_;  // by path; `dataset` is nullptr for an unusable mask
};

}  // namespace zarr_driver
