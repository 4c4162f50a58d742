// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/store/store.h"

namespace zarr_driver {

// A store that is being written: its metadata, and the arrays that have been written to.
class StoreUpdate {
  public:
    StoreUpdate(std::shared_ptr<zarr::Store> store, zarr::WriteConsolidated consolidate)
        : store_(std::move(store)), metadata_(store_, consolidate) {}

    zarr::HierarchyWriter& metadata() { return metadata_; }
    const std::shared_ptr<zarr::Store>& store() const { return store_; }

    // Makes an array, in place of one that is there, and remembers that it did.
    zarr::Status MakeArray(const std::string& path, const zarr::json::Object& document,
                           const zarr::json::Object& attributes);
    bool HasMade(const std::string& path) const;
    // Deletes what MakeArray() has made, for a creation that failed. Tries all, and returns the
    // first failure.
    zarr::Status EraseMade();

    // The writer of an array; made when first asked for. Fails where its codecs cannot encode.
    zarr::Result<zarr::ArrayWriter*> WriterOf(const std::shared_ptr<const zarr::Array>& array);
    // True once something was written to the array.
    bool HasWritten(const zarr::Array& array) const;

    // Writes the consolidated metadata and what the store has held back; to be called last.
    zarr::Status Close();

    // Drops what is pending of an array that is to be deleted, and its writer.
    void Forget(const zarr::Array& array);

    // Stores what is pending of all arrays, tries each, and returns the first failure.
    zarr::Status FlushChunks(std::size_t threads);

  private:
    const std::shared_ptr<zarr::Store> store_;
    zarr::HierarchyWriter metadata_;
    mutable std::mutex mutex_;
    std::set<std::string> made_;  // paths
    std::map<const zarr::Array*, std::unique_ptr<zarr::ArrayWriter>> writers_;
};

}  // namespace zarr_driver
