// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/json/value.h"
#include "driver/raster/band_array.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// True if the metadata item `name` may become an attribute. False for STATISTICS_ items, which GDAL
// computes. If an attribute `name` has a special meaning, warns about the store at `store_path` and
// returns false.
bool MayBeAttribute(const std::string& store_path, const char* name);

// Attributes of the arrays of a dataset and of their group. Changes are pending until Flush().
// Attributes that are not a JSON object cannot be changed. Not thread-safe.
class StoredAttributes {
  public:
    // `arrays` must outlive this object. It may be empty now, but not when another method is
    // called.
    explicit StoredAttributes(const BandArrays& arrays) : arrays_(arrays) {}
    ~StoredAttributes() = default;
    StoredAttributes(const StoredAttributes&) = delete;
    StoredAttributes& operator=(const StoredAttributes&) = delete;

    // Sets an attribute of an array, or removes it if the value is null.
    static void Change(BandArray& array, const char* name, zarr::json::Value value);
    void ChangeGroup(const char* name, zarr::json::Value value);
    // Takes over the stored attributes of an array that have no pending change. Other datasets may
    // have changed them. PAM stays, because the dataset keeps its own elements of PAM.
    static void TakeOver(BandArray& array, const zarr::json::Value& stored);
    // Sets an attribute of an array and stores it at once.
    static zarr::Status Store(BandArray& array, const std::string& name,
                              const zarr::json::Value& value, StoreUpdate& update);

    // Sets the attribute for a metadata item, or removes it if `value` is nullptr. If its text does
    // not change, the attribute keeps its JSON type.
    static void SetItem(BandArray& array, const char* name, const char* value);
    void SetGroupItem(const char* name, const char* value);

    // True if attributes of any array have pending changes.
    bool AreOfArraysChanged() const;
    // Stores all pending changes. A change that fails stays pending.
    zarr::Status Flush(StoreUpdate& update);

  private:
    zarr::json::Object OfGroup() const;
    void SetOfGroup(zarr::json::Object attributes);

    const BandArrays& arrays_;
    // Attributes of the group before the pending changes; nullopt if no change is pending.
    std::optional<zarr::json::Object> group_before_;
};

}  // namespace zarr_driver
