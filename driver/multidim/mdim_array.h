// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>
#include <gdal_pam.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/completion.h"
#include "core/conventions/attributes/attributes.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_compat.h"
#include "driver/georef/editable_array.h"
#include "driver/georef/georeferencing.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/multidim/array_values.h"
#include "driver/multidim/raw_nodata.h"

namespace zarr_driver {

class MdimSession;
class ZarrDimension;

// An array of GDAL's multidimensional API, with its dimensions in the stored order. Exception: a
// read-only array with empty dimensions shows one of them first and hides the others. GDAL's
// generic code divides by the sizes of dimensions, and allows a size of 0 only for the first
// dimension.
//
// Const methods and Write() may be called from several threads at once. Other changes need
// exclusive access. If the array is deleted, every call emits an error.
class ZarrMDArray final : public GDALPamMDArray {
  public:
    // Opens the array at `path` without reading its chunks. Errors name the fault in the metadata.
    static zarr::Result<std::shared_ptr<ZarrMDArray>> Open(std::shared_ptr<MdimSession> session,
                                                           const std::string& path);
    ~ZarrMDArray() override = default;
    ZarrMDArray(const ZarrMDArray&) = delete;
    ZarrMDArray& operator=(const ZarrMDArray&) = delete;

    bool HasElements() const;
    // False if the array is shown with its dimensions reordered or omitted, because a dimension is
    // empty.
    bool has_stored_order() const { return has_stored_order_; }
    // Returns CRS and geotransform of the raster that the array forms. Computes both at the first
    // call.
    const Georeferencing& FindGeoreferencing() const;

    bool IsWritable() const override;
    const std::string& GetFilename() const noexcept override;
    const std::vector<std::shared_ptr<GDALDimension>>& GetDimensions() const noexcept override {
        return dimensions_;
    }
    const GDALExtendedDataType& GetDataType() const noexcept override { return type_; }
    std::vector<GUInt64> GetBlockSize() const override;
    // Returns the result of GDAL's implementation, except if a dimension has size 0. GDAL would
    // divide by 0, so the result is computed here.
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
    // Return the overviews of the array: the smaller levels of its pyramid, largest first. An array
    // has overviews if it is the largest level of a pyramid. GDAL calls these methods since version
    // 3.13.
    int GetOverviewCount() const ZARR_OVERRIDE_3_13;
    std::shared_ptr<GDALMDArray> GetOverview(int idx) const ZARR_OVERRIDE_3_13;
#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
    // Builds overviews as the array's raster dataset does. An empty list of factors deletes the
    // overviews. Pending changes of the store are written first. Emits an error on failure.
    CPLErr BuildOverviews(const char* pszResampling, int nOverviews, const int* panOverviewList,
                          GDALProgressFunc pfnProgress, void* pProgressData,
                          CSLConstList papszOptions) override;
#endif
    // Returns statistics of the current elements. Statistics in PAM are discarded first if they are
    // older than the elements.
    CPLErr GetStatistics(bool bApproxOK, bool bForce, double* pdfMin, double* pdfMax,
                         double* pdfMean, double* pdfStdDev, GUInt64* pnValidCount,
                         GDALProgressFunc pfnProgress, void* pProgressData) override;
#if ZARR_HAS_RAW_BLOCK_INFO
    // Returns the file, the offset and the size in bytes of a chunk. For an absent chunk returns no
    // file and size 0.
    bool GetRawBlockInfo(const uint64_t* panBlockCoordinates,
                         GDALMDArrayRawBlockInfo& info) const override;
#endif
    GDALDataset* AsClassicDataset(ZARR_AS_CLASSIC_PARAMETERS) const override;

    // Methods that change the array. Each of them emits an error on failure.

