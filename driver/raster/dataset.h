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
#include "driver/raster/raster_place.h"
#include "driver/raster/stored_attributes.h"
#include "driver/raster/stored_masks.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// A dataset of GDAL's classic API: the slices of one array, an array of a group to each band, or no
// bands and a list of subdatasets.
class ZarrDataset final : public ZarrPamDataset {
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
    OverviewSet& overviews() { return overviews_; }
    // The overview of a band, from 1, at `level`; nullptr where there is none.
    ZarrRasterBand* LevelOf(int number, int level);
    // Of a product of EOPF's, whose bands have the colours of Sentinel-2's where their names say
    // so.
    void SetOfEopf(bool is_of_eopf) { is_of_eopf_ = is_of_eopf; }
    bool is_of_eopf() const { return is_of_eopf_; }
    // Takes the first three bands of a new store for red, green and blue, as those of a GeoTIFF,
    // until a band is called something or said to show something. Stored when it is closed.
    void AssumeColours(bool are_assumed) { assumes_colours_ = are_assumed; }
    bool AssumesColours();
    // True where the store states a red, a green and a blue band.
    bool HasAllColours();
    void ColoursChange() { has_all_colours_.reset(); }
    // Makes this an overview of `raster`, which owns it: band 1 shows the raster's band
    // `first_band`. GDAL must not save beside the store, as the raster's, what it learns of it.
    void BecomeLevel(ZarrDataset& raster, int first_band) {
        nPamFlags |= GPF_NOSAVE;
        is_level_ = true;
        raster_ = &raster;
        first_band_ = first_band;
    }
    // Makes this a mask of `raster`, likewise.
    void BecomeMask(ZarrDataset& raster, int first_band) {
        BecomeLevel(raster, first_band);
        is_mask_ = true;
    }
    bool is_mask() const { return is_mask_; }
    // The band that an overview or mask is of; nullptr where the dataset is neither.
    ZarrRasterBand* BandOfRaster(int number) const {
        return raster_ != nullptr ? raster_->Band(first_band_ + number - 1) : nullptr;
    }
    // The first band, from 1, of an array of the dataset.
    int FirstBandOf(std::size_t array);
    // The number of a band, from 1, among those of its array.
    int NumberInArray(int number);
    // Lets `other`, of the same store, write with this dataset.
    void ShareUpdate(ZarrDataset& other) {
        if (update_ != nullptr) other.EnableUpdate(update_.Share(), convention_);
    }
    StoredMasks& masks() { return *masks_; }
    // Builds the overviews that are planned, as closing does otherwise.
    CPLErr BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data);
    // Sets the metadata from the attributes of the arrays and the group, and the files beside the
    // store; to be called last.
    void Finish(const OpenedAs& opened);
    // Lets the arrays, which were just added to a store, take the dimensions of others there that
    // turn out to be the same when it is closed; see ShareDimensions().
    void MayShareDimensions() { may_share_dimensions_ = true; }
    // Gives the arrays the dimensions of other arrays in the group that have the same size and
    // coordinates, or both none. What is there stays as it is. Does so once.
    zarr::Status ShareDimensions();
    // What is written to the bands as Byte are the bits of signed bytes.
    void TakeBytesAsSigned();
    // Lets the dataset write; to be called last of all.
    void EnableUpdate(std::shared_ptr<StoreUpdate> update, Georeferenced convention) override;
    // Of one of the arrays, in the order of AddArray().
    const RasterLayout& Layout(std::size_t index) const { return arrays_[index]->layout; }
    // Stores what is pending; emits what fails.
    bool Flush() { return FlushAll(false) == CE_None; }
    // True where the names of bands can be coordinates of an array's only extra dimension.
    bool NamesBands();
    // Warns once that overviews are not updated when the array that they show is written to.
    void WarnOfOverviews(const BandArray& array);
    // Warns of a nodata value that does not fit a type; once for all bands that have it.
    void WarnOfNodata(const std::string& value, const zarr::DataType& type);
    void BandNamesChanged() {
        band_names_changed_ = true;
        if (psPam != nullptr) MarkPamDirty();  // where bands are known by their names
    }
    // Stores what is pending, and writes no more. Emits what fails, and returns false then.
    bool CloseStore();
    // Forgets what is pending, deletes the arrays that were made, and writes no more.
    void Abandon();
    void EndUpdate() override;
    // What is written through; nullptr where the dataset is for reading, and in a forked child,
    // which must not write what its parent will.
    StoreUpdate* update() const override { return update_.get(); }
    LevelSource Source() const override;
    GDALRasterBand* StoredMask(int number) override;
    void FlushBlocks(bool closing) override;
    zarr::Result<std::unique_ptr<StoreRaster>> OpenLevel(const std::vector<std::string>& paths,
                                                         std::size_t first) override;
    zarr::Status Refresh() override;
    // Says why nothing can be written without update().
    CPLErr RefuseToWrite() const;
    // Makes the mask of a band, or with 0 of all bands: in the store, where the dataset is all of a
    // node that is open for update, else with `make`.
    CPLErr CreateMask(int number, int flags, const std::function<CPLErr()>& make);
    // Sets, or with nullptr removes, an item of metadata of the only band of an array, as an
    // attribute, unless the dataset has an item of this name.
    void StoreBandItem(BandArray& array, const char* name, const char* value);
    void ChangeAttribute(BandArray& array, const char* name, zarr::json::Value value) override;
    // Makes `element`, in the host's byte order, the fill value of an array that this dataset has
    // made and not written to yet, or of which readers take the fill value for nodata (Zarr v2).
    // Absent chunks are stored before.
    zarr::Status SetFillValue(BandArray& array, const std::string& element);
    // Makes the fill value stand for data; see StoreUpdate::MakeFillData().
    zarr::Status RemoveFillValue(BandArray& array);
    bool HasSubdatasets() const { return !subdatasets_.empty(); }

    // True where the raster's first row is the array's last; see NORTH_UP.
    bool IsFlipped() { return options_.north_up && is_flipped_.value_or(place_.Find().is_flipped); }
    // An overview and a mask are turned as their raster is.
    void FollowFlip(ZarrDataset& base) { is_flipped_ = base.IsFlipped(); }
    // Columns by which the raster starts later than the array; see WRAP_LONGITUDE.
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
    // Stores what is pending and the absent chunks before.
    zarr::Status ReplaceFillOfWritten(BandArray& array, const std::optional<std::string>& element);
    // True for an array that this dataset has made and not written to yet.
    bool IsUnwritten(const BandArray& array) const;
    // Opens the array after its metadata have changed.
    zarr::Status OpenAnew(BandArray& array);
    void WarnOfBandsThatDiffer();
    void StoreAssumedColours();
    std::string BandNamesPath() const;
    zarr::Status WriteBandNames();
    void ChangeGroupAttribute(const char* name, zarr::json::Value value) override;
    bool StoresMetadata(const char* domain) const;
    void StoreMetadataItem(const char* name, const char* value);

    OverviewSet overviews_{*this};
    std::unique_ptr<StoredMasks> masks_;
    std::optional<bool> is_flipped_;  // where another dataset says it
    ZarrDataset* raster_ = nullptr;   // of an overview or mask
    int first_band_ = 1;
    bool is_mask_ = false;
    bool is_closing_ = false;
    bool is_of_eopf_ = false;
    bool assumes_colours_ = false;
    std::optional<bool> has_all_colours_;
    bool may_share_dimensions_ = false;
    zarr::ForkLocal<StoreUpdate> update_;  // the overviews' as well
    Georeferenced convention_ = Georeferenced::kEveryReader;
    RasterPlace place_{location_, options_, arrays_};
    StoredAttributes attributes_{arrays_};
    bool band_names_changed_ = false;
    std::optional<bool> names_bands_;
    std::once_flag overviews_warned_;
    bool differing_warned_ = false;
    std::string nodata_warned_;  // the text of the last warning
    CPLStringList subdatasets_;
    CPLStringList description_;  // the domain ZARR, once it was asked for
};

}  // namespace zarr_driver
