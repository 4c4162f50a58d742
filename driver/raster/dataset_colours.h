// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <optional>
#include <vector>

#include "core/json/value.h"

namespace zarr_driver {

class ZarrDataset;
class ZarrRasterBand;

// Colours of a dataset's bands that depend on several bands. Not thread-safe.
class DatasetColours {
  public:
    // `dataset` must outlive this object.
    explicit DatasetColours(ZarrDataset& dataset) : dataset_(dataset) {}
    ~DatasetColours() = default;
    DatasetColours(const DatasetColours&) = delete;
    DatasetColours& operator=(const DatasetColours&) = delete;

    // Marks the dataset as a product of EOPF. The bands of such a product get the colours of
    // Sentinel-2 bands by their array names, such as "b04".
    void SetOfEopf(bool is_of_eopf) { is_of_eopf_ = is_of_eopf; }
    bool is_of_eopf() const { return is_of_eopf_; }
    // True if the store states a red, a green and a blue band.
    bool HasRedGreenBlue();

    // Gives the bands of a new store colours, as in a GeoTIFF. `colours` has an element for each
    // band, or is empty. The assumption ends when a user sets a description or another colour than
    // alpha. Closing the dataset stores the colours.
    void Assume(std::vector<GDALColorInterp> colours) { assumed_ = std::move(colours); }
    // Returns the assumed colour of band `number`, from 1. Returns GCI_Undefined if there is none.
    // A last band of alpha loses its colour if it is the first band that is asked, before pixels
    // are written.
    GDALColorInterp Assumed(int number);
    // Call this before an assumed alpha band is used, such as for a mask.
    void KeepAssumed() { is_alpha_kept_ = true; }

    // Call when a user sets the description or the colour of band `number`.
    void OnDescription(const char* description);
    void OnColour(int number);

    // Makes the assumed colours those that a user has set.
    void SetAssumed();
    // Changes zarr::kColoursOfBands of the arrays to new colours of bands.
    void Store();

  private:
    zarr::json::Value ListOf(const std::vector<ZarrRasterBand*>& changed);

    ZarrDataset& dataset_;
    bool is_of_eopf_ = false;
    std::vector<GDALColorInterp> assumed_;  // of each band, or empty
    bool is_alpha_kept_ = false;            // KeepAssumed() was called
    std::optional<bool> has_red_green_blue_;
};

}  // namespace zarr_driver
