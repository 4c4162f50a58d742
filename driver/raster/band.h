// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <optional>
#include <string>

#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"
#include "driver/raster/pixel_windows.h"

namespace zarr_driver {

// A slice of an array, or of one field of it: what the store says of it, and what users set. GDAL's
// block cache is used for resampling only.
class ZarrRasterBand final : public GDALPamRasterBand {
  public:
    // `array` outlives the band. `description` is fixed; where it is empty the slice's own is used.
    ZarrRasterBand(ZarrDataset* dataset, int number, BandArray& array, std::uint64_t slice,
                   const ScalarField& field, std::string description);

    ZarrDataset* dataset() const { return static_cast<ZarrDataset*>(poDS); }

    // Its pixels, past the blocks that GDAL may hold.
    const PixelWindows& pixels() const { return pixels_; }

    // What a block of the band covers.
    PixelWindow BlockWindow(int block_x, int block_y) const;
    // The blocks, by column and row, that a window lies in.
    struct BlockRange {
        int left;
        int top;
        int right;   // the last one
        int bottom;  // likewise
    };
    BlockRange BlocksOf(const PixelWindow& window) const;

    void EnableUpdate() { eAccess = GA_Update; }

    // What is written as Byte are the bits of signed bytes.
    void TakeBytesAsSigned() { pixels_.TakeBytesAsSigned(); }
    // The type in which a copy brings the values of a source.
    GDALDataType TypeOfCopies() const { return pixels_.bytes_are_signed() ? GDT_Byte : eDataType; }

    // To be called after PAM was read: that sets the scale 1 and the offset 0 where it has none.
    void PamLoaded();

    // Of what GDAL keeps beside the store, what was made from pixels.
    bool HasStatistics();
    void ForgetStatistics();

    // True where an array that both share could hold scale, offset, unit and nodata of both.
    bool IsDescribedAs(const ZarrRasterBand& other) const {
        return scale_ == other.scale_ && offset_ == other.offset_ && units_ == other.units_ &&
               nodata_ == other.nodata_;
    }

    // The band that this one is an overview of; nullptr where it is none.
    ZarrRasterBand* Base() const {
        return dataset()->is_mask() ? nullptr : dataset()->BandOfRaster(nBand);
    }

    const BandArray& array() const { return array_; }
    // Changes an attribute of the array; null removes it.
    void ChangeAttribute(const char* name, zarr::json::Value value) {
        dataset()->ChangeAttribute(array_, name, std::move(value));
    }
    const ScalarField& field() const { return field_; }
    const std::vector<std::uint64_t>& indices() const { return pixels_.indices(); }
    // The colour that the store states, whatever the other bands are; not a channel's of OME.
    GDALColorInterp StatedColour();
    // True where GDAL was told what the band shows, other than that it is alpha.
    bool IsColourSet();
    // The band's name among the coordinates of its array, which are texts if `are_names`, or the
    // name that they will get; empty without one.
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
    // Of an array of which most chunks are absent, at the cost of the others.
    CPLErr ComputeStatistics(int bApproxOK, double* pdfMin, double* pdfMax, double* pdfMean,
                             double* pdfStdDev, GDALProgressFunc pfnProgress,
                             void* pProgressData) override;
    GDALRasterBand* GetMaskBand() override;
    int GetMaskFlags() override;
    CPLErr SetCategoryNames(char** papszNames) override;
    bool IsMaskBand() const noexcept override { return dataset()->is_mask(); }
    int GetOverviewCount() override;
    GDALRasterBand* GetOverview(int nIdx) override;

    // Begins to load what a window needs of the store, where each request takes a while; see
    // zarr::ReadAhead.
    CPLErr AdviseRead(int nXOff, int nYOff, int nXSize, int nYSize, int nBufXSize, int nBufYSize,
                      GDALDataType eBufType, NameValueList papszOptions) override;

  protected:
    CPLErr IReadBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IWriteBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize, void* pData,
                     int nBufXSize, int nBufYSize, GDALDataType eBufType, GSpacing nPixelSpace,
                     GSpacing nLineSpace, GDALRasterIOExtraArg* psExtraArg) override;

    // Chunks that are absent are empty, where they hold the nodata value or zeros, and looking
    // costs no requests; see AbsentBlocks.
    int IGetDataCoverageStatus(int nXOff, int nYOff, int nXSize, int nYSize, int nMaskFlagStop,
                               double* pdfDataPct) override;

    // For PAM: without the description that comes from the store.
    CPLXMLNode* SerializeToXML(const char* pszVRTPath) override;

  private:
    CPLErr Report(const zarr::Status& status) const;
    CPLErr Write(const PixelWindow& window, const void* data, const BufferLayout& buffer);
    template <class T>
    CPLErr StoreNodata(T value);
    CPLErr RefuseNodata(const std::string& value);
    void TakeNodata(const std::optional<std::string>& element);
    // Of what PAM has in place of the store's, what the store now has.
    void ForgetPamNodata();
    void StoreLongName(const char* description);
    void StoreClasses(CSLConstList names);
    void InterpretAttributes();
    // Fills the domain IMAGE_STRUCTURE by what the array says, in place of what PAM has of it.
    void DescribeStructure();
    void LoadAttributes();  // metadata from what is known
    void LoadLabels();      // and from the coordinates of the slice, which are read for it
    void ShowStoredMetadata();
    void StoreItem(const char* name, const char* value);
    bool IsScaleStored() const;
    const std::string& ArrayDescription() const;  // by the coordinates of the slice
    // The domain ZARR, which the band has where other bands have other arrays.
    NameValueList Description();
    bool IsDescription(const char* domain) const;

    BandArray& array_;
    const std::uint64_t slice_;
    const ScalarField& field_;
    PixelWindows pixels_;
    mutable std::string description_;
    mutable bool has_description_;
    bool is_named_ = false;  // by SetDescription(), for the coordinates of the array
    bool is_serializing_ = false;
    CPLStringList stored_metadata_;  // what the store says, of the default domain
    bool has_attributes_ = false;
    bool has_labels_ = false;
    std::optional<std::string> nodata_;  // an element of field_.type in the host's byte order
    std::optional<double> scale_;
    std::optional<double> offset_;
    std::string units_;
    CPLStringList categories_;
    std::unique_ptr<GDALColorTable> label_colours_;  // once they were asked for
    std::unique_ptr<GDALRasterAttributeTable> label_table_;
    CPLStringList array_description_;  // once it was asked for
};

}  // namespace zarr_driver
