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

// A dimension of GDAL's multidimensional API. In the store it is a name in the arrays that have it.
class ZarrDimension final : public GDALDimension {
  public:
    // The dimension `index` of an array.
    ZarrDimension(std::shared_ptr<SharedResource> session, const zarr::ArrayFacts& facts,
                  std::size_t index);
    // One that was created.
    ZarrDimension(std::shared_ptr<SharedResource> session, const NewDimension& created);

    // The coordinate array; where there is none, but the array that the dimension was met on has a
    // geotransform without rotation, pixel centres computed from that. nullptr where there is
    // neither.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;
    // In the store the array of the dimension's name is its indexing variable. Any other array is
    // it for as long as this object lives, with a warning.
    bool SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) override;
    // In every array that has it, with its coordinate array. GDAL calls it from 3.8 on.
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;

    // What the dimensions of a session are told apart by.
    std::string Key() const;
    // True where its full name is that of its group with its name behind it, by which the group can
    // be asked for it. A dimension without a name, and one whose name the group has for another
    // one, has a full name without a leading "/".
    bool is_groups() const { return is_named_ && !has_free_name_; }
    // The session tells that the group has its name for another one.
    void TakeFreeName();
    const std::shared_ptr<SharedResource>& session() const { return session_; }
    // The path of the group that it belongs to.
    const std::string& group() const { return group_; }
    // False where nothing but its number in one array names it.
    bool is_named() const { return is_named_; }
    // The array that it was met on; empty for one that was created.
    const std::string& array_path() const { return array_path_; }
    // The path of its coordinate array; empty where there is none.
    std::string CoordinatePath() const;

    // The session tells that it has another size or name, and that nodes have another path.
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
    std::string stored_name_;  // GetName(), but of one outside of what was opened maybe another
    const bool is_named_;
    bool has_free_name_ = false;
    std::string array_path_;
    std::string coordinate_path_;  // when it was met
    std::string indexing_path_;    // of SetIndexingVariable(), where it is not a coordinate array
    const bool is_x_ = false;      // of that array's raster
    const bool is_y_ = false;
};

}  // namespace zarr_driver
