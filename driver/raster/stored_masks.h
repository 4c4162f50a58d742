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
struct BandArray;

// Masks of a dataset, stored as uint8 arrays: 0 for masked pixels, 255 for valid ones. The
// attribute `gdal_mask` of an array names its mask in the same group. Not thread-safe.
//
// A 2-D mask has the attribute `gdal_mask_flags`: 2 (GMF_PER_DATASET) for a mask of all bands, 0
// for a mask of the only band. A mask of more dimensions has the shape of the masked array, and
// lists the masked bands in `gdal_masked_bands`, in the form of `gdal_band_names`.
class StoredMasks {
  public:
    explicit StoredMasks(ZarrDataset& dataset) : dataset_(dataset) {}
    StoredMasks(const StoredMasks&) = delete;
    StoredMasks& operator=(const StoredMasks&) = delete;
    ~StoredMasks();

    struct Mask {
        ZarrRasterBand* band = nullptr;  // mask band; owned by StoredMasks
        int flags = 0;                   // GDAL's mask flags of the band, GMF_...
    };
    // Returns the mask of band `number`, from 1, and opens its array on first use. The result has
    // no band if the store has no mask or the mask is unusable, which gives a warning.
    Mask Find(int number);

    // Creates the mask of band `number`, or of all bands if `number` is 0. `flags` are those of
    // GDAL's CreateMaskBand(). The dataset must be in update mode.
    zarr::Status Create(int number, int flags);

    // Returns the open masks, which the dataset must flush and close.
    std::vector<ZarrDataset*> opened() const;

  private:
    struct MaskArray {
        std::unique_ptr<ZarrDataset> dataset;
        int flags = 0;
        bool is_of_all = false;
        // Numbers (from 1) of the masked bands; unused if is_of_all is true.
        std::vector<int> bands;
    };
    // Returns the mask array at `path`, opened on first use; nullptr if the array is no mask.
    MaskArray* Open(const std::string& path, int number);
    zarr::Result<MaskArray> OpenArray(const std::string& path, int number) const;
    std::string PathOf(int number) const;
    std::vector<int> MaskedBands(const zarr::json::Value& attributes, int number) const;
    zarr::Result<std::string> MakeArray(int number, int flags);
    // Returns the arrays of the bands `first` to `last`.
    std::vector<BandArray*> ArraysOf(int first, int last) const;
    // Takes over masks that other handles have created for `arrays`.
    zarr::Status TakeOver(const std::vector<BandArray*>& arrays);
    // Records in the attributes of the mask at `path` that it masks band `number`.
    zarr::Status AddMaskedBand(const std::string& path, int number);

    ZarrDataset& dataset_;
    // By path of the array; `dataset` is nullptr for an unusable mask.
    std::map<std::string, MaskArray> arrays_;
};

}  // namespace zarr_driver
