// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fork.h"
#include "core/conventions/nodata.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/open_options.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/overviews/overview_set.h"
#include "driver/raster/pam_dataset.h"
#include "driver/raster/raster_georeferencing.h"
#include "driver/raster/stored_attributes.h"
#include "driver/raster/stored_masks.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// A dataset of GDAL's raster API. The bands are the slices of one array, or the arrays of a group
// with one band each. A dataset without bands lists subdatasets.
class ZarrDataset final : public ZarrPamDataset {
  public:
    // `name` is the string that the user opened.
    ZarrDataset(const std::string& name, Location location, OpenOptions options);
    // Writes pending data if the dataset is in update mode; emits errors.
    ~ZarrDataset() override;
    ZarrDataset(const ZarrDataset&) = delete;
    ZarrDataset& operator=(const ZarrDataset&) = delete;

    // Appends the bands of an array. The first array sets the raster's size, and further arrays
    // must have that size. `array_names_bands` says that the array's name describes its bands.
    void AddArray(RasterLayout layout, bool array_names_bands);
    void AddSubdataset(const std::string& name, const std::string& description);
    OverviewSet& overviews() { return overviews_; }
    // Returns the overview `level`, from 0, of band `number`, from 1; nullptr if missing.
    ZarrRasterBand* LevelOf(int number, int level);
    // Marks a product of EOPF, whose array names, such as "b04", give the bands the colours of
    // Sentinel-2.
    void SetOfEopf(bool is_of_eopf) { is_of_eopf_ = is_of_eopf; }
    bool is_of_eopf() const { return is_of_eopf_; }
    // Treats the first three bands of a new store as red, green and blue, as in a GeoTIFF. Setting
    // a description or colour of a band ends this; closing the dataset stores the colours.
    void AssumeColours(bool are_assumed) { assumes_colours_ = are_assumed; }
    bool AssumesColours();
    // True if the store states a red, a green and a blue band.
    bool HasRedGreenBlue();
    void OnColoursChange() { has_all_colours_.reset(); }
    // Makes this dataset an overview of `raster`, which owns it. Band 1 belongs to band
    // `first_band` of the raster. PAM is not saved, because its file would be taken for the
    // raster's.
    void BecomeLevel(ZarrDataset& raster, int first_band) {
        nPamFlags |= GPF_NOSAVE;
        is_level_ = true;
        raster_ = &raster;
        first_band_ = first_band;
    }
    // Makes this dataset a mask of `raster`, which owns it. Band 1 belongs to band `first_band` of
    // the raster.
    void BecomeMask(ZarrDataset& raster, int first_band) {
        BecomeLevel(raster, first_band);
        is_mask_ = true;
    }
    bool is_mask() const { return is_mask_; }
    // Returns the raster's band that band `number` of an overview or mask belongs to; nullptr for
    // other datasets.
    ZarrRasterBand* BandOfRaster(int number) const {
        return raster_ != nullptr ? raster_->Band(first_band_ + number - 1) : nullptr;
    }
    // Returns the number, from 1, of the first band of an array. `array` counts in the order of
    // AddArray().
    int FirstBandOf(std::size_t array);
    // Returns the number of a band, from 1, among the bands of its array.
    int NumberInArray(int number);
    // Lets `other`, a dataset of the store, write through this dataset's StoreUpdate.
    void ShareUpdate(ZarrDataset& other) {
        if (update_ != nullptr) other.EnableUpdate(update_.Share(), convention_);
    }
    StoredMasks& masks() { return *masks_; }
    // Builds the planned overviews now; else closing the dataset builds them.
    CPLErr BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data);
    // Sets the metadata from the attributes of the arrays and the group, and loads the files beside
    // the store. Call after all arrays and subdatasets are added.
    void Finish(const OpenedAs& opened);
    // Allows newly added arrays to adopt equal dimensions of other arrays when the dataset is
    // closed; see ShareDimensions().
    void AllowSharedDimensions() { may_share_dimensions_ = true; }
    // Gives the arrays the dimensions of other arrays in the group that have equal sizes and equal
    // coordinates, or no coordinates. The other arrays do not change. Only the first call has an
    // effect.
    zarr::Status ShareDimensions();
    // From now on, bytes that are written as GDT_Byte are bit patterns of signed bytes.
    void TreatBytesAsSigned();
    // Switches the dataset to update mode. Call after all other set-up.
    void EnableUpdate(std::shared_ptr<StoreUpdate> update, Georeferenced convention) override;
    // Returns the layout of an array. `index` counts in the order of AddArray().
    const RasterLayout& Layout(std::size_t index) const { return arrays_[index]->layout; }
    // Writes pending data; emits errors, and returns false if one occurs.
    bool Flush() { return FlushAll(false) == CE_None; }
    // True if band names can be stored as coordinates of the array's only extra dimension.
    bool NamesBands();
    // Warns once that writing to `array` does not update its overviews.
    void WarnOfOverviews(const BandArray& array);
    // Warns that a nodata value does not fit a data type; omits a repetition of the last warning.
    void WarnOfNodata(const std::string& value, const zarr::DataType& type);
    void BandNamesChanged() {
        band_names_changed_ = true;
        if (psPam != nullptr) MarkPamDirty();  // PAM identifies bands by name
    }
    // Writes pending data and ends update mode. Emits errors, and returns false if one occurs.
    bool CloseStore();
    // Ends update mode without writing pending data, and deletes the arrays that this dataset has
    // created.
    void Abandon();
    void EndUpdate() override;
    // Returns the object that writes to the store; nullptr if the dataset is read-only. Also
    // nullptr in a forked child, which must not repeat the writes of its parent.
    StoreUpdate* update() const override { return update_.get(); }
    LevelSource Source() const override;
    GDALRasterBand* StoredMask(int number) override;
    void FlushBlocks(bool closing) override;
    zarr::Result<std::unique_ptr<StoreRaster>> OpenLevel(const std::vector<std::string>& paths,
                                                         std::size_t first) override;
    zarr::Status Refresh() override;
    // Emits an error that says why update() is nullptr.
    CPLErr ReportReadOnly() const;
    // Creates the mask of band `number`, or of all bands if `number` is 0. The mask is an array of
    // the store if the dataset shows a whole node in update mode. Else `make` creates the mask.
    CPLErr CreateMask(int number, int flags, const std::function<CPLErr()>& make);
    // Sets a metadata item of an array's only band as an attribute; nullptr removes the attribute.
    // Does nothing if the dataset has an item of this name.
    void StoreBandItem(BandArray& array, const char* name, const char* value);
    void ChangeAttribute(BandArray& array, const char* name, zarr::json::Value value) override;
    // Changes the fill value of an array to `element`, which is in native byte order. The array
    // must be new and unwritten, or a Zarr v2 array whose readers take the fill value for nodata;
    // else nothing happens. Absent chunks of a written array are stored first, to keep their
    // values.
    zarr::Status SetFillValue(BandArray& array, const std::string& element);
    // Makes the fill value mean data instead of nodata; see StoreUpdate::MakeFillData().
    zarr::Status RemoveFillValue(BandArray& array);
    bool HasSubdatasets() const { return !subdatasets_.empty(); }

    // True if the raster's first row is the array's last row; see open option NORTH_UP.
    bool IsFlipped() { return options_.north_up && is_flipped_.value_or(place_.Find().is_flipped); }
    // Reverses the rows of this overview or mask if the rows of `base` are reversed.
    void FollowFlip(ZarrDataset& base) { is_flipped_ = base.IsFlipped(); }
    // Returns the array column that is the raster's first column; see open option WRAP_LONGITUDE.
    int RolledColumns() { return place_.Find().rolled_columns; }
    bool ArePixelsMoved() override {
        return IsFlipped() || (options_.wrap_longitude && RolledColumns() != 0);
    }

    const OGRSpatialReference* GetSpatialRef() const override;
    CPLErr GetGeoTransform(ZARR_GEOTRANSFORM_PARAMETER) ZARR_GEOTRANSFORM_QUALIFIER override;
    int GetGCPCount() override;
    const GDAL_GCP* GetGCPs() override;
    const OGRSpatialReference* GetGCPSpatialRef() const override;
    char** GetMetadataDomainList() override;
    NameValueList GetMetadata(const char* pszDomain = "") override;
    const char* GetMetadataItem(const char* pszName, const char* pszDomain = "") override;
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
    void DescribeStructure();
    std::string CommonCompression() const;
    std::optional<zarr::FillValue> ReadNodata(const BandArray& array, zarr::Warnings& warnings);

    CPLErr IBuildOverviews(const char* pszResampling, int nOverviews, const int* panOverviewList,
                           int nListBands, const int* panBandList, GDALProgressFunc pfnProgress,
                           void* pProgressData, CSLConstList papszOptions) override;

    void AddRegistration(CPLStringList& list) const;
    void LoadGeolocation();
    NameValueList Description();
    CPLErr FlushAll(bool closing);
    CoordinateArrays Coordinates();
    zarr::Status FlushAttributes();
    zarr::Status ReplaceFillValue(BandArray& array, const std::optional<std::string>& element);
    // Stores the pending and the absent chunks before the fill value changes.
    zarr::Status ReplaceWrittenFillValue(BandArray& array,
                                         const std::optional<std::string>& element);
    // True if this dataset has created the array and has not written to it yet.
    bool IsUnwritten(const BandArray& array) const;
    // Opens an array again after its metadata has changed.
    zarr::Status Reopen(BandArray& array);
    void WarnOfDifferingBands();
    void StoreAssumedColours();
    std::string BandNamesPath() const;
    zarr::Status WriteBandNames();
    void ChangeGroupAttribute(const char* name, zarr::json::Value value) override;
    bool StoresMetadata(const char* domain) const;
    void StoreMetadataItem(const char* name, const char* value);

    OverviewSet overviews_{*this};
    std::unique_ptr<StoredMasks> masks_;
    std::optional<bool> is_flipped_;  // set by FollowFlip()
    ZarrDataset* raster_ = nullptr;   // owner of this overview or mask
    int first_band_ = 1;
    bool is_mask_ = false;
    bool is_closing_ = false;
    bool is_of_eopf_ = false;
    bool assumes_colours_ = false;
    std::optional<bool> has_all_colours_;
    bool may_share_dimensions_ = false;
    zarr::ForkLocal<StoreUpdate> update_;  // shared with the overviews
    Georeferenced convention_ = Georeferenced::kEveryReader;
    RasterGeoreferencing place_{location_, options_, arrays_};
    StoredAttributes attributes_{arrays_};
    bool band_names_changed_ = false;
    std::optional<bool> names_bands_;
    std::once_flag overviews_warned_;
    bool differing_warned_ = false;
    std::string nodata_warned_;  // of the last warning
    CPLStringList subdatasets_;
    CPLStringList description_;  // domain ZARR, cached
};

}  // namespace zarr_driver
