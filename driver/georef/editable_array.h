// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/fork.h"
#include "core/base/status.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/facts/array_facts.h"
#include "core/json/value.h"
#include "driver/base/open_options.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/open_node.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// Says which changes of attributes are stored.
enum class StoredChanges : std::uint8_t {
    kNone,         // none, nor a new fill value: changes are only visible
    kDifferences,  // none if an attribute gets the value back that it had before
    kAll,          // all, so that the last one replaces what other handles have stored
};

// An opened array with its facts, and the changes of nodata value, packing, units and attributes
// that GDAL's raster API and its multidimensional API have in common. Changed attributes are
// visible in facts() at once, and pending in the StoreUpdate. Methods that change the array do
// nothing, or fail, without a StoreUpdate. Not thread-safe.
class EditableArray {
  public:
    // `open_node` and `options` are those of the dataset, and must outlive this object.
    EditableArray(const OpenNode& open_node, const OpenOptions& options, RasterLayout layout)
        : open_node_(open_node), options_(options), layout_(std::move(layout)) {}
    ~EditableArray() = default;
    EditableArray(const EditableArray&) = delete;
    EditableArray& operator=(const EditableArray&) = delete;

    const RasterLayout& layout() const { return layout_; }
    RasterLayout& layout() { return layout_; }
    const zarr::ArrayFacts& facts() const { return layout_.facts; }
    const std::string& path() const { return layout_.facts.path; }
    const std::shared_ptr<const zarr::Array>& elements() const { return layout_.array; }
    // Returns the name of the array in warnings, "STORE: /PATH".
    std::string Name() const;

    // Sets the object through which changes are written; nullptr ends update mode.
    void SetUpdate(std::shared_ptr<StoreUpdate> update,
                   StoredChanges stored = StoredChanges::kDifferences) {
        update_.Set(std::move(update));
        stored_ = stored;
    }
    StoreUpdate* update() const { return update_.get(); }

    // Opens the array again after its metadata has changed.
    zarr::Status Reopen();
    // Opens the array again after the array or a dimension was renamed, resized or changed by
    // others. The axes are those of the facts. `hierarchy` reads the store.
    zarr::Status Reload(const zarr::Hierarchy& hierarchy, const std::string& path);

    // ---------------------------------------------------------------------------------------------
    // Attributes. Attributes that are not a JSON object cannot be changed.

    // Sets an attribute, or removes it if `value` is nullopt.
    void SetAttribute(std::string_view name, std::optional<zarr::json::Value> value);
    // Set an attribute of the array, or of its group. null removes the attribute. A value that the
    // attribute already has is no change.
    void ChangeAttribute(std::string_view name, zarr::json::Value value);
    void ChangeGroupAttribute(std::string_view name, zarr::json::Value value);
    // Sets the attribute for a metadata item, or removes it if `value` is nullptr. If its text does
    // not change, the attribute keeps its JSON type.
    void SetItem(std::string_view name, const char* value);
    void SetGroupItem(std::string_view name, const char* value);
    // Sets an attribute and stores it at once.
    zarr::Status StoreAttribute(const std::string& name, const zarr::json::Value& value);
    // Takes over the attributes `stored` that have no pending change, because other datasets may
    // have changed them. The attribute `kept` stays as it is.
    void TakeOver(const zarr::json::Value& stored, std::string_view kept);
    // True if attributes of the array have pending changes.
    bool HasChanges() const;
    // True if an attribute was ever changed through this object, even if it has its old value
    // again.
    bool WasChanged() const { return was_changed_; }
    // True if the attribute `name` has a pending change to another value.
    bool IsChanged(std::string_view name) const;

    // ---------------------------------------------------------------------------------------------
    // Nodata value and fill value

    // Returns the nodata value as one element of the array; see zarr::ReadNodata(). A boolean array
    // has none, because both of its values are data.
    zarr::Nodata ReadNodata() const;
    // Returns a warning if filters of the array change the nodata value `element`; see
    // NodataFilterWarning().
    std::string FilterWarning(const std::string& element) const;
    // Makes `element`, in the host's byte order, the nodata value of a field, which may be the
    // whole element. The fill value follows if no element of an absent chunk was written, or if
    // readers take it for nodata. In that case, absent chunks are stored first, so that they keep
    // their values; the result is then true. Write GDAL's dirty blocks first if the array
    // is not update()->IsUnwritten().
    zarr::Result<bool> SetNodata(const ScalarField& field, const std::string& element);
    // Removes the nodata value. A fill value that counts as nodata becomes data; returns true if
    // absent chunks were stored for this.
    zarr::Result<bool> RemoveNodata(const ScalarField& field);

    // ---------------------------------------------------------------------------------------------
    // Scale, offset and units, as CF's attributes for the whole array

    void SetScale(double scale) { SetAttribute("scale_factor", zarr::json::Value(scale)); }
    void SetOffset(double offset) { SetAttribute("add_offset", zarr::json::Value(offset)); }
    // True if the array has an attribute for scale or offset. Otherwise the raster API does not
    // store scale 1 and offset 0: xarray would read the values as floats.
    bool IsPacked() const;
    // Sets the units; an empty text removes them.
    void SetUnits(const std::string& units);

  private:
    void Change(const std::string& path, zarr::json::Value& attributes, std::string_view name,
                std::optional<zarr::json::Value> value);
    void ChangeItem(const std::string& path, zarr::json::Value& attributes, std::string_view name,
                    const char* value);
    void RemoveContradictions(std::string_view name, const std::optional<std::string>& element);
    zarr::Status ReplaceFillValue(const std::optional<std::string>& element, bool is_written);

    const OpenNode& open_node_;
    const OpenOptions& options_;
    RasterLayout layout_;
    zarr::ForkLocal<StoreUpdate> update_;
    StoredChanges stored_ = StoredChanges::kDifferences;
    bool was_changed_ = false;
};

}  // namespace zarr_driver
