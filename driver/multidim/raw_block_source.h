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
// blocks of the dataset. Not thread-safe, because the other driver may not be.
class RawBlockSource {
  public:
    // Makes the metadata documents of the store. Returns kUnsupported if an array cannot be
    // expressed in Zarr; the message names the array.
    // GDAL 3.13 states wrong locations if blocks are absent or stored in another order. An array
    // with absent blocks is therefore refused. Some blocks of each array are compared with the
    // values that GDAL reads.
    static zarr::Result<std::unique_ptr<RawBlockSource>> Open(GDALDataset& source);

    const zarr::Hierarchy& hierarchy() const { return *hierarchy_; }
    // Returns the reference to the chunk under `key`: its file, offset and size, or its bytes.
    zarr::Result<zarr::Reference> Find(const std::string& key) const;

  private:
    struct Source {
        std::shared_ptr<GDALMDArray> array;
        std::vector<std::uint64_t> blocks;  // shape of a block
        std::vector<std::uint64_t> counts;  // blocks along each dimension
        CPLStringList info;                 // encoding of all blocks, as GDAL states it
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
