// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fork.h"
#include "driver/base/creation_options.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/open_options.h"
#include "driver/georef/georeferencing.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/ome.h"
#include "driver/raster/slice_labels.h"
#include "driver/raster/source_state.h"
#include "driver/store/location.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// An array that gives a dataset some or all of its bands.
struct BandArray {
    RasterLayout layout;
    zarr::LevelListing listing;  // as a level of an OME image or of ndpyramid
    OmeChannels channels;
    std::unique_ptr<SliceLabels> labels;
    std::unique_ptr<ArrayActivity> activity;
    bool attributes_changed = false;      // since they were written
    zarr::json::Value attributes_before;  // as they were when read or written last
};

class ZarrRasterBand;

// What a dataset was opened as.
struct OpenedAs {
    std::vector<std::uint64_t> indices;  // of a slice
    bool is_by_path = true;              // by the path of its store, and nothing else
    bool is_new = false;                 // it was just made
};

// A dataset of GDAL's classic API: the slices of one array, an array of a group to each band, or no
// bands and a list of subdatasets.
class ZarrDataset final : public GDALPamDataset {
  public:
    // `name` is what the user opened.
    ZarrDataset(const std::string& name, Location location, OpenOptions options);
    // Stores what is pending where it is in update mode; emits what fails.
    ~ZarrDataset() override;
    ZarrDataset(const ZarrDataset&) = delete;
    ZarrDataset& operator=(const ZarrDataset&) = delete;

    // Appends the bands of an array; the first one gives the dataset its size, the others have the
    // same.
    void AddArray(RasterLayout layout, bool array_names_bands);
    // Appends a subdataset.
    void AddSubdataset(const std::string& name, const std::string& description);
    // Appends an overview: the same bands, smaller. The largest comes first.
    void AddLevel(std::unique_ptr<ZarrDataset> level) {
        level->BecomeLevel();
        levels_.push_back(std::move(level));
    }
    // GDAL must not save beside the store, as the raster's, what it learns of an overview.
    void BecomeLevel() { nPamFlags |= GPF_NOSAVE; }
    const std::vector<std::unique_ptr<ZarrDataset>>& levels() const { return levels_; }
    // Overviews that are built at closing, unless BuildPlannedOverviews() does it before.
    void PlanOverviews(OverviewPlan plan) { planned_overviews_ = std::move(plan); }
    bool HasPlannedOverviews() const { return !planned_overviews_.IsEmpty(); }
    CPLErr BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data);
    // Sets the metadata from the attributes of the arrays and the group, and the files beside the
    // store; to be called last.
    void Finish(const OpenedAs& opened);
    // What is written to the bands as Byte are the bits of signed bytes.
    void TakeBytesAsSigned();
    // Lets the dataset write; to be called last of all.
    void EnableUpdate(std::shared_ptr<StoreUpdate> update, Georeferenced convention);
    ZarrRasterBand* Band(int number);  // from 1
    // Of one of the arrays, in the order of AddArray().
    const RasterLayout& Layout(std::size_t index) const { return arrays_[index]->layout; }
    // Stores what is pending; emits what fails.
    bool Flush() { return FlushAll(false) == CE_None; }
    // True where the names of bands can be coordinates of an array's only extra dimension.
    bool NamesBands();
    // Says once that overviews are not made anew when what they show is written to.
    void WarnOfOverviews();
    // Warns of a nodata value that does not fit a type; once for all bands that have it.
    void WarnOfNodata(const std::string& value, const zarr::DataType& type);
    void BandNamesChanged() { band_names_changed_ = true; }
    // Stores what is pending, and writes no more. Emits what fails, and returns false then.
    bool CloseStore();
    // Forgets what is pending, deletes the arrays that were made, and writes no more.
    void Abandon();
    // Writes no more.
    void EndUpdate();
    // What is written through; nullptr where the dataset is for reading, and in a forked child,
    // which must not write what its parent will.
    StoreUpdate* update() const { return update_.get(); }
    // Says why nothing can be written without update().
    CPLErr RefuseToWrite() const;
    // Statistics of pixels go before these are changed.
    void PixelsChange();
    // Statistics of a band were set, or computed by GDAL.
    void StatisticsSet();
    // Calls `make`, which has GDAL make a mask, with the name that the mask's file is to have.
    CPLErr MakeMask(const std::function<CPLErr()>& make);
    // Changes an attribute of an array; null removes it. Written at the next flush.
    void ChangeAttribute(BandArray& array, const char* name, zarr::json::Value value);
    // Makes `element`, in the host's byte order, the fill value of an array that this dataset has
    // made and not written to yet; of others it would change what absent chunks mean.
    zarr::Status SetFillValue(BandArray& array, const std::string& element);
    // Makes the fill value null, where it is a nodata value. Fails where chunks are absent.
    zarr::Status RemoveFillValue(BandArray& array);
    bool HasSubdatasets() const { return !subdatasets_.empty(); }

    const std::string& store_path() const { return location_.store_path; }
    const OpenOptions& options() const { return options_; }

    // True where attributes of arrays belong to bands, as there are several arrays.
    bool BandsHaveArrays() const;

    // Columns by which the raster starts later than the array; see WRAP_LONGITUDE.
    int RolledColumns() { return FindGeoreferencing().rolled_columns; }

    const OGRSpatialReference* GetSpatialRef() const override;
    CPLErr GetGeoTransform(ZARR_GEOTRANSFORM_PARAMETER) ZARR_GEOTRANSFORM_QUALIFIER override;
    int GetGCPCount() override;
    const GDAL_GCP* GetGCPs() override;
    const OGRSpatialReference* GetGCPSpatialRef() const override;
    char** GetMetadataDomainList() override;
    NameValueList GetMetadata(const char* pszDomain = "") override;
    const char* GetMetadataItem(const char* pszName, const char* pszDomain = "") override;
    char** GetFileList() override;
    ZARR_FLUSH_RESULT FlushCache(bool bAtClosing = false) override;
