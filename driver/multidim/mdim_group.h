// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/hierarchy/hierarchy.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class MdimSession;

// A group of GDAL's multidimensional API. Listing a group does not open its members. If the group
// is deleted, every call emits an error.
class ZarrGroup final : public GDALGroup {
  public:
    // Creates a group object. Call MdimSession::OpenGroup() instead, which returns one object
    // per group.
    ZarrGroup(std::shared_ptr<MdimSession> session, const std::string& path);

    // Tells GDAL the pointer that owns this group. SubsetDimensionFromSelection() needs it.
    void SetOwner(const std::shared_ptr<GDALGroup>& owner) { ZARR_SET_SELF_OF_GROUP(owner); }

    std::vector<std::string> GetMDArrayNames(CSLConstList papszOptions = nullptr) const override;
    // Opens an array by name without listing the group. Also finds arrays outside of the opened
    // group, and indexing variables that are computed from a geotransform. Returns nullptr without
    // an error if no such array exists.
    //
    // While CopyFrom() runs, finds only arrays that callers have created in this group.
    std::shared_ptr<GDALMDArray> OpenMDArray(const std::string& osName,
                                             CSLConstList papszOptions = nullptr) const override;
    std::vector<std::string> GetGroupNames(CSLConstList papszOptions = nullptr) const override;
    std::shared_ptr<GDALGroup> OpenGroup(const std::string& osName,
                                         CSLConstList papszOptions = nullptr) const override;
    // Returns the dimensions of the group's arrays, except dimensions that belong to another group.
    // Reads the metadata of all arrays. If several dimensions have one name, returns the one with a
    // coordinate array, or else the first. Dimensions that callers have created and no array has
    // yet come last.
    std::vector<std::shared_ptr<GDALDimension>> GetDimensions(
        CSLConstList papszOptions = nullptr) const override;
    std::shared_ptr<GDALAttribute> GetAttribute(const std::string& osName) const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(
        CSLConstList papszOptions = nullptr) const override;

    // Methods that change the group. Each of them emits an error on failure.

    std::shared_ptr<GDALGroup> CreateGroup(const std::string& osName,
                                           CSLConstList papszOptions = nullptr) override;
    // Creates a dimension in memory. The dimension is not stored until an array uses it.
    std::shared_ptr<GDALDimension> CreateDimension(const std::string& osName,
                                                   const std::string& osType,
                                                   const std::string& osDirection, GUInt64 nSize,
                                                   CSLConstList papszOptions = nullptr) override;
    std::shared_ptr<GDALMDArray> CreateMDArray(
        const std::string& osName, const std::vector<std::shared_ptr<GDALDimension>>& aoDimensions,
        const GDALExtendedDataType& oDataType, CSLConstList papszOptions = nullptr) override;
    std::shared_ptr<GDALAttribute> CreateAttribute(const std::string& osName,
                                                   const std::vector<GUInt64>& anDimensions,
                                                   const GDALExtendedDataType& oDataType,
                                                   CSLConstList papszOptions = nullptr) override;
    bool DeleteGroup(const std::string& osName,
                     CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_8;
    bool DeleteMDArray(const std::string& osName,
                       CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_8;
    bool DeleteAttribute(const std::string& osName,
                         CSLConstList papszOptions = nullptr) ZARR_OVERRIDE_3_8;
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;
    // Copies a group. Since version 3.13 GDAL skips arrays that OpenMDArray() of the target group
    // finds, so existing arrays are hidden during the copy.
    bool CopyFrom(const std::shared_ptr<GDALGroup>& poDstRootGroup, GDALDataset* poSrcDS,
                  const std::shared_ptr<GDALGroup>& poSrcGroup, bool bStrict, GUInt64& nCurCost,
                  GUInt64 nTotalCost, GDALProgressFunc pfnProgress, void* pProgressData,
                  CSLConstList papszOptions = nullptr) override;

    const std::string& path() const { return path_; }
    // MdimSession calls these methods when the group was deleted or moved.
    void Deleted() noexcept ZARR_OVERRIDE_3_8 { is_deleted_ = true; }
    void Moved(const std::string& path);

  private:
    // Returns the dimensions of the group's arrays, without the dimensions that belong to another
    // group.
    std::vector<std::shared_ptr<GDALDimension>> DimensionsOfArrays() const;
    using Nodes = std::vector<zarr::Node>;

    // Returns the prefix of the full names of the group's attributes.
    std::string AttributeParent() const;
    zarr::Status CheckThere() const;
    zarr::Status CheckChange() const;
    std::shared_ptr<const Nodes> Members() const;
    zarr::Result<Nodes> ListMembers() const;
    // True if a running CopyFrom() must not find the array at `path`. GDAL would otherwise skip the
    // source's array of that name.
    bool IsHiddenFromCopies(const std::string& path) const;
    std::shared_ptr<GDALMDArray> ComputedVariable(const std::string& name) const;
    zarr::Result<std::optional<std::string>> Find(const std::string& name,
                                                  zarr::NodeKind kind) const;
    std::vector<std::string> NamesOf(zarr::NodeKind kind) const;
    zarr::Status CheckFree(const std::string& name, bool is_array) const;
    zarr::Result<std::shared_ptr<GDALGroup>> MakeGroup(const std::string& name);
    zarr::Result<std::shared_ptr<GDALDimension>> MakeDimension(const std::string& name,
                                                               const std::string& type,
                                                               const std::string& direction,
                                                               std::uint64_t size);
    zarr::Result<std::shared_ptr<GDALMDArray>> MakeArray(
        const std::string& name, const std::vector<std::shared_ptr<GDALDimension>>& dimensions,
        const GDALExtendedDataType& type, CSLConstList options);
    zarr::Status DeleteMember(const std::string& name, zarr::NodeKind kind);
    bool Report(const zarr::Status& status) const;

    const std::shared_ptr<MdimSession> session_;
    std::string path_;
    bool is_deleted_ = false;
    std::atomic<int> copies_{0};  // running calls of CopyFrom()
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Nodes> members_;
    mutable zarr::Status listing_;          // status of the last listing of the group
    mutable std::uint64_t generation_ = 0;  // MdimSession::generation() at the last listing
};

}  // namespace zarr_driver
