// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <optional>
#include <string>

#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_types.h"
#include "driver/raster/dataset.h"
#include "driver/raster/pixel_statistics.h"

namespace zarr_driver {

// A slice of an array, or of one field of it. Reads go from the array's own cache of decoded chunks
// to the caller's buffer; GDAL's block cache is used for resampling only.
class ZarrRasterBand final : public GDALPamRasterBand {
  public:
    // `array` outlives the band. `description` is fixed; where it is empty the slice's own is used.
    ZarrRasterBand(ZarrDataset* dataset, int number, BandArray& array, std::uint64_t slice,
                   const ScalarField& field, std::string description);

    // A window at full resolution of `slice_count` bands, the first of them this one, that differ
    // in their index along other_axes[axis] by `slice_step`. Units of the spacings are bytes.
    ZarrDataset* dataset() const { return static_cast<ZarrDataset*>(poDS); }

    struct Window {
        int x_off, y_off, x_size, y_size;
        std::uint64_t slice_count = 1;
        std::size_t axis = 0;
        std::int64_t slice_step = 1;
        zarr::CachePolicy keep = zarr::CachePolicy::kAllIfSmall;
        zarr::WholeChunks whole_chunks = zarr::WholeChunks::kAtOnce;
    };
    // What a block of the band covers.
    Window BlockWindow(int block_x, int block_y) const;
    CPLErr ReadWindow(const Window& window, void* data, GDALDataType buffer_type,
                      GSpacing pixel_space, GSpacing line_space, GSpacing band_space);

    // The same in the other direction.
    CPLErr WriteWindow(const Window& window, const void* data, GDALDataType buffer_type,
                       GSpacing pixel_space, GSpacing line_space, GSpacing band_space);

    // The same without a word to GDAL, so that any thread may call it; past the blocks that GDAL
    // may hold.
    zarr::Status Store(const Window& window, const void* data, GDALDataType buffer_type,
                       GSpacing pixel_space, GSpacing line_space, GSpacing band_space);

    void EnableUpdate() { eAccess = GA_Update; }

    // What is written as Byte are the bits of signed bytes.
    void TakeBytesAsSigned() { bytes_are_signed_ = true; }
    // The type in which a copy brings the values of a source.
    GDALDataType TypeOfCopies() const { return bytes_are_signed_ ? GDT_Byte : eDataType; }

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

    const BandArray& array() const { return array_; }
    // Changes an attribute of the array; null removes it.
    void ChangeAttribute(const char* name, zarr::json::Value value) {
        dataset()->ChangeAttribute(array_, name, std::move(value));
    }
    const ScalarField& field() const { return field_; }
    const std::vector<std::uint64_t>& indices() const { return indices_; }

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
    int GetOverviewCount() override;
    GDALRasterBand* GetOverview(int nIdx) override;

    // Begins to load what a window needs of the store, where each request takes a while; see
    // zarr::ReadAhead.
    CPLErr AdviseRead(int nXOff, int nYOff, int nXSize, int nYSize, int nBufXSize, int nBufYSize,
                      GDALDataType eBufType, NameValueList papszOptions) override;
    // The same of a window of this band, whose place in the array is not turned or rolled.
    zarr::Status LoadAhead(const Window& window) const;

  protected:
    CPLErr IReadBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IWriteBlock(int nBlockXOff, int nBlockYOff, void* pData) override;
    CPLErr IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize, void* pData,
                     int nBufXSize, int nBufYSize, GDALDataType eBufType, GSpacing nPixelSpace,
                     GSpacing nLineSpace, GDALRasterIOExtraArg* psExtraArg) override;

    // Chunks that are absent are empty, where they hold the nodata value or zeros, and looking
    // costs no requests.
    int IGetDataCoverageStatus(int nXOff, int nYOff, int nXSize, int nYSize, int nMaskFlagStop,
                               double* pdfDataPct) override;

    // For PAM: without the description that comes from the store.
    CPLXMLNode* SerializeToXML(const char* pszVRTPath) override;

  private:
    // What a window is of the array, and of the caller's memory.
    struct Selection {
        zarr::Region region;
        zarr::Strides strides;
    };
    Selection Select(const Window& window, GSpacing pixel_space, GSpacing line_space,
                     GSpacing band_space) const;
    // ReadWindow() in rows of the array.
    CPLErr ReadRolled(const Window& window, void* data, GDALDataType buffer_type,
                      GSpacing pixel_space, GSpacing line_space, GSpacing band_space);
    // The same in columns of the array, too.
    CPLErr ReadArray(const Window& window, void* data, GDALDataType buffer_type,
                     GSpacing pixel_space, GSpacing line_space, GSpacing band_space);
    // False where listing the array's chunks costs requests, or where blocks are no chunks.
    bool MayListChunks();
    // Lists them where they are not listed yet. False where MayListChunks() is, or that fails.
    bool KnowsAbsentChunks();
    bool IsAbsent(int block_x, int block_y) const;
    // The chunks along an axis that pixels lie in.
    struct ChunkRange {
        std::uint64_t first;
        std::uint64_t last;
    };
    ChunkRange ChunksOf(const std::optional<std::size_t>& axis, int offset, int size) const;
    // What pixels of absent chunks are; NaN of types that are no real numbers.
    double FillNumber() const;
    bool IsNodata(double value);
    // True where most of the array's chunks are absent, and what GDAL would compute of the band
    // depends on nothing but its numbers.
    bool IsSparse();
    CPLErr AddPixels(PixelStatistics& statistics, GDALProgressFunc progress, void* progress_data);
    // True where GDAL holds the block already.
    bool HasBlock(int block_x, int block_y);
    // True where GDAL resamples a window from this band's own blocks, each of them.
    bool ReadsBlocksOf(const Window& window, int buffer_x, int buffer_y,
                       const GDALRasterIOExtraArg* extra);
    // Loads the chunks of blocks that GDAL is about to ask for, all at a time.
    void Preload(const Window& window);
    template <class T>
    CPLErr StoreNodata(T value);
    CPLErr RefuseNodata(const std::string& value);
    // Of what PAM has in place of the store's, what the store now has.
    void ForgetPamNodata();
    void StoreLongName(const char* description);
    void StoreClasses(CSLConstList names);
    void InterpretAttributes();
    void LoadAttributes();  // metadata from what is known
    void LoadLabels();      // and from the coordinates of the slice, which are read for it
    void ShowStoredMetadata();
    void StoreItem(const char* name, const char* value);
    // The domain ZARR, which the band has where other bands have other arrays.
    NameValueList Description();
    bool IsDescription(const char* domain) const;

    BandArray& array_;
    const std::uint64_t slice_;
    const ScalarField& field_;
    bool bytes_are_signed_ = false;
    const std::vector<std::uint64_t> indices_;  // along the layout's other axes
    const BufferConverter native_op_;
    mutable std::string description_;
    mutable bool has_description_;
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
