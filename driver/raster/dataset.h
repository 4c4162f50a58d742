// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/fork.h"
#include "core/conventions/ome_write.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/open_options.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/overviews/overview_set.h"
#include "driver/raster/pam_dataset.h"
#include "driver/raster/raster_georeferencing.h"
#include "driver/raster/stored_masks.h"
#include "driver/store/open_node.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// A dataset of GDAL's raster API. Its bands are the slices of one array, or several arrays of a
// group with one or more bands each. A dataset without bands only lists subdatasets.
class ZarrDataset final : public ZarrPamDataset {
  public:
    // `name` is the string that the user opened.
    ZarrDataset(const std::string& name, Location location, OpenOptions options);
    // Writes pending data if the dataset is in update mode; emits errors.
    ~ZarrDataset() override;
    ZarrDataset(const ZarrDataset&) = delete;
    ZarrDataset& operator=(const ZarrDataset&) = delete;

    // Appends the bands of an array. The raster has the size of the first array, and further arrays
    // must have that size. If `array_names_bands` is true, the array's name is the description of
    // its bands.
    void AddArray(RasterLayout layout, bool array_names_bands);
    void AddSubdataset(const std::string& name, const std::string& description);
    OverviewSet& overviews() { return overviews_; }
    // Returns overview number `level` (from 0) of band `number` (from 1). Returns nullptr if the
    // overview does not exist.
    ZarrRasterBand* LevelOf(int number, int level);
    // Marks the dataset as a product of EOPF. The bands of such a product get the colours of
    // Sentinel-2 bands by their array names, such as "b04".
    void SetOfEopf(bool is_of_eopf) { is_of_eopf_ = is_of_eopf; }
    bool is_of_eopf() const { return is_of_eopf_; }
    // Gives the bands of a new store colours, as in a GeoTIFF. `colours` has an element for each
    // band, or is empty. The assumption ends when a user sets a description or another colour than
    // alpha. Closing the dataset stores the colours.
    void AssumeColours(std::vector<GDALColorInterp> colours) {
        assumed_colours_ = std::move(colours);
    }
    // Returns the assumed colour of band `number`, from 1. Returns GCI_Undefined if there is none.
    // A last band of alpha loses its colour if it is the first band that is asked, before pixels
    // are written.
    GDALColorInterp AssumedColour(int number);
    // Call this before an assumed alpha band is used, such as for a mask.
    void KeepAssumedColours() { is_alpha_kept_ = true; }
    // Leaves the band `number`, from 1, without an assumed colour.
    void AssumeNoColour(int number);
    // Makes this dataset an OME-Zarr image. Each later flush writes OME metadata that describes the
    // current state of the dataset.
    void BecomeOmeImage(zarr::OmeIdentity identity) { ome_image_ = std::move(identity); }
    // True if the store states a red, a green and a blue band.
    bool HasRedGreenBlue();
    void OnColoursChange() { has_all_colours_.reset(); }
    // Makes this dataset an overview of `raster`, which owns this dataset. Band 1 belongs to band
    // `first_band` of `raster`. PAM of an overview is not saved, because its file would be read as
    // PAM of the raster.
    void BecomeLevel(ZarrDataset& raster, int first_band) {
        nPamFlags |= GPF_NOSAVE;
        is_level_ = true;
        raster_ = &raster;
        first_band_ = first_band;
    }
    // Makes this dataset a mask of `raster`, which owns this dataset. Band 1 belongs to band
    // `first_band` of `raster`.
    void BecomeMask(ZarrDataset& raster, int first_band) {
        BecomeLevel(raster, first_band);
        is_mask_ = true;
    }
    bool is_mask() const { return is_mask_; }
    // If this dataset is an overview or mask, returns the band of the full raster to which band
    // `number` belongs. Returns nullptr for other datasets.
    ZarrRasterBand* BandOfRaster(int number) const {
        return raster_ != nullptr ? raster_->Band(first_band_ + number - 1) : nullptr;
    }
    // Returns the number, from 1, of the first band of array number `array`. Arrays are counted
    // from 0, in the order of AddArray() calls.
    int FirstBandOf(std::size_t array);
    // Returns the position, from 1, of band `number` among the bands of its array.
    int NumberInArray(int number);
    // Lets `other`, a dataset of this store, write through the StoreUpdate of this dataset.
    void ShareUpdate(ZarrDataset& other) {
        if (update_ != nullptr) other.EnableUpdate(update_.Share(), convention_);
    }
    StoredMasks& masks() { return *masks_; }
    // Builds the planned overviews now. Otherwise they are built when the dataset is closed.
    CPLErr BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data);
    // Computes statistics when the dataset is closed, unless no pixel was written.
    void PlanStatistics() { wants_statistics_ = true; }
    // Sets the metadata from the attributes of the arrays and the group. Also loads the sidecar
    // files. Call after all arrays and subdatasets are added.
    void Finish(const OpenedAs& opened);
    // Allows ShareDimensions() to be called when the dataset is closed. The call may replace
    // dimensions of new arrays by dimensions of other arrays.
    void AllowSharedDimensions() { may_share_dimensions_ = true; }
    // Registers `prepare`, which is called once: before the first pixels are written, else when the
    // dataset is closed. `prepare` can use metadata of bands, because programs set it before they
    // write pixels.
    void PrepareLater(std::function<zarr::Status()> prepare) { prepare_ = std::move(prepare); }
    zarr::Status Prepare() {
        return prepare_ != nullptr ? std::exchange(prepare_, nullptr)() : zarr::Status();
    }
    // Replaces the only array of this dataset, which must be new and unwritten. The new array has
    // the same path, data type and size, but other dimensions along the bands. `attributes` are
    // those of the replaced array, including pending changes.
    zarr::Status ReplaceArray(const zarr::ArrayMetadata& metadata,
                              const zarr::json::Object& attributes);
    // Replaces dimensions of new arrays by dimensions of other arrays in the group. A dimension is
    // replaced only by a dimension of equal size with equal coordinates or none. The other arrays
    // do not change. Only the first call has an effect.
    zarr::Status ShareDimensions();
    // After this call, a write of GDT_Byte data interprets its bytes as signed, with an unchanged
    // bit pattern.
    void TreatBytesAsSigned();
    // Switches the dataset to update mode. Call after the dataset is completely set up.
    void EnableUpdate(std::shared_ptr<StoreUpdate> update, GeoreferencingForm convention) override;
    // Returns the layout of an array. `index` is the array's index, in the order of AddArray()
    // calls.
    const RasterLayout& Layout(std::size_t index) const { return arrays_[index]->layout(); }
    // Writes pending data. Emits errors, and returns false if an error occurred.
    bool Flush() { return FlushAll(false) == CE_None; }
    // True if the names of the bands can be stored as coordinates along the array's only extra
    // dimension.
    bool NamesBands();
    // Warns that writing to `array` does not update its overviews. Warns only once.
    void WarnOfOverviews(const BandArray& array);
    // Records that the next flush writes the name of band `number`.
    void BandNamed(int number) {
        named_bands_.insert(number);
        if (psPam != nullptr) MarkPamDirty();  // PAM names the bands, so it must be saved again
    }
    // Writes pending chunks, without pending attributes. Does nothing if the dataset is read-only.
    zarr::Status FlushChunks() {
        return update_ != nullptr ? update_->FlushChunks(options_.threads) : zarr::Status();
    }
    // Writes everything that closing would write, and stays in update mode. Emits errors, and
    // returns false if an error occurred.
    bool FinishStore();
    // Calls FinishStore() and ends update mode. Emits errors, and returns false if an error
    // occurred.
    bool CloseStore();
    // Ends update mode without writing pending data, and deletes the arrays that this dataset has
    // created.
    void Abandon();
    void EndUpdate() override;
    // Returns the object that writes to the store. Returns nullptr if the dataset is read-only, or
    // in a forked child: the child must not repeat the writes of its parent.
    StoreUpdate* update() const override { return update_.get(); }
    LevelSource Source() const override;
    GDALRasterBand* StoredMask(int number) override;
    void FlushBlocks(bool closing) override;
    zarr::Status FlushPixels() override;
    zarr::Result<std::unique_ptr<OverviewableDataset>> OpenLevel(
        const std::vector<std::string>& paths, std::size_t first) override;
    zarr::Status Refresh() override;
    // Emits an error that says why update() is nullptr.
    CPLErr ReportReadOnly() const;
    // Creates the mask of band `number`, or of all bands if `number` is 0. If the dataset shows a
    // whole node in update mode, the mask becomes an array of the store. Otherwise `make` creates
    // the mask.
    CPLErr CreateMask(int number, int flags, const std::function<CPLErr()>& make);
    // Stores a metadata item of an array's only band as an attribute; nullptr removes the
    // attribute. Does nothing if the dataset has its own item `name`, because that item uses the
    // same attribute.
    void StoreBandItem(BandArray& array, const char* name, const char* value);
    // Changes the nodata value of a field of `array`; nullopt removes the nodata value. See
    // EditableArray::SetNodata().
    zarr::Status ChangeNodata(BandArray& array, const ScalarField& field,
                              const std::optional<std::string>& element);
    bool HasSubdatasets() const { return !subdatasets_.empty(); }

    // True if the raster's first row is the last row of the array, because of the open option
    // NORTH_UP.
    bool IsFlipped() {
        return options_.north_up && is_flipped_.value_or(georeferencing_.Find().is_flipped);
    }
    // Makes this overview or mask show its rows in the order of the raster `base`.
    void FollowFlip(ZarrDataset& base) { is_flipped_ = base.IsFlipped(); }
    // Returns the index of the array column that is the raster's first column. The index is 0
    // without the open option WRAP_LONGITUDE.
    int RolledColumns() { return georeferencing_.Find().rolled_columns; }
    // Returns the number of array columns that the raster shows in turn, if RolledColumns() is not
    // 0. A raster with more columns repeats the first ones at its end.
    int RollPeriod() { return georeferencing_.Find().roll_period; }
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
    using GDALPamDataset::SetGCPs;
    // In update mode, control points replace the geotransform and the reverse, as in GTiff.
    CPLErr SetGCPs(int nGCPCount, const GDAL_GCP* pasGCPList,
                   const OGRSpatialReference* poSRS) override;
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

    CPLErr IBuildOverviews(const char* pszResampling, int nOverviews, const int* panOverviewList,
                           int nListBands, const int* panBandList, GDALProgressFunc pfnProgress,
                           void* pProgressData, CSLConstList papszOptions) override;

    void LoadGeolocation();
    NameValueList Description();
    CPLErr FlushAll(bool closing);
    // Writes GDAL's dirty blocks. Does not save PAM in update mode.
    void WriteDirtyBlocks(bool closing);
    CoordinateArrays Coordinates();
    zarr::Result<bool> TakeOverStored();
    zarr::Status FlushAttributes();
    // True if the dataset is the largest level of a pyramid in which each level is a group of its
    // own.
    bool HasLevelGroups() const;
    void WarnOfDifferingBands();
    void StoreAssumedColours();
    // Writes new colours of bands into zarr::kColoursOfBands of their arrays.
    void StoreColours();
    zarr::json::Value ColoursOf(const std::vector<ZarrRasterBand*>& changed);
    std::string BandNamesPath() const;
    zarr::Result<std::vector<std::string>> StoredBandNames();
    zarr::Status WriteBandNames();
    bool StoresMetadata(const char* domain) const;
    bool SetUnitOfBands(const char* units);
    void StoreMetadataItem(const char* name, const char* value);

    OverviewSet overviews_{*this};
    std::unique_ptr<StoredMasks> masks_;
    std::optional<bool> is_flipped_;  // nullopt until FollowFlip() is called
    // the raster that owns this overview or mask; nullptr otherwise
    ZarrDataset* raster_ = nullptr;
    int first_band_ = 1;
    bool is_mask_ = false;
    bool is_closing_ = false;
    bool is_of_eopf_ = false;
    std::vector<GDALColorInterp> assumed_colours_;  // of each band, or empty
    bool is_alpha_kept_ = false;                    // KeepAssumedColours() was called
    bool wants_statistics_ = false;  // true from PlanStatistics() until the dataset is closed
    std::optional<bool> has_all_colours_;
    bool may_share_dimensions_ = false;
    std::function<zarr::Status()> prepare_;
    // Set in update mode if the dataset is an OME image that PROFILE=OME has made.
    std::optional<zarr::OmeIdentity> ome_image_;
    zarr::ForkLocal<StoreUpdate> update_;  // the overviews share this object
    GeoreferencingForm convention_ = GeoreferencingForm::kEveryReader;
    RasterGeoreferencing georeferencing_{location_, options_, arrays_};
    std::set<int> named_bands_;  // bands that were named since the last flush
    std::optional<bool> names_bands_;
    std::once_flag overviews_warned_;
    bool differing_warned_ = false;
    CPLStringList subdatasets_;
    CPLStringList description_;  // items of the metadata domain ZARR, cached
};

}  // namespace zarr_driver
