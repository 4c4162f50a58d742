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

class SharedResource;

// A group of GDAL's multidimensional API. Listing it does not open what it holds. What was deleted
// answers everything with an error.
class ZarrGroup final : public GDALGroup {
  public:
    // Use SharedResource::OpenGroup(), so that there is one object for a group.
    ZarrGroup(std::shared_ptr<SharedResource> session, const std::string& path);

    std::vector<std::string> GetMDArrayNames(CSLConstList papszOptions = nullptr) const override;
    // Lists nothing. An array that is not listed opens too: one outside of what was opened, and the
    // variable that is computed for a dimension of the group. nullptr, without an error, where
    // there is no such array. During CopyFrom() only arrays open that a caller has created in the
    // group.
    std::shared_ptr<GDALMDArray> OpenMDArray(const std::string& osName,
                                             CSLConstList papszOptions = nullptr) const override;
    std::vector<std::string> GetGroupNames(CSLConstList papszOptions = nullptr) const override;
    std::shared_ptr<GDALGroup> OpenGroup(const std::string& osName,
                                         CSLConstList papszOptions = nullptr) const override;
    // Those that belong to this group, of all its arrays: looks at their metadata. Of several that
    // share a name, the one with a coordinate array, else the first array's. Then those that were
    // created and are no array's yet.
    std::vector<std::shared_ptr<GDALDimension>> GetDimensions(
        CSLConstList papszOptions = nullptr) const override;
    std::shared_ptr<GDALAttribute> GetAttribute(const std::string& osName) const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(
        CSLConstList papszOptions = nullptr) const override;

    // Writing. Each emits why it failed.

    std::shared_ptr<GDALGroup> CreateGroup(const std::string& osName,
                                           CSLConstList papszOptions = nullptr) override;
    // The store knows a dimension by the arrays that have it; until there is one it is this
    // dataset's alone.
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
    // Since 3.13 GDAL copies no array that OpenMDArray() of the target finds.
    bool CopyFrom(const std::shared_ptr<GDALGroup>& poDstRootGroup, GDALDataset* poSrcDS,
                  const std::shared_ptr<GDALGroup>& poSrcGroup, bool bStrict, GUInt64& nCurCost,
                  GUInt64 nTotalCost, GDALProgressFunc pfnProgress, void* pProgressData,
                  CSLConstList papszOptions = nullptr) override;

    const std::string& path() const { return path_; }
    // The session tells that the group is gone, or lies elsewhere.
    void Deleted() noexcept ZARR_OVERRIDE_3_8 { is_deleted_ = true; }
    void Moved(const std::string& path);

  private:
    // Those that arrays of the group have and that are its own.
    std::vector<std::shared_ptr<GDALDimension>> DimensionsOfArrays() const;
    using Nodes = std::vector<zarr::Node>;

    // What is in front of an attribute's name in its full name.
    std::string AttributeParent() const;
    zarr::Status CheckThere() const;
    zarr::Status CheckChange() const;
    std::shared_ptr<const Nodes> Members() const;
    zarr::Result<Nodes> ListMembers() const;
    // True if a copy into the group must not take the array at `path` for its own.
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

    const std::shared_ptr<SharedResource> session_;
    std::string path_;
    bool is_deleted_ = false;
    std::atomic<int> copies_{0};  // calls of CopyFrom() that run
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Nodes> members_;
    mutable zarr::Status listing_;          // why there are none
    mutable std::uint64_t generation_ = 0;  // of the session, when they were listed
};

}  // namespace zarr_driver
