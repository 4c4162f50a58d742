// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/json/value.h"
#include "driver/raster/band_array.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// False if a metadata item must not become an attribute. GDAL computes STATISTICS_ items by itself.
// The name of an attribute with a meaning of its own gives a warning about the store at
// `store_path`.
bool MayBeAttribute(const std::string& store_path, const char* name);

// Attributes of the arrays of a dataset and of their group. Changes are buffered until Flush().
// Attributes of an array that are not a JSON object never change. Not thread-safe.
class StoredAttributes {
  public:
    // `arrays` must outlive this object, and must not be empty when a method is called.
    explicit StoredAttributes(const BandArrays& arrays) : arrays_(arrays) {}
    ~StoredAttributes() = default;
    StoredAttributes(const StoredAttributes&) = delete;
    StoredAttributes& operator=(const StoredAttributes&) = delete;

    // Sets an attribute of an array; null removes the attribute.
    static void Change(BandArray& array, const char* name, zarr::json::Value value);
    void ChangeGroup(const char* name, zarr::json::Value value);

    // Sets the attribute of a metadata item; nullptr removes the attribute. An attribute keeps its
    // type if its text does not change.
    static void SetItem(BandArray& array, const char* name, const char* value);
    void SetGroupItem(const char* name, const char* value);

    // True if attributes of arrays have changes to write.
    bool AreOfArraysChanged() const;
    // Writes all changes. A change that fails is written again by the next call.
    zarr::Status Flush(StoreUpdate& update);

  private:
    zarr::json::Object OfGroup() const;
    void SetOfGroup(zarr::json::Object attributes);

    const BandArrays& arrays_;
    std::optional<zarr::json::Object> group_attributes_;  // set by the first change
};

}  // namespace zarr_driver
