// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>
#include <gdal_pam.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/base/turn.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_compat.h"
#include "driver/georef/convention.h"
#include "driver/georef/georeferencing.h"
#include "driver/multidim/array_values.h"
#include "driver/multidim/extended_type.h"

namespace zarr_driver {

class SharedResource;
class ZarrDimension;

// An array of GDAL's multidimensional API. Its dimensions are those that are stored, in their
// order. Only of an array without elements that is opened for reading the empty dimension comes
// first, and further empty ones are left out: GDAL's code for all drivers bears no other (it
// divides by the sizes, and the processor ends the program). All const methods may be called from
// several threads, and so may Write(), also at the same time; other changes need the array for
// themselves. What was deleted answers everything with an error.
class ZarrMDArray final : public GDALPamMDArray {
  public:
    // Opens the array at `path`, without reading its chunks. Errors name what is wrong with it.
    static zarr::Result<std::shared_ptr<ZarrMDArray>> Open(std::shared_ptr<SharedResource> session,
                                                           const std::string& path);
    ~ZarrMDArray() override;
    ZarrMDArray(const ZarrMDArray&) = delete;
    ZarrMDArray& operator=(const ZarrMDArray&) = delete;

    bool HasElements() const;
    // False where the empty dimension was put before the others.
    bool has_stored_order() const { return has_stored_order_; }
    // Where its raster lies; found when first asked for.
    const Georeferencing& FindGeoreferencing() const;

    bool IsWritable() const override;
    const std::string& GetFilename() const noexcept override;
    const std::vector<std::shared_ptr<GDALDimension>>& GetDimensions() const noexcept override {
        return dimensions_;
    }
    const GDALExtendedDataType& GetDataType() const noexcept override { return type_; }
    std::vector<GUInt64> GetBlockSize() const override;
    // GDAL's own divides by the sizes of dimensions.
    std::vector<size_t> GetProcessingChunkSize(size_t nMaxChunkMemory) const override;
    CSLConstList GetStructuralInfo() const noexcept override { return structural_info_.List(); }
    std::shared_ptr<GDALAttribute> GetAttribute(const std::string& osName) const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(
        CSLConstList papszOptions = nullptr) const override;
    const std::string& GetUnit() const noexcept override { return units_; }
    const void* GetRawNoDataValue() const override;
    double GetScale(bool* pbHasScale = nullptr,
                    GDALDataType* peStorageType = nullptr) const override;
    double GetOffset(bool* pbHasOffset = nullptr,
                     GDALDataType* peStorageType = nullptr) const override;
    std::shared_ptr<OGRSpatialReference> GetSpatialRef() const override;
    std::vector<std::shared_ptr<GDALMDArray>> GetCoordinateVariables() const override;
    // The smaller levels of the pyramid that this array is the base of, the largest first. GDAL
    // asks for them from 3.13 on.
    int GetOverviewCount() const ZARR_OVERRIDE_3_13;
    std::shared_ptr<GDALMDArray> GetOverview(int idx) const ZARR_OVERRIDE_3_13;
#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
    // As those of the array's raster are built; without factors they are removed. What is pending
    // of the store is stored first. Emits why it failed.
    CPLErr BuildOverviews(const char* pszResampling, int nOverviews, const int* panOverviewList,
                          GDALProgressFunc pfnProgress, void* pProgressData,
                          CSLConstList papszOptions) override;
#endif
    // Of the values that the array has now; those that were kept of others are dropped.
    CPLErr GetStatistics(bool bApproxOK, bool bForce, double* pdfMin, double* pdfMax,
                         double* pdfMean, double* pdfStdDev, GUInt64* pnValidCount,
                         GDALProgressFunc pfnProgress, void* pProgressData) override;
#if ZARR_HAS_RAW_BLOCK_INFO
    // Where a chunk is stored: the file, all of it. Of one that is absent no file, and a size of 0.
    bool GetRawBlockInfo(const uint64_t* panBlockCoordinates,
                         GDALMDArrayRawBlockInfo& info) const override;
#endif
    GDALDataset* AsClassicDataset(ZARR_AS_CLASSIC_PARAMETERS) const override;

    // Writing. Each emits why it failed.