#if ZARR_HAS_CLOSE
    CPLErr Close(ZARR_CLOSE_PARAMETERS) override;
#endif
    CPLErr CreateMaskBand(int nFlagsIn) override;
    CPLErr SetSpatialRef(const OGRSpatialReference* poSRS) override;
    CPLErr SetGeoTransform(ZARR_NEW_GEOTRANSFORM) override;
    CPLErr SetMetadata(NameValueList papszMetadata, const char* pszDomain = "") override;
    CPLErr SetMetadataItem(const char* pszName, const char* pszValue,
                           const char* pszDomain = "") override;

  protected:
    CPLErr IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize, void* pData,
                     int nBufXSize, int nBufYSize, GDALDataType eBufType, int nBandCount,
                     int* panBandMap, GSpacing nPixelSpace, GSpacing nLineSpace,
                     GSpacing nBandSpace, GDALRasterIOExtraArg* psExtraArg) override;

  private:
    friend class OverviewBuilder;

    CPLStringList RemoteSiblings(const PlainAuxiliary& plain, bool is_plain) const;
    SourceState StateOfSources() const;
    void LoadSidecars(const OpenedAs& opened);
    bool HasStatistics();
    bool AreStatisticsCurrent();
    void ForgetStatistics();
    void LoadOverviewFile(const CPLStringList& siblings);
    void DropOldOverviews();
    void LoadMask(const CPLStringList& siblings, bool is_known);

    CPLErr IBuildOverviews(const char* pszResampling, int nOverviews, const int* panOverviewList,
                           int nListBands, const int* panBandList, GDALProgressFunc pfnProgress,
                           void* pProgressData, CSLConstList papszOptions) override;

    const Georeferencing& FindGeoreferencing() const;
    void LoadPoints();
    void LoadGeolocation();
    NameValueList Description();
    CPLErr FlushAll(bool closing);
    CoordinateArrays Coordinates();
    zarr::Status FlushGeoreferencing();
    zarr::Status FlushAttributes();
    zarr::Status ReplaceFillValue(BandArray& array, const std::optional<std::string>& element);
    void WarnOfBandsThatDiffer();
    std::string BandNamesPath() const;
    zarr::Status WriteBandNames();
    zarr::Status UpdateLevels();
    void StoreMetadataItem(const char* name, const char* value);
    CPLXMLNode* SerializeToXML(const char* pszPath) override;

    const Location location_;
    const OpenOptions options_;
    std::unique_ptr<StoreActivity> activity_;  // not of overviews, whose store is the raster's
    std::vector<std::unique_ptr<BandArray>> arrays_;
    std::vector<std::unique_ptr<ZarrDataset>> levels_;
    bool is_closing_ = false;
    zarr::ForkLocal<StoreUpdate> update_;  // the overviews' as well
    Georeferenced convention_ = Georeferenced::kGdalAndCf;
    bool georeferencing_changed_ = false;  // since it was written
    bool band_names_changed_ = false;
    std::optional<bool> names_bands_;
    std::once_flag overviews_warned_;
    bool differing_warned_ = false;
    std::string nodata_warned_;  // the text of the last warning
    // Of the group around several arrays, where the dataset's metadata then are; once changed.
    std::optional<zarr::json::Object> group_attributes_;
    bool levels_behind_ = false;  // the overviews do not say yet what the raster says
    bool levels_stale_ = false;   // what is open of the overviews does not know what they say
    OverviewPlan planned_overviews_;
    // Overviews that were removed while a caller may hold their bands.
    std::vector<std::unique_ptr<ZarrDataset>> removed_levels_;
    // See sidecars.h. What the statistics were made from: as it was when they were read, or is
    // when they are saved.
    std::string dataset_id_;
    std::string sidecar_base_;
    std::string made_from_;
    bool statistics_are_of_pixels_ = false;  // not of those that are still to be written
    bool has_old_overviews_ = false;
    bool has_mask_ = false;
    CPLStringList subdatasets_;
    CPLStringList stored_metadata_;  // what the store says, of the default domain
    CPLStringList description_;      // the domain ZARR, once it was asked for
    mutable std::optional<Georeferencing> georeferencing_;  // read when first asked for
    mutable OGRSpatialReference points_srs_;                // empty until it is asked for
    std::vector<GDAL_GCP> points_;
    std::vector<std::string> point_ids_;  // what points_ refers to
};

}  // namespace zarr_driver
