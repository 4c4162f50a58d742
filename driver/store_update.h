// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

// A store that is being written: its metadata, and the arrays that have been written to.
class StoreUpdate {
  public:
    StoreUpdate(std::shared_ptr<VsiStore> store, zarr::WriteConsolidated consolidate)
        : store_(std::move(store)), metadata_(store_, consolidate) {}

    zarr::HierarchyWriter& metadata() { return metadata_; }
    const std::shared_ptr<VsiStore>& store() const { return store_; }

    // Why the array cannot be written; ok where it can.
    zarr::Status CheckWritable(const std::shared_ptr<const zarr::Array>& array) const {
        return zarr::ArrayWriter::Open(array, store_, 0).status();
    }
    // The writer of an array; made when first asked for. Fails where its codecs cannot encode.
    zarr::Result<zarr::ArrayWriter*> WriterOf(const std::shared_ptr<const zarr::Array>& array);
    // True once something was written to the array.
    bool HasWritten(const zarr::Array& array) const;

    // Stores what is pending of all arrays, tries each, and returns the first failure.
    zarr::Status FlushChunks(std::size_t threads);

  private:
    const std::shared_ptr<VsiStore> store_;
    zarr::HierarchyWriter metadata_;
    mutable std::mutex mutex_;
    std::map<const zarr::Array*, std::unique_ptr<zarr::ArrayWriter>> writers_;
};

}  // namespace zarr_driver
