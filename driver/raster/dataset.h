// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fork.h"
#include "core/conventions/ome/ome_write.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/open_options.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/georef/raster_layout.h"
#include "driver/overviews/overview_set.h"
#include "driver/raster/dataset_colours.h"
#include "driver/raster/pam_dataset.h"
#include "driver/raster/raster_georeferencing.h"
#include "driver/raster/stored_band_names.h"
#include "driver/raster/stored_masks.h"
#include "driver/store/open_node.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class ZarrDataset;

// Work on a new raster that waits, because programs set metadata of bands before they write pixels.
struct NewRasterWork {
    using Part = std::function<zarr::Status()>;

    Part before_pixels;           // done before the first pixels are written, else at closing
    Part before_closing;          // done when the dataset is closed, unless it was done before
    bool has_statistics = false;  // statistics are computed at closing if pixels were written

    // Does a part, once.
    static zarr::Status Do(Part& part) {
        return part != nullptr ? std::exchange(part, nullptr)() : zarr::Status();
    }
};

// The role of a dataset as an overview or a mask of a raster, which owns the dataset.
struct RasterRole {
    ZarrDataset* raster = nullptr;  // nullptr for other datasets
    int first_band = 1;             // band of `raster` to which band 1 belongs
    bool is_mask = false;

    // Returns the band of `raster` to which band `number` belongs; nullptr for other datasets.
    ZarrRasterBand* BandOf(int number) const;
};

// A dataset of GDAL's raster API. Its bands are the slices of one array, or several arrays of a
// group with one or more bands each. A dataset without bands only lists subdatasets.
class ZarrDataset final : public ZarrPamDataset {
  public:
    // `name` is the string that the user opened.
    ZarrDataset(const std::string& name, OpenNode open_node, OpenOptions options);
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
    const BandArrays& arrays() const { return arrays_; }
    DatasetColours& colours() { return colours_; }
    StoredBandNames& names() { return names_; }
    NewRasterWork& new_raster() { return new_raster_; }
    RasterGeoreferencing& georeferencing() { return georeferencing_; }
    // Makes this dataset an OME-Zarr image. Each later flush writes OME metadata that describes the
    // current state of the dataset.
    void BecomeOmeImage(zarr::OmeIdentity identity) { ome_image_ = std::move(identity); }
    // Makes this dataset an overview or mask. PAM of an overview is not saved, because its file
    // would be read as PAM of the raster.
    void Become(const RasterRole& role) {
        nPamFlags |= GPF_NOSAVE;
        is_level_ = true;
        role_ = role;
    }
    const RasterRole& role() const { return role_; }
    // Lets `other`, a dataset of this store, write through the StoreUpdate of this dataset.
    void ShareUpdate(ZarrDataset& other) {
        if (update_ != nullptr) other.EnableUpdate(update_.Share(), convention_);
    }
    StoredMasks& masks() { return *masks_; }
    // Builds the planned overviews now. Otherwise they are built when the dataset is closed.
    CPLErr BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data);
    // Sets the metadata from the attributes of the arrays and the group. Also loads the sidecar
    // files. Call after all arrays and subdatasets are added.
    void Finish(const OpenedAs& opened);
    // Switches the dataset to update mode. Call after the dataset is completely set up.
    void EnableUpdate(std::shared_ptr<StoreUpdate> update, GeoreferencingForm convention) override;
    // Writes pending data. Emits errors, and returns false if an error occurred.
    bool Flush() { return FlushAll(false) == CE_None; }
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
    // Does not save PAM in update mode.
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
    // Emits a warning about the nodata value of `array`, unless it is empty or has the text of the
    // last one: an attempt to set the same value in all bands has one warning.
    void WarnOfNodata(const BandArray& array, const std::string& warning);
    // Changes the nodata value of a field of `array`; nullopt removes the nodata value. See
    // EditableArray::SetNodata().
    zarr::Status ChangeNodata(BandArray& array, const ScalarField& field,
                              const std::optional<std::string>& element);
    bool HasSubdatasets() const { return !subdatasets_.empty(); }

    bool ArePixelsMoved() override {
        return georeferencing_.IsFlipped() || georeferencing_.IsRolled();
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
    zarr::Result<bool> TakeOverStored();
    zarr::Status FlushAttributes();
    void WarnOfDifferingBands();
    bool StoresMetadata(const char* domain) const;
    void StoreMetadataItem(const char* name, const char* value);

    OverviewSet overviews_{*this};
    std::unique_ptr<StoredMasks> masks_;
    RasterRole role_;
    bool is_closing_ = false;
    DatasetColours colours_{*this};
    StoredBandNames names_{*this};
    NewRasterWork new_raster_;
    // Set in update mode if the dataset is an OME image that PROFILE=OME has made.
    std::optional<zarr::OmeIdentity> ome_image_;
    zarr::ForkLocal<StoreUpdate> update_;  // the overviews share this object
    std::string nodata_warning_;           // text of the last WarnOfNodata()
    bool has_differing_warning_ = false;   // WarnOfDifferingBands() has emitted its warning
    GeoreferencingForm convention_ = GeoreferencingForm::kEveryReader;
    RasterGeoreferencing georeferencing_{open_node_, options_, arrays_};
    CPLStringList subdatasets_;
    CPLStringList description_;  // items of the metadata domain ZARR, cached
};

}  // namespace zarr_driver
