// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <optional>
#include <string>

#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"
#include "driver/raster/pixel_windows.h"

namespace zarr_driver {

// Band of a ZarrDataset: a slice of an array, or one field of a slice. Combines the metadata in the
// store with the metadata that users set. GDAL's block cache is used for resampling only.
class ZarrRasterBand final : public GDALPamRasterBand {
  public:
    // `array` must outlive the band. An empty `description` lets the coordinates of the slice
    // describe the band; any other description is fixed.
    ZarrRasterBand(ZarrDataset* dataset, int number, BandArray& array, std::uint64_t slice,
                   const ScalarField& field, std::string description);

    ZarrDataset* dataset() const { return static_cast<ZarrDataset*>(poDS); }

    // Reads and writes pixels without GDAL's block cache.
    const PixelWindows& pixels() const { return pixels_; }

    // Returns the pixels that a block covers; blocks at the right and bottom edges are cut off.
    PixelWindow BlockWindow(int block_x, int block_y) const;
    // Columns and rows of blocks that a window overlaps.
    struct BlockRange {
        int left;
        int top;
        int right;   // last column, inclusive
        int bottom;  // last row, inclusive
    };
    BlockRange BlocksOf(const PixelWindow& window) const;

    void EnableUpdate() { eAccess = GA_Update; }

    // From now on, bytes that are written as GDT_Byte are bit patterns of signed bytes.
    void TreatBytesAsSigned() { pixels_.TreatBytesAsSigned(); }
    // Returns the data type in which CreateCopy() passes the values of a source to this band.
    GDALDataType CopyDataType() const { return pixels_.bytes_are_signed() ? GDT_Byte : eDataType; }

    // Removes the scale 1 and the offset 0 that PAM sets by default. Call after GDAL has loaded
    // PAM.
    void PamLoaded();

    // True if the band has STATISTICS_ metadata items or saved histograms.
    bool HasStatistics();
    // Removes the STATISTICS_ metadata items and the saved histograms.
    void ForgetStatistics();

    // True if one array could store the scale, offset, unit and nodata value of both bands.
    bool IsDescribedAs(const ZarrRasterBand& other) const {
        return scale_ == other.scale_ && offset_ == other.offset_ && units_ == other.units_ &&
               nodata_ == other.nodata_;
    }

    // Returns the full-resolution band if this band belongs to an overview; nullptr for other
    // bands.
    ZarrRasterBand* Base() const {
        return dataset()->is_mask() ? nullptr : dataset()->BandOfRaster(nBand);
    }

    const BandArray& array() const { return array_; }
    // Sets an attribute of the band's array; null removes the attribute.
    void ChangeAttribute(const char* name, zarr::json::Value value) {
        dataset()->ChangeAttribute(array_, name, std::move(value));
    }
    const ScalarField& field() const { return field_; }
    const std::vector<std::uint64_t>& indices() const { return pixels_.indices(); }
    // Returns the colour that the store states for this band alone. Colours of OME channels are
    // ignored.
    GDALColorInterp StatedColour();
    // True if GDAL has a colour table of this band, or a colour interpretation other than alpha.
    bool IsColourSet();
    // Returns the band's name among the coordinates of its array; empty if the band has no name.
    // `are_names` says that the coordinates are text. A name set by SetDescription() counts even
    // before it is stored.
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
    // Computes exact statistics from the stored chunks alone if most chunks are absent.
    CPLErr ComputeStatistics(int bApproxOK, double* pdfMin, double* pdfMax, double* pdfMean,
                             double* pdfStdDev, GDALProgressFunc pfnProgress,
                             void* pProgressData) override;
    GDALRasterBand* GetMaskBand() override;
    int GetMaskFlags() override;
    CPLErr SetCategoryNames(char** papszNames) override;
    bool IsMaskBand() const noexcept override { return dataset()->is_mask(); }
    int GetOverviewCount() override;
    GDALRasterBand* GetOverview(int nIdx) override;

    // Starts to load the chunks of a window from a remote store; see zarr::ReadAhead.
    CPLErr AdviseRead(int nXOff, int nYOff, int nXSize, int nYSize, int nBufXSize, int nBufYSize,
                      GDALDataType eBufType, NameValueList papszOptions) override;

  protected:
    CPLErr IReadBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IWriteBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize, void* pData,
                     int nBufXSize, int nBufYSize, GDALDataType eBufType, GSpacing nPixelSpace,
                     GSpacing nLineSpace, GDALRasterIOExtraArg* psExtraArg) override;

    // Reports absent chunks as empty if their fill value is nodata or zero, and if listing the
    // chunks costs no requests; see AbsentBlocks.
    int IGetDataCoverageStatus(int nXOff, int nYOff, int nXSize, int nYSize, int nMaskFlagStop,
                               double* pdfDataPct) override;

    // Returns the band's XML for PAM, without the metadata that the store holds.
    CPLXMLNode* SerializeToXML(const char* pszVRTPath) override;

  private:
    CPLErr Report(const zarr::Status& status) const;
    CPLErr Write(const PixelWindow& window, const void* data, const BufferLayout& buffer);
    template <class T>
    CPLErr StoreNodata(T value);
    CPLErr RejectNodata(const std::string& value);
    void ApplyNodata(const std::optional<std::string>& element);
    // Removes PAM's nodata value, which would hide the nodata value of the store.
    void ClearPamNodata();
    void StoreLongName(const char* description);
    void StoreClasses(CSLConstList names);
    void ReadConventions();
    // Sets the metadata domain IMAGE_STRUCTURE from the array; items from PAM are replaced.
    void DescribeStructure();
    void LoadAttributes();  // from attributes and OME channels
    void LoadLabels();      // also from the slice's coordinates, which are read
    void ShowStoredMetadata();
    void StoreItem(const char* name, const char* value);
    bool IsScaleStored() const;
    const std::string& ArrayDescription() const;  // from the slice's coordinates
    // Returns the metadata domain ZARR. Bands have this domain if the dataset has several arrays.
    NameValueList Description();
    bool IsDescription(const char* domain) const;

    BandArray& array_;
    const std::uint64_t slice_;
    const ScalarField& field_;
    PixelWindows pixels_;
    mutable std::string description_;
    mutable bool has_description_;
    bool is_named_ = false;  // by SetDescription(); the name is stored as a coordinate
    bool is_serializing_ = false;
    CPLStringList stored_metadata_;  // default domain, from the store
    bool has_attributes_ = false;
    bool has_labels_ = false;
    std::optional<std::string> nodata_;  // element of field_.type in native byte order
    std::optional<double> scale_;
    std::optional<double> offset_;
    std::string units_;
    CPLStringList categories_;
    std::unique_ptr<GDALColorTable> label_colours_;  // cached
    std::unique_ptr<GDALRasterAttributeTable> label_table_;
    CPLStringList array_description_;  // cached
};

}  // namespace zarr_driver
