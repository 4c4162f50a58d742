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

// How a user has opened a dataset.
struct OpenedAs {
    std::vector<std::uint64_t> indices;  // of the opened slice
    bool is_by_path = true;              // by the path of the store alone
    bool is_new = false;                 // has just been created
};

// Base class that stores GDAL metadata for which Zarr has no place. In the store, an attribute
// holds PAM (see stored_pam.h). Beside the store, files hold PAM, overviews and masks (see
// sidecars.h). Statistics, overviews and masks are ignored if the pixels have changed since.
class ZarrPamDataset : public StoreRaster {
  public:
    // Sets an attribute of an array at the next flush; null removes the attribute.
    virtual void ChangeAttribute(BandArray& array, const char* name, zarr::json::Value value) = 0;
    ZarrRasterBand* Band(int number);  // from 1
    // True if the dataset has several arrays, so that attributes of an array describe a band.
    bool BandsHaveArrays() const;
    // Returns the names of an array's bands; the name of an unnamed band is empty. Reads the
    // coordinates of the bands if the coordinates are text.
    std::vector<std::string> BandNames(const BandArray& array);
    // Removes the statistics. Call before pixels change.
    void OnPixelsChange();
    // Records that a user or GDAL has set statistics of a band.
    void OnStatisticsSet();
    // Calls `make`, which lets GDAL create a mask file. Meanwhile the dataset is called
    // `sidecar_base_`, because GDAL names the file after the dataset.
    CPLErr MakeMask(const std::function<CPLErr()>& make);

    std::vector<const RasterLayout*> Layouts() const override;
    const RasterLayout& LayoutOf(int number) override;
    char** GetFileList() override;

  protected:
    using StoreRaster::StoreRaster;

    // True if NORTH_UP or WRAP_LONGITUDE changes the order of rows or columns. May read the
    // georeferencing.
    virtual bool ArePixelsMoved() = 0;
    // Sets an attribute of the group around several arrays; null removes the attribute.
    virtual void ChangeGroupAttribute(const char* name, zarr::json::Value value) = 0;
    // Loads PAM, overviews and masks from the store and from the files beside the store. Call after
    // all bands are added.
    void LoadSidecars(const OpenedAs& opened);
    // Moves changed PAM into attributes of the arrays if IsWholeNode() is true. The caller writes
    // the attributes.
    zarr::Status StorePam();
    // True if the dataset shows whole arrays without options that change them, so that PAM belongs
    // to the arrays.
    bool IsWholeNode() const;
    // True if the dataset shows all pixels of its arrays. The options NORTH_UP, WRAP_LONGITUDE and
    // FILL_VALUE_AS_NODATA are allowed.
    bool ShowsWholeNode() const;
    // Enables PAM in memory, even if GDAL may not write files beside stores.
    void EnablePam();
    // Builds or removes the overviews in a file beside the store; emits errors.
    CPLErr BuildExternalOverviews(const OverviewRequest& request);
    CPLXMLNode* SerializeToXML(const char* pszPath) override;

    std::unique_ptr<StoreActivity> activity_;  // nullptr for overviews
    BandArrays arrays_;
    CPLStringList stored_metadata_;  // default domain, from the store
    // Path of the files beside the store, without extension; see sidecars.h.
    std::string sidecar_base_;
    bool is_level_ = false;  // true for an overview or a mask
    bool has_mask_ = false;  // true if a mask file lies beside the store

  private:
    CPLStringList RemoteSiblings(const AuxiliaryFile& plain, bool is_plain) const;
    void LoadAuxiliary(const CPLStringList& siblings);
    SourceState StateOfSources() const;
    bool AreStatisticsOfPixels(const CPLXMLNode& tree, const BandArray& array) const;
    OpenOptions EffectiveOptions() const;
    std::string SizeText() const;  // "COLUMNS x ROWS"
    void CheckPixelReferences(CPLXMLNode& tree);
    void LoadStoredPam();
    void LoadMultidimPam();
    bool HasStatistics();
    bool AreStatisticsCurrent();
    void ForgetStatistics();
    void LoadOverviewFile(const CPLStringList& siblings);
    void LoadMask(const CPLStringList& siblings, bool is_known);

    std::string dataset_id_;
    XmlTree shown_pam_;  // from the store, if the dataset shows the node with other options
    // State of the chunks that the statistics were computed from; see SourceState.
    std::string source_state_;
    bool statistics_are_of_pixels_ = false;  // false for statistics of pixels to be written
    bool has_outdated_overviews_ = false;
    bool has_auxiliary_ = false;  // GDAL's auxiliary file exists beside the store
};

}  // namespace zarr_driver
