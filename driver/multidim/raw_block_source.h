// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "core/references/reference.h"
#include "driver/base/gdal_compat.h"

#if ZARR_HAS_RAW_BLOCK_INFO

namespace zarr_driver {

// Shows a dataset of another driver, such as netCDF or HDF5, as a Zarr store whose chunks are the
// blocks of the dataset. Not thread-safe, because the other driver may not be thread-safe.
class RawBlockSource {
  public:
    // Makes the metadata documents of the store. Returns kUnsupported and names the array if Zarr
    // cannot express an array.
    // GDAL 3.13 returns wrong block locations if an array has absent blocks, or blocks stored in
    // another order. Open() therefore refuses arrays with absent blocks. For each array, it
    // compares some blocks at their locations with the values that GDAL reads.
    static zarr::Result<std::unique_ptr<RawBlockSource>> Open(GDALDataset& source);

    const zarr::Hierarchy& hierarchy() const { return *hierarchy_; }
    // Returns where the chunk `key` is stored: its file, offset and size. Returns the bytes of the
    // chunk if it is not in a file.
    zarr::Result<zarr::Reference> Find(const std::string& key) const;

  private:
    struct Source {
        std::shared_ptr<GDALMDArray> array;
        std::vector<std::uint64_t> blocks;  // shape of a block, in elements
        std::vector<std::uint64_t> counts;  // number of blocks along each dimension
        CPLStringList info;  // GDALMDArrayRawBlockInfo::papszInfo, equal for all blocks
    };
    class Builder;
    class BlockStore;

    RawBlockSource() = default;
    zarr::Status Verify() const;

    std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    std::map<std::string, Source> arrays_;  // by path
};

}  // namespace zarr_driver

#endif
