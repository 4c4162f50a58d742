// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/json/value.h"
#include "driver/raster/band_array.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// True if a metadata item may become an attribute. False for STATISTICS_ items, because GDAL
// computes them. If an attribute with the name `name` has a special meaning, returns false and
// warns about the store at `store_path`.
bool MayBeAttribute(const std::string& store_path, const char* name);

// Attributes of a dataset's arrays and of their group. Changes are pending until Flush(). If the
// attributes of an array are not a JSON object, they never change. Not thread-safe.
class StoredAttributes {
  public:
    // `arrays` must outlive this object, and must not be empty when another method is called.
    explicit StoredAttributes(const BandArrays& arrays) : arrays_(arrays) {}
    ~StoredAttributes() = default;
    StoredAttributes(const StoredAttributes&) = delete;
    StoredAttributes& operator=(const StoredAttributes&) = delete;

    // Sets an attribute of an array; null removes the attribute.
    static void Change(BandArray& array, const char* name, zarr::json::Value value);
    void ChangeGroup(const char* name, zarr::json::Value value);

    // Sets the attribute for a metadata item; a `value` of nullptr removes the attribute. If the
    // text of the attribute does not change, the attribute keeps its JSON type.
    static void SetItem(BandArray& array, const char* name, const char* value);
    void SetGroupItem(const char* name, const char* value);

    // True if attributes of arrays have pending changes.
    bool AreOfArraysChanged() const;
    // Writes all changes. If a change fails, the next call tries again.
    zarr::Status Flush(StoreUpdate& update);

  private:
    zarr::json::Object OfGroup() const;
    void SetOfGroup(zarr::json::Object attributes);

    const BandArrays& arrays_;
    std::optional<zarr::json::Object> group_attributes_;  // nullopt until the first change
};

}  // namespace zarr_driver
