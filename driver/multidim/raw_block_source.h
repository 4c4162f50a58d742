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

// A dataset of another driver, such as netCDF or HDF5, as a Zarr store. The store has documents,
// and no chunks: the blocks of the dataset are the chunks, and Find() tells where they are. Not
// thread-safe, because the other driver may not be.
class RawBlockSource {
  public:
    // Makes the documents. kUnsupported if an array cannot be expressed; the message names it.
    static zarr::Result<std::unique_ptr<RawBlockSource>> Open(GDALDataset& source);

    const zarr::Hierarchy& hierarchy() const { return *hierarchy_; }
    // Returns the reference to a block by the key of its chunk. Absent if the dataset does not
    // store the block, and all its elements have the fill value.
    zarr::Result<zarr::Reference> Find(const std::string& key) const;

  private:
    struct Source {
        std::shared_ptr<GDALMDArray> array;
        std::vector<std::uint64_t> blocks;  // shape of a block
        CPLStringList info;                 // as all blocks of the array have it
        std::string fill;                   // element of absent blocks; empty if there are none
    };
    class Builder;

    RawBlockSource() = default;

    std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    std::map<std::string, Source> arrays_;  // by path
};

}  // namespace zarr_driver

#endif
