// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/base/debug_log.h"
#include "driver/base/open_options.h"
#include "driver/overviews/overview_builder.h"
#include "driver/overviews/store_raster.h"
#include "driver/raster/band_array.h"
#include "driver/raster/source_state.h"
#include "driver/raster/stored_pam.h"
#include "driver/store/location.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class ZarrRasterBand;

// What a dataset was opened as.
struct OpenedAs {
    std::vector<std::uint64_t> indices;  // of a slice
    bool is_by_path = true;              // by the path of its store, and nothing else
    bool is_new = false;                 // it was just made
};

// What GDAL keeps of a dataset beside what Zarr has a place for: in the store, in GDAL's own
// attribute (see stored_pam.h), and in the files beside the store (see sidecars.h), of which some
// are no longer used where the pixels that they were made from have changed.
class ZarrPamDataset : public StoreRaster {
  public:
    // Changes an attribute of an array; null removes it. Written at the next flush.
    virtual void ChangeAttribute(BandArray& array, const char* name, zarr::json::Value value) = 0;
    ZarrRasterBand* Band(int number);  // from 1
    // True where attributes of arrays belong to bands, as there are several arrays.
    bool BandsHaveArrays() const;
    // The names of the bands of an array, empty for a band without one. Reads the coordinates of
    // the bands if these are texts.
    std::vector<std::string> BandNames(const BandArray& array);
    // Statistics of pixels go before these are changed.
    void PixelsChange();
    // Statistics of a band were set, or computed by GDAL.
    void StatisticsSet();
    // Calls `make`, which has GDAL make a mask, with the name that the mask's file is to have.
    CPLErr MakeMask(const std::function<CPLErr()>& make);

    std::vector<const RasterLayout*> Layouts() const override;
    const RasterLayout& LayoutOf(int number) override;
    char** GetFileList() override;

  protected:
    using StoreRaster::StoreRaster;

    // True where the raster's rows or columns are in another order than the array's, by NORTH_UP or
    // WRAP_LONGITUDE. May read what places the raster.
    virtual bool ArePixelsMoved() = 0;
    // Of the group around several arrays; null removes it.
    virtual void ChangeGroupAttribute(const char* name, zarr::json::Value value) = 0;
    // Takes what is kept of the dataset, whose bands are there.
    void LoadSidecars(const OpenedAs& opened);
    // Puts what has changed into the store, where it is the arrays' own; their attributes are
    // written by the caller.
    zarr::Status StorePam();
    // True where what GDAL knows of the dataset is its arrays', and not one of a view of them.
    bool IsWholeNode() const;
    // True where it shows all pixels of such arrays, though with NORTH_UP, WRAP_LONGITUDE or
    // FILL_VALUE_AS_NODATA.
    bool ShowsWholeNode() const;
    // Lets GDAL keep the dataset's items in memory where it may not write files beside stores.
    void EnablePam();
    // Builds overviews beside the store, or removes them; emits what fails.
    CPLErr BuildBesideStore(const OverviewRequest& request);
    CPLXMLNode* SerializeToXML(const char* pszPath) override;

    std::unique_ptr<StoreActivity> activity_;  // not of overviews, whose store is the raster's
    BandArrays arrays_;
    CPLStringList stored_metadata_;  // what the store says, of the default domain
    // What the files beside the store are named after; see sidecars.h.
    std::string sidecar_base_;
    bool is_level_ = false;  // an overview or a mask
    bool has_mask_ = false;  // beside the store

  private:
    CPLStringList RemoteSiblings(const PlainAuxiliary& plain, bool is_plain) const;
    void LoadAuxiliary(const CPLStringList& siblings);
    SourceState StateOfSources() const;
    bool IsMadeFromPixelsOf(const CPLXMLNode& tree, const BandArray& array) const;
    OpenOptions OptionsThatCount() const;
    std::string SizeText() const;  // "COLUMNS x ROWS"
    void CheckPixelPlaces(CPLXMLNode& tree);
    void LoadStoredPam();
    void LoadMultidimPam();
    bool HasStatistics();
    bool AreStatisticsCurrent();
    void ForgetStatistics();
    void LoadOverviewFile(const CPLStringList& siblings);
    void LoadMask(const CPLStringList& siblings, bool is_known);

    std::string dataset_id_;
    XmlTree shown_pam_;  // of the store, where the dataset is not the whole node but shows it
    // What the statistics were made from: as it was when they were read, or is when they are saved.
    std::string made_from_;
    bool statistics_are_of_pixels_ = false;  // not of those that are still to be written
    bool has_old_overviews_ = false;
    bool has_auxiliary_ = false;  // a file of GDAL's beside the store, that was there
};

}  // namespace zarr_driver
