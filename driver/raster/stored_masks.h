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

// The masks of a dataset that are arrays of its store. The attribute `gdal_mask` of an array names
// the array of uint8 beside it that is its mask: 0 where a pixel is masked, 255 where it is valid.
// A mask of two dimensions is of all bands (its attribute `gdal_mask_flags` is 2, GDAL's
// GMF_PER_DATASET) or of the only one (0); one of more has the array's shape, and the attribute
// `gdal_masked_bands` tells which bands have one, by number among those of `gdal_band_names`. Not
// thread-safe, as datasets are.
class StoredMasks {
  public:
    explicit StoredMasks(ZarrDataset& dataset) : dataset_(dataset) {}
    StoredMasks(const StoredMasks&) = delete;
    StoredMasks& operator=(const StoredMasks&) = delete;
    ~StoredMasks();

    struct Mask {
        ZarrRasterBand* band = nullptr;  // owned by this
        int flags = 0;                   // GDAL's GMF_...
    };
    // The mask of a band, from 1. Without a band where the store has none, or an unusable one, of
    // which a warning was given. An array is opened when it is first asked for.
    Mask Find(int number);

    // Makes the mask of a band, or with 0 of all bands; `flags` as GDAL's CreateMaskBand() has
    // them. The dataset is open for update.
    zarr::Status Create(int number, int flags);

    // Those that are open, for the dataset to flush and to end.
    std::vector<ZarrDataset*> opened() const;

  private:
    struct MaskArray {
        std::unique_ptr<ZarrDataset> dataset;
        int flags = 0;
        bool is_of_all = false;
        std::vector<int> bands;  // that have one, from 1, unless all do
    };
    // nullptr where the array at `path` is no mask.
    MaskArray* Open(const std::string& path, int number);
    zarr::Result<MaskArray> OpenArray(const std::string& path, int number) const;
    std::string PathOf(int number) const;
    std::vector<int> MaskedBands(const zarr::json::Value& attributes, int number) const;
    zarr::Result<std::string> MakeArray(int number, int flags);

    ZarrDataset& dataset_;
    std::map<std::string, MaskArray> arrays_;  // by path; without a dataset where it is none
};

}  // namespace zarr_driver
