// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

#include "core/conventions/facts/array_facts.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class MdimSession;
struct NewDimension;

// A dimension of GDAL's multidimensional API. The store has no object for a dimension, but only its
// name in the metadata of arrays.
class ZarrDimension final : public GDALDimension {
  public:
    // Creates the object for the dimension with number `index` of an array.
    ZarrDimension(std::shared_ptr<MdimSession> session, const zarr::ArrayFacts& facts,
                  std::size_t index);
    // Creates the object for a new dimension, which no array has yet.
    ZarrDimension(std::shared_ptr<MdimSession> session, const NewDimension& created);

    // Returns the coordinate array of the dimension. If it has none, returns pixel centres computed
    // from the geotransform of the array; nullptr if the geotransform is missing or rotated.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;
    // Sets the indexing variable. In the store, it is always the array with the dimension's name.
    // Any other array gives a warning, and only this object remembers it.
    bool SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) override;
    // Renames the dimension in all arrays that have it, and its coordinate array. GDAL calls
    // Rename() since version 3.8.
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    // Returns a text that identifies the dimension within its session: group or array, stored name
    // and size.
    std::string Key() const;
    // True if the dimension's full name is "/group/name", by which GDAL finds it in its group.
    // False if it has no name, or if AvoidNameClash() was called.
    bool is_groups() const { return is_named_ && !avoids_name_clash_; }
    // Gives the dimension a full name without "/". Called if another dimension of the group has the
    // full name "/group/name".
    void AvoidNameClash();
    const std::shared_ptr<MdimSession>& session() const { return session_; }
    // Returns the path of the group that contains the dimension.
    const std::string& group() const { return group_; }
    // True if the array's metadata names the dimension.
    bool is_named() const { return is_named_; }
    // Returns the path of the array from whose metadata this object was created; empty for a new
    // dimension.
    const std::string& array_path() const { return array_path_; }
    // Returns the path of the dimension's coordinate array; empty if it has none.
    std::string CoordinatePath() const;

    // Called by the session after the dimension was resized or renamed, or after a node moved from
    // the path `from` to the path `to`.
    void Resized(std::uint64_t size) { m_nSize = size; }
    void Renamed(const std::string& name);
    void Moved(const std::string& from, const std::string& to);

  private:
    std::string ParentName() const;
    void SetFullName();
    std::shared_ptr<GDALMDArray> FromGeoTransform() const;
    zarr::Status CheckIndexing(const GDALMDArray* variable) const;

    const std::shared_ptr<MdimSession> session_;
    std::string group_;
    std::string stored_name_;  // name in the store; GetName() may return another name
    const bool is_named_;
    bool avoids_name_clash_ = false;
    std::string array_path_;
    // Path of the coordinate array in the store when this object was created.
    std::string coordinate_path_;
    // Path of the array that SetIndexingVariable() has set, if it is not the coordinate array.
    std::string indexing_path_;
    // True if this is the X dimension of the raster in the array array_path_.
    const bool is_x_ = false;
    const bool is_y_ = false;
};

}  // namespace zarr_driver
