// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

class MdimSession;

// A group of GDAL's multidimensional API. Listing it does not open what it holds.
class ZarrGroup final : public GDALGroup {
  public:
    // The root.
    static std::shared_ptr<ZarrGroup> Root(std::shared_ptr<MdimSession> session);

    std::vector<std::string> GetMDArrayNames(CSLConstList papszOptions = nullptr) const override;
    // nullptr, without an error, where the group has no such array.
    std::shared_ptr<GDALMDArray> OpenMDArray(const std::string& osName,
                                             CSLConstList papszOptions = nullptr) const override;
    std::vector<std::string> GetGroupNames(CSLConstList papszOptions = nullptr) const override;
    std::shared_ptr<GDALGroup> OpenGroup(const std::string& osName,
                                         CSLConstList papszOptions = nullptr) const override;
    // Those that belong to this group, of all its arrays: looks at their metadata. Of several that
    // share a name, the one with a coordinate array, else the first array's.
    std::vector<std::shared_ptr<GDALDimension>> GetDimensions(
        CSLConstList papszOptions = nullptr) const override;
    std::shared_ptr<GDALAttribute> GetAttribute(const std::string& osName) const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(
        CSLConstList papszOptions = nullptr) const override;

  private:
    ZarrGroup(std::shared_ptr<MdimSession> session, const std::string& parent,
              const std::string& name, std::string path);

    const std::vector<zarr::Node>& Members() const;
    const zarr::Node* Find(const std::string& name, zarr::NodeKind kind) const;
    std::vector<std::string> NamesOf(zarr::NodeKind kind) const;

    const std::shared_ptr<MdimSession> session_;
    const std::string path_;
    mutable std::mutex mutex_;
    mutable std::optional<std::vector<zarr::Node>> members_;
};

}  // namespace zarr_driver
