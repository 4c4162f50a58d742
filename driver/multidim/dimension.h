// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

#include "core/conventions/array_facts.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class SharedResource;
struct NewDimension;

// A dimension of GDAL's multidimensional API. The store has no object for a dimension, but only its
// name in the metadata of arrays.
class ZarrDimension final : public GDALDimension {
  public:
    // Creates the dimension object for dimension number `index` of an array.
    ZarrDimension(std::shared_ptr<SharedResource> session, const zarr::ArrayFacts& facts,
                  std::size_t index);
    // Creates a dimension object for a new dimension of a caller, which is in no array yet.
    ZarrDimension(std::shared_ptr<SharedResource> session, const NewDimension& created);

    // Returns the coordinate array of the dimension. Without a coordinate array, computes the pixel
    // centres along the dimension from the geotransform of the array. Returns nullptr if the
    // geotransform is missing or rotated.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;
    // Sets the indexing variable. In the store, the indexing variable is the array with the
    // dimension's name. For any other array, emits a warning; only this object then knows the
    // indexing variable.
    bool SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) override;
    // Renames the dimension in all arrays that have it, and renames its coordinate array. GDAL
    // calls Rename() since version 3.8.
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    // Returns a text that identifies the dimension within its session: its group or array, its
    // stored name and its size.
    std::string Key() const;
    // True if the dimension has a full name "/group/name", by which GDAL finds it in its group.
    // False if the dimension has no name, or if another dimension of the group owns this full name.
    bool is_groups() const { return is_named_ && !avoids_name_clash_; }
    // Gives the dimension a full name without "/". The session calls this method if another
    // dimension of the group owns the full name "/group/name".
    void AvoidNameClash();
    const std::shared_ptr<SharedResource>& session() const { return session_; }
    // Returns the path of the group to which the dimension belongs.
    const std::string& group() const { return group_; }
    // True if the metadata of the array gives the dimension a name.
    bool is_named() const { return is_named_; }
    // Returns the path of the array from which this object was created. Empty if a caller created
    // the dimension.
    const std::string& array_path() const { return array_path_; }
    // Returns the path of the dimension's coordinate array. Empty if the dimension has no
    // coordinate array.
    std::string CoordinatePath() const;

    // The session calls these methods when the dimension was resized or renamed, or when nodes were
    // moved.
    void Resized(std::uint64_t size) { m_nSize = size; }
    void Renamed(const std::string& name);
    void Moved(const std::string& from, const std::string& to);

  private:
    std::string ParentName() const;
    void SetFullName();
    std::shared_ptr<GDALMDArray> FromGeoTransform() const;
    zarr::Status CheckIndexing(const GDALMDArray* variable) const;

    const std::shared_ptr<SharedResource> session_;
    std::string group_;
    std::string stored_name_;  // name in the store; GetName() may differ from it
    const bool is_named_;
    bool avoids_name_clash_ = false;
    std::string array_path_;
    std::string coordinate_path_;  // path found in the store when this object was created
    std::string indexing_path_;    // array from SetIndexingVariable(), if not the coordinate array
    const bool is_x_ = false;  // true if the dimension is X of the raster that array_path_ forms
    const bool is_y_ = false;
};

}  // namespace zarr_driver
