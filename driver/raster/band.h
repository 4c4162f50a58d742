// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <optional>
#include <string>

#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"
#include "driver/raster/pixel_windows.h"

namespace zarr_driver {

// Band of a ZarrDataset: a slice of an array, or one field of a slice. Combines metadata of the
// store and of users. Pixels bypass GDAL's block cache unless GDAL resamples them.
class ZarrRasterBand final : public GDALPamRasterBand {
  public:
    // `array` must outlive the band. If `description` is empty, the coordinates of the slice
    // describe the band. Otherwise the band keeps the given `description`.
    ZarrRasterBand(ZarrDataset* dataset, int number, BandArray& array, std::uint64_t slice,
                   const ScalarField& field, std::string description);

    ZarrDataset* dataset() const { return static_cast<ZarrDataset*>(poDS); }

    // Returns the object that reads and writes the pixels of this band without GDAL's block cache.
    const PixelWindows& pixels() const { return pixels_; }

    // Returns the window of pixels that a block covers. Blocks at the right and bottom edges of the
    // raster are cut off.
    PixelWindow BlockWindow(int block_x, int block_y) const;
    // Range of block columns and block rows that overlap a window.
    struct BlockRange {
        int left;
        int top;
        int right;   // last column, inclusive
        int bottom;  // last row, inclusive
    };
    BlockRange BlocksOf(const PixelWindow& window) const;

    void EnableUpdate() { eAccess = GA_Update; }
    // Finds the slice of the band again, after the array's dimensions have changed.
    void ArrayReplaced();

    // After this call, a write of GDT_Byte data interprets its bytes as signed, with an unchanged
    // bit pattern.
    void TreatBytesAsSigned() { pixels_.TreatBytesAsSigned(); }
    // Returns the data type in which CreateCopy() must read pixels from a source and write them to
    // this band.
    GDALDataType CopyDataType() const { return pixels_.bytes_are_signed() ? GDT_Byte : eDataType; }

    // Removes the scale 1 and offset 0 that PAM sets by default when GDAL loads PAM. Call after
    // GDAL has loaded PAM.
    void PamLoaded();

    // True if the band has STATISTICS_ metadata items or saved histograms.
    bool HasStatistics();
    bool AreStatisticsApproximate();
    double UnknownExtreme(double limit, int* success) const;
    // Removes the metadata items STATISTICS_... and the saved histograms.
    void ForgetStatistics();

    // True if the array can store the scale, offset, unit and nodata value of both bands: the
    // values are equal, or lists of the array have an entry for this band. Fields of a structure
    // have nodata values and units of their own.
    bool IsStorableWith(const ZarrRasterBand& other) const;

    // Stores values that are equal in all entries of a changed list for the whole array, as
    // attributes of CF. Called before attributes are written: only then are all entries known.
    void ShareEqualValues();

    // If this band belongs to an overview, returns the band at full resolution. Returns nullptr for
    // other bands, and for masks.
    ZarrRasterBand* Base() const {
        const RasterRole& role = dataset()->role();
        return role.is_mask ? nullptr : role.BandOf(nBand);
    }

    const BandArray& array() const { return array_; }
    BandArray& array() { return array_; }
    const ScalarField& field() const { return field_; }
    const std::vector<std::uint64_t>& indices() const { return pixels_.indices(); }
    // Returns the colour that the store states for this band only. Ignores the colours of OME
    // channels.
    GDALColorInterp StatedColour();
    // Returns true if the band has a colour that its array does not store yet, but can: one that
    // was set, or one of changed PAM. PAM loses the colour.
    bool TakeNewColour();
    std::optional<std::size_t> ColourEntry() const;
    // True if GDAL has a colour table for this band, or reports a colour interpretation other than
    // alpha.
    bool IsColourSet();
    // Returns the band's name in the coordinate array along the bands, or an empty text.
    // `are_names` is true if the coordinates are text. Names set by SetDescription() count before
    // they are stored.
    std::string StoredName(bool are_names) const;

