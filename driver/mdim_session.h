// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/conventions/array_facts.h"
#include "driver/location.h"
#include "driver/options.h"

namespace zarr_driver {

class ZarrMDArray;

// What the groups, arrays and dimensions of one multidimensional dataset share: the store, and each
// other. Names of the API start at the node that was opened, which is its root group; paths are
// those of the store. Thread-safe.
class MdimSession : public std::enable_shared_from_this<MdimSession> {
  public:
    MdimSession(Location location, OpenOptions options);

    const std::string& store_path() const { return location_.store_path; }
    const zarr::Hierarchy& hierarchy() const { return *location_.hierarchy; }
    const Location& location() const { return location_; }
    const OpenOptions& options() const { return options_; }
    const std::shared_ptr<GDALPamMultiDim>& pam() const { return pam_; }

    // The path of the group that is the root. Where an array was opened this is the group around
    // it, which then shows that array alone.
    const std::string& root() const { return root_; }
    // The array that was opened, or nullptr.
    const std::string* single_array() const { return is_array_ ? &location_.node : nullptr; }

    // The API's full name of a group; of one that is not below the root, the root's.
    std::string GroupName(const std::string& path) const;
    // The name of an array in its group, and with the group's in front of it.
    std::string ArrayName(const std::string& path) const;
    std::string ArrayFullName(const std::string& path) const;

    // Opens an array, or gives the object that somebody holds.
    zarr::Result<std::shared_ptr<ZarrMDArray>> OpenArray(const std::string& path);

    // The dimension `index` of an array, one object for all arrays that share it: those of one
    // group for which the store gives it the same name and size.
    std::shared_ptr<GDALDimension> DimensionOf(const zarr::ArrayFacts& facts, std::size_t index);

  private:
    const Location location_;
    const OpenOptions options_;
    const bool is_array_;
    const std::string root_;
    const std::shared_ptr<GDALPamMultiDim> pam_;
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<ZarrMDArray>> arrays_;
    std::map<std::string, std::weak_ptr<GDALDimension>> dimensions_;
};

}  // namespace zarr_driver
