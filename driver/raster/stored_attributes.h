// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/json/value.h"
#include "driver/raster/band_array.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// False for an item of metadata that is not to be an attribute: what GDAL derives by itself, and,
// with a warning about the store at `store_path`, what means something else.
bool MayBeAttribute(const std::string& store_path, const char* name);

// The attributes of the arrays of a dataset, and of the group around them, as they are to be in the
// store: changes gather until Flush(). Where those of an array are no object nothing changes. Not
// thread-safe, as datasets are not.
class StoredAttributes {
  public:
    // The arrays outlive it; there are some when a method is called.
    explicit StoredAttributes(const BandArrays& arrays) : arrays_(arrays) {}
    ~StoredAttributes() = default;
    StoredAttributes(const StoredAttributes&) = delete;
    StoredAttributes& operator=(const StoredAttributes&) = delete;

    // Sets an attribute; null removes it.
    static void Change(BandArray& array, const char* name, zarr::json::Value value);
    void ChangeGroup(const char* name, zarr::json::Value value);

    // Sets, or with nullptr removes, the attribute that gives an item of metadata. A value that
    // reads as it did keeps its type.
    static void SetItem(BandArray& array, const char* name, const char* value);
    void SetGroupItem(const char* name, const char* value);

    // True where attributes of arrays are to be written.
    bool AreOfArraysChanged() const;
    // Writes what has changed. What fails is tried again by the next call.
    zarr::Status Flush(StoreUpdate& update);

  private:
    zarr::json::Object OfGroup() const;
    void SetOfGroup(zarr::json::Object attributes);

    const BandArrays& arrays_;
    std::optional<zarr::json::Object> group_attributes_;  // once changed
};

}  // namespace zarr_driver