    const char* GetDescription() const override;
    char** GetMetadataDomainList() override;
    NameValueList GetMetadata(const char* pszDomain = "") override;
    const char* GetMetadataItem(const char* pszName, const char* pszDomain = "") override;
    double GetNoDataValue(int* pbSuccess = nullptr) override;
    int64_t GetNoDataValueAsInt64(int* pbSuccess = nullptr) override;
    uint64_t GetNoDataValueAsUInt64(int* pbSuccess = nullptr) override;
    double GetScale(int* pbSuccess = nullptr) override;
    double GetOffset(int* pbSuccess = nullptr) override;
    const char* GetUnitType() override;
    char** GetCategoryNames() override;
    GDALColorInterp GetColorInterpretation() override;
    GDALColorTable* GetColorTable() override;
    GDALRasterAttributeTable* GetDefaultRAT() override;
    void SetDescription(const char* pszDescription) override;
    CPLErr SetMetadata(NameValueList papszMetadata, const char* pszDomain = "") override;
    CPLErr SetMetadataItem(const char* pszName, const char* pszValue,
                           const char* pszDomain = "") override;
    CPLErr CreateMaskBand(int nFlagsIn) override;
    CPLErr SetNoDataValue(double dfNoData) override;
    CPLErr SetNoDataValueAsInt64(int64_t nNoData) override;
    CPLErr SetNoDataValueAsUInt64(uint64_t nNoData) override;
    CPLErr DeleteNoDataValue() override;
    CPLErr SetScale(double dfNewScale) override;
    CPLErr SetOffset(double dfNewOffset) override;
    CPLErr SetUnitType(const char* pszNewValue) override;
    // If most chunks are absent, computes exact statistics from the stored chunks alone. Otherwise
    // GDAL computes the statistics.
    CPLErr ComputeStatistics(int bApproxOK, double* pdfMin, double* pdfMax, double* pdfMean,
                             double* pdfStdDev, GDALProgressFunc pfnProgress,
                             void* pProgressData) override;
    GDALRasterBand* GetMaskBand() override;
    int GetMaskFlags() override;
    CPLErr SetCategoryNames(char** papszNames) override;
    CPLErr SetColorInterpretation(GDALColorInterp eInterp) override;
    double GetMinimum(int* pbSuccess = nullptr) override;
    double GetMaximum(int* pbSuccess = nullptr) override;
    CPLErr GetDefaultHistogram(double* pdfMin, double* pdfMax, int* pnBuckets,
                               GUIntBig** ppanHistogram, int bForce, GDALProgressFunc pfnProgress,
                               void* pProgressData) override;
    CPLErr SetDefaultHistogram(double dfMin, double dfMax, int nBuckets,
                               GUIntBig* panHistogram) override;
    bool IsMaskBand() const noexcept override { return dataset()->role().is_mask; }
    int GetOverviewCount() override;
    GDALRasterBand* GetOverview(int nIdx) override;

    // Starts to load the chunks of a window from a remote store, so that a later read is fast. See
    // zarr::ReadAhead.
    CPLErr AdviseRead(int nXOff, int nYOff, int nXSize, int nYSize, int nBufXSize, int nBufYSize,
                      GDALDataType eBufType, NameValueList papszOptions) override;

  protected:
    CPLErr IReadBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IWriteBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize, void* pData,
                     int nBufXSize, int nBufYSize, GDALDataType eBufType, GSpacing nPixelSpace,
                     GSpacing nLineSpace, GDALRasterIOExtraArg* psExtraArg) override;

    // Reports absent chunks as empty if their fill value is nodata or zero. Does so only if a
    // listing of the chunks costs no requests. Implemented by AbsentBlocks.
    int IGetDataCoverageStatus(int nXOff, int nYOff, int nXSize, int nYSize, int nMaskFlagStop,
                               double* pdfDataPct) override;

    // Returns the XML that PAM saves for this band. Leaves out metadata that the store holds.
    CPLXMLNode* SerializeToXML(const char* pszVRTPath) override;

  private:
    CPLErr Report(const zarr::Status& status) const;
    CPLErr Write(const PixelWindow& window, const void* data, const BufferLayout& buffer);
    template <class T>
    CPLErr StoreNodata(T value);
    // Changes the nodata value of the whole array; nullopt removes the nodata value.
    CPLErr ChangeNodata(const std::optional<std::string>& element);
    void ApplyNodata(const std::optional<std::string>& element);
    // Removes the nodata value from PAM, where it would hide the nodata value of the store.
    void ClearPamNodata();
    bool StoreNameInLists(const char* description);
    void StoreLongName(const char* description);
    void StoreClasses(CSLConstList names);
    void ReadConventions();
    // Returns the index of this band in lists of the array; see zarr::BandLists.
    std::size_t BandInLists() const;
    std::size_t SliceInLists() const;  // see zarr::BandLists::EntryOfSlice()
    // True if the array can store a colour of this band: all bands of the array are shown, or a
    // list of the array has an entry for this band.
    bool MayStoreColour() const;
    std::optional<zarr::FillValue> ArrayNodata() const;
    void FollowLists(const ZarrRasterBand& base);
    std::optional<SliceLabels::Name> NamedAxis() const;
    // Sets the items of the metadata domain IMAGE_STRUCTURE from the array's metadata. Replaces
    // items that came from PAM.
    void DescribeStructure();
    void LoadAttributes();  // adds metadata items from attributes and OME channels
    void LoadLabels();      // adds the slice's coordinates to the band's metadata
    void ShowStoredMetadata();
    void StoreItem(const char* name, const char* value);
    const std::string& ArrayDescription() const;  // description of the slice by its coordinates
    // True for the metadata domain ZARR, if the band has it: its dataset has several arrays.
    bool IsDescription(const char* domain) const;

    BandArray& array_;
    const std::uint64_t slice_;
    const ScalarField& field_;
    PixelWindows pixels_;
    mutable std::string description_;
    mutable bool has_description_;
    // True if SetDescription() named the band; the name is stored as a coordinate.
    bool is_named_ = false;
    bool is_serializing_ = false;
    CPLStringList stored_metadata_;  // metadata items of the default domain that the store holds
    bool has_attributes_ = false;
    bool has_labels_ = false;
    // Nodata value: an element of field_.type in native byte order.
    std::optional<std::string> nodata_;
    std::optional<double> scale_;
    std::optional<double> offset_;
    std::string units_;
    std::optional<GDALColorInterp> colour_;  // set in update mode
    bool has_new_colour_ = false;            // colour_ is not stored yet
    CPLStringList categories_;
    std::unique_ptr<GDALColorTable> label_colours_;  // cached
    std::unique_ptr<GDALRasterAttributeTable> label_table_;
};

}  // namespace zarr_driver