    std::shared_ptr<GDALAttribute> CreateAttribute(const std::string& osName,
                                                   const std::vector<GUInt64>& anDimensions,
                                                   const GDALExtendedDataType& oDataType,
                                                   CSLConstList papszOptions = nullptr) override;
    bool DeleteAttribute(const std::string& osName,
                         CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_8;
    bool SetUnit(const std::string& osUnit) override;
    // Writes the CRS by the convention that was chosen when the array was created. The default is
    // the convention for rasters. If the array is read-only, stores the CRS in PAM.
    bool SetSpatialRef(const OGRSpatialReference* poSRS) override;
    // Sets the attribute `_FillValue`. If the array was just created, also sets the fill value in
    // its metadata.
    bool SetRawNoDataValue(const void* pRawNoData) override;
    bool SetOffset(double dfOffset, GDALDataType eStorageType = GDT_Unknown) override;
    bool SetScale(double dfScale, GDALDataType eStorageType = GDT_Unknown) override;
    // Resizes this array and all arrays that share one of the changed dimensions.
    bool Resize(const std::vector<GUInt64>& anNewDimSizes,
                CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_7;
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    const std::shared_ptr<MdimSession>& session() const { return session_; }
    const std::string& path() const { return array_.path(); }
    // Writes the CRS `srs` of the array; nullptr removes the CRS. If one of the grid mappings
    // `preferred_mappings`, which are in the array's group, states `srs`, that grid mapping is
    // used.
    zarr::Status WriteCrs(const OGRSpatialReference* srs,
                          const std::vector<std::string>& preferred_mappings);
    // Sets the dimension objects of a new array, and the convention by which its CRS will be
    // written. Must be called once, by the code that creates the array.
    void Created(std::vector<std::shared_ptr<ZarrDimension>> dimensions,
                 GeoreferencingForm convention);
    // Sets an attribute, or removes it if `value` is nullopt. The session must be open for update.
    zarr::Status ChangeAttribute(const std::string& name, std::optional<zarr::json::Value> value);
    // The session calls these methods when the array was deleted, or when its path or metadata
    // changed.
    void Deleted() noexcept ZARR_OVERRIDE_3_8 { is_deleted_ = true; }
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
    ZarrMDArray(std::shared_ptr<MdimSession> session, RasterLayout layout,
                const GDALExtendedDataType& type);

    void OrderDimensions();
    zarr::Status ReadAttributes();
    void ReadConventions();
    const std::vector<std::string>& Overviews() const;  // paths, largest first
    std::vector<std::shared_ptr<GDALAttribute>> ListedAttributes() const;
    zarr::Status CheckThere() const;
    zarr::Status CheckChange() const;
    bool Report(const zarr::Status& status) const;
    // Change the array by `change`. ChangeFacts() then reads facts of the array again. Emit an
    // error on failure.
    bool Try(const std::function<zarr::Status()>& change);
    bool ChangeFacts(const std::function<zarr::Status()>& change);
    zarr::Status StoreNodata(const void* raw);
    void ForgetStatistics();

    const std::shared_ptr<MdimSession> session_;
    EditableArray array_;
    ArrayValues values_;
    std::unique_ptr<ArrayActivity> activity_;
    const GDALExtendedDataType type_;
    RawNodata nodata_;
    bool has_stored_order_ = true;
    std::vector<std::size_t> shown_;  // for each of dimensions_, its index in the stored shape
    std::vector<std::shared_ptr<GDALDimension>> dimensions_;
    // Attributes as they were at opening. Not used in update mode, which reads the attributes at
    // each call.
    std::vector<std::shared_ptr<GDALAttribute>> attributes_;
    CPLStringList structural_info_;
    std::string units_;
    zarr::Packing packing_;
    GeoreferencingForm convention_ = GeoreferencingForm::kEveryReader;
    bool is_deleted_ = false;
    std::atomic<bool> has_forgotten_statistics_{false};
    zarr::Lazy<Georeferencing> georeferencing_;
    zarr::Lazy<std::vector<std::string>> overviews_;  // paths
};

}  // namespace zarr_driver
