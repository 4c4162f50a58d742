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

// A dimension of GDAL's multidimensional API. In the store a dimension is only a name in the
// metadata of its arrays.
class ZarrDimension final : public GDALDimension {
  public:
    // Creates the dimension with number `index` of an array.
    ZarrDimension(std::shared_ptr<SharedResource> session, const zarr::ArrayFacts& facts,
                  std::size_t index);
    // Creates a dimension that a caller has added and that no array has yet.
    ZarrDimension(std::shared_ptr<SharedResource> session, const NewDimension& created);

    // Returns the coordinate array of the dimension. Without one, returns pixel centres computed
    // from the array's geotransform, if that has no rotation. Otherwise returns nullptr.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;
    // Sets the indexing variable. Zarr stores only an array with the dimension's name as its
    // indexing variable. Any other array counts until this object is destroyed, and a warning is
    // emitted.
    bool SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) override;
    // Renames the dimension in all arrays that have it, and renames its coordinate array. GDAL
    // calls this method from version 3.8 on.
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    // Returns a text that is unique for each dimension of a session.
    std::string Key() const;
    // True if the full name is "/group/name", by which GDAL finds the dimension in its group. The
    // full name has no leading "/" if the dimension has no name, or if another dimension of the
    // group has its name.
    bool is_groups() const { return is_named_ && !avoids_name_clash_; }
    // Called by the session if another dimension of the group has the same name.
    void AvoidNameClash();
    const std::shared_ptr<SharedResource>& session() const { return session_; }
    // Returns the path of the group to which the dimension belongs.
    const std::string& group() const { return group_; }
    // False if the metadata of the array gives the dimension no name.
    bool is_named() const { return is_named_; }
    // Returns the path of the array from which the dimension was created; empty if a caller created
    // it.
    const std::string& array_path() const { return array_path_; }
    // Returns the path of the coordinate array; empty if there is no coordinate array.
    std::string CoordinatePath() const;

    // Called by the session after the dimension was resized or renamed, or after nodes were moved.
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
