// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>
#include <gdal_pam.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/values.h"
#include "driver/extended_op.h"
#include "driver/gdal_compat.h"
#include "driver/georeferencing.h"

namespace zarr_driver {

class MdimSession;

// An array of GDAL's multidimensional API. All const methods may be called from several threads.
class ZarrMDArray final : public GDALPamMDArray {
  public:
    // Opens the array at `path`, without reading its chunks. Errors name what is wrong with it.
    static zarr::Result<std::shared_ptr<ZarrMDArray>> Open(std::shared_ptr<MdimSession> session,
                                                           const std::string& path);
    ~ZarrMDArray() override;
    ZarrMDArray(const ZarrMDArray&) = delete;
    ZarrMDArray& operator=(const ZarrMDArray&) = delete;

    // Where its raster lies; found when first asked for.
    const Georeferencing& Placed() const;

    bool IsWritable() const override { return false; }
    const std::string& GetFilename() const override;
    const std::vector<std::shared_ptr<GDALDimension>>& GetDimensions() const override {
        return dimensions_;
    }
    const GDALExtendedDataType& GetDataType() const override { return type_; }
    std::vector<GUInt64> GetBlockSize() const override;
    CSLConstList GetStructuralInfo() const override { return structural_info_.List(); }
    std::shared_ptr<GDALAttribute> GetAttribute(const std::string& osName) const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(
        CSLConstList papszOptions = nullptr) const override;
    const std::string& GetUnit() const override { return units_; }
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
    GDALDataset* AsClassicDataset(ZARR_AS_CLASSIC_PARAMETERS) const override;

  protected:
    bool IRead(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
               const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
               void* pDstBuffer) const override;
    bool IAdviseRead(const GUInt64* arrayStartIdx, const size_t* count,
                     CSLConstList papszOptions) const override;

  private:
    ZarrMDArray(std::shared_ptr<MdimSession> session, zarr::ArrayFacts facts,
                std::shared_ptr<const zarr::Array> array, const GDALExtendedDataType& type);

    void InterpretAttributes();
    const std::vector<std::string>& LevelPaths() const;
    void SetNodata();
    zarr::Status ReadRegion(const zarr::Region& region, const zarr::Strides& strides,
                            const GDALExtendedDataType& buffer_type, std::uint8_t* data) const;
    zarr::Status Advise(const zarr::Region& region, CSLConstList options) const;

    const std::shared_ptr<MdimSession> session_;
    const zarr::ArrayFacts facts_;
    const std::shared_ptr<const zarr::Array> array_;
    const zarr::DataType stored_;  // the dtype, with `_Unsigned` taken into account
    const GDALExtendedDataType type_;
    std::vector<std::shared_ptr<GDALDimension>> dimensions_;
    std::vector<std::shared_ptr<GDALAttribute>> attributes_;
    CPLStringList structural_info_;
    std::string units_;
    zarr::Packing packing_;
    std::vector<std::uint8_t> nodata_;  // an element of type_; empty where there is none
    mutable std::mutex mutex_;
    mutable std::optional<Georeferencing> georeferencing_;
    mutable std::optional<std::vector<std::string>> level_paths_;  // of the overviews
};

}  // namespace zarr_driver
