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

    // Returns the coordinate array of the dimension. If the dimension has no coordinate array,
    // returns an array of pixel centres that is computed from the geotransform. Returns nullptr if
    // the geotransform is missing or has a rotation.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;
    // Sets the indexing variable. If the array has the dimension's name, it is an indexing variable
    // in the store, too. For any other array, emits a warning, and forgets the array when this
    // object is destroyed.
    bool SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) override;
    // Renames the dimension in all arrays that have it, and renames its coordinate array. GDAL
    // calls Rename() since version 3.8.
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    // Returns a text that identifies the dimension within its session.
    std::string Key() const;
    // True if GDAL can find the dimension in its group by the full name "/group/name". False if the
    // dimension has no name, or if another dimension of the group has the same name. The full name
    // then does not start with "/".
    bool is_groups() const { return is_named_ && !avoids_name_clash_; }
    // Gives the dimension a full name without "/". The session calls this method if another
    // dimension of the group has the name.
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
    std::string stored_name_;  // may differ from GetName() outside of the opened group
    const bool is_named_;
    bool avoids_name_clash_ = false;
    std::string array_path_;
    std::string coordinate_path_;  // as found when the object was created
    std::string indexing_path_;    // set by SetIndexingVariable() unless the coordinate array
    const bool is_x_ = false;      // X axis of the raster of array_path_
    const bool is_y_ = false;
};

}  // namespace zarr_driver