    std::shared_ptr<GDALAttribute> CreateAttribute(const std::string& osName,
                                                   const std::vector<GUInt64>& anDimensions,
                                                   const GDALExtendedDataType& oDataType,
                                                   CSLConstList papszOptions = nullptr) override;
    bool DeleteAttribute(const std::string& osName,
                         CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_8;
    bool SetUnit(const std::string& osUnit) override;
    // By the convention that the array was made with, else as rasters have it; where the array was
    // opened for reading, in PAM.
    bool SetSpatialRef(const OGRSpatialReference* poSRS) override;
    // As the attribute `_FillValue`, and, of an array that was just created, as what it is filled
    // with, too.
    bool SetRawNoDataValue(const void* pRawNoData) override;
    bool SetOffset(double dfOffset, GDALDataType eStorageType = GDT_Unknown) override;
    bool SetScale(double dfScale, GDALDataType eStorageType = GDT_Unknown) override;
    // With every array that has one of the dimensions that change, and these.
    bool Resize(const std::vector<GUInt64>& anNewDimSizes,
                CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_7;
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    const std::shared_ptr<SharedResource>& session() const { return session_; }
    const std::string& path() const { return facts_.path; }
    // States a CRS, nullptr for none, by one of these grid mappings in the array's group where one
    // states it.
    zarr::Status Place(const OGRSpatialReference* srs,
                       const std::vector<std::string>& preferred_mappings);
    // Called by the creator of the array, with its dimensions.
    void Created(std::vector<std::shared_ptr<ZarrDimension>> dimensions, Georeferenced convention);
    // The session tells that the array is gone, has other attributes, or is another in the store.
    void Deleted() noexcept ZARR_OVERRIDE_3_8 { is_deleted_ = true; }
    void AttributeChanged(const std::string& name, zarr::json::Value attributes);
    zarr::Status Reload(const std::string& path);

  protected:
    bool SetStatistics(ZARR_SET_STATISTICS_PARAMETERS) override;
    bool IRead(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
               const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
               void* pDstBuffer) const override;
    bool IWrite(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
                const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
                const void* pSrcBuffer) override;
    bool IAdviseRead(const GUInt64* arrayStartIdx, const size_t* count,
                     CSLConstList papszOptions) const override;

  private:
    ZarrMDArray(std::shared_ptr<SharedResource> session, zarr::ArrayFacts facts,
                std::shared_ptr<const zarr::Array> array, const GDALExtendedDataType& type);

    void OrderDimensions();
    void InterpretAttributes();
    const std::vector<std::string>& LevelPaths() const;
    std::unique_ptr<GDALDataset> OpenForUpdate() const;
    zarr::Status CheckOverviews(const std::vector<int>& factors) const;
    std::vector<std::shared_ptr<GDALAttribute>> ListedAttributes() const;
    void ReadNodata();
    void FreeNodata();
    zarr::Status CheckThere() const;
    zarr::Status CheckChange() const;
    bool Report(const zarr::Status& status) const;
    zarr::Status ChangeAttribute(const char* name, std::optional<zarr::json::Value> value);
    bool IsSetByUser() const;
    zarr::json::Value ActualRange(double least, double most) const;
#if ZARR_HAS_RAW_BLOCK_INFO
    zarr::Status FindRawBlock(const uint64_t* coordinates, GDALMDArrayRawBlockInfo& info) const;
#endif
    zarr::Status RemoveNodata();
    zarr::Status StoreNodata(const void* raw);
    bool IsOutside(const void* raw, const std::string& element) const;
    zarr::Status ReplaceFillValue(const std::optional<std::string>& element);
    zarr::Status ReplaceFillOfWritten(const std::optional<std::string>& element);
    zarr::Status RemoveFillValue();
    zarr::Status OpenAnew();
    zarr::Result<std::string> StoredElement(const void* raw) const;
    zarr::Status ChangeShape(const std::vector<GUInt64>& shape);
    void ForgetStatistics();

    const std::shared_ptr<SharedResource> session_;
    zarr::ArrayFacts facts_;
    ArrayValues values_;
    std::unique_ptr<ArrayActivity> activity_;
    const GDALExtendedDataType type_;
    bool has_stored_order_ = true;
    std::vector<std::size_t> shown_;  // which of the stored dimensions dimensions_ are
    std::vector<std::shared_ptr<GDALDimension>> dimensions_;
    std::vector<std::shared_ptr<GDALAttribute>> attributes_;  // where they do not change
    CPLStringList structural_info_;
    std::string units_;
    zarr::Packing packing_;
    std::vector<std::uint8_t> nodata_;  // an element of type_; empty where there is none
    Georeferenced convention_ = Georeferenced::kEveryReader;
    std::atomic<bool> is_new_{false};  // created by this session, and nothing is written to it
    bool is_deleted_ = false;
    std::atomic<bool> has_forgotten_statistics_{false};
    zarr::Lazy<Georeferencing> georeferencing_;
    zarr::Lazy<std::vector<std::string>> level_paths_;  // of the overviews
};

}  // namespace zarr_driver
