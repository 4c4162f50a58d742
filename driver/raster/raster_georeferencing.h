// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>
#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/base/open_options.h"
#include "driver/georef/georeferencing.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/raster/band_array.h"
#include "driver/store/open_node.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class CoordinateArrays;
struct RasterPosition;

// Georeferencing of a dataset's raster, except what GDAL keeps in PAM. Reads the store's
// georeferencing on first use; users may change it. Not thread-safe.
class RasterGeoreferencing {
  public:
    // All arguments must outlive this object. A dataset without bands has empty `arrays` and no
    // georeferencing.
    RasterGeoreferencing(const OpenNode& open_node, const OpenOptions& options,
                         const BandArrays& arrays)
        : open_node_(open_node), options_(options), arrays_(arrays) {}
    ~RasterGeoreferencing() = default;
    RasterGeoreferencing(const RasterGeoreferencing&) = delete;
    RasterGeoreferencing& operator=(const RasterGeoreferencing&) = delete;

    // Returns the georeferencing. The first call reads the store, and warns about invalid metadata.
    const Georeferencing& Find() const;
    // Returns the ground control points in the store. This object owns them.
    const std::vector<GDAL_GCP>& Points() const;
    // Returns the CRS of the ground control points; nullptr if unknown.
    const OGRSpatialReference* PointsSrs() const;

    // True if the raster's first row is the last row of the array, because of the open option
    // NORTH_UP.
    bool IsFlipped() const {
        return options_.north_up && (is_flipped_ ? *is_flipped_ : Find().is_flipped);
    }
    // Makes an overview or mask show its rows in the order of the raster `base`.
    void FollowFlip(const RasterGeoreferencing& base) { is_flipped_ = base.IsFlipped(); }
    // True if the open option WRAP_LONGITUDE changes the order of columns.
    bool IsRolled() const { return options_.wrap_longitude && Find().rolled_columns != 0; }

    // Sets the CRS that Flush() will write. nullptr, or an empty CRS, removes the CRS.
    void SetSrs(const OGRSpatialReference* srs);
    // Sets the geotransform that Flush() will write.
    void SetTransform(const zarr::GeoTransform& transform);

    // Removes the geotransform. Flush() deletes the coordinate arrays of X and Y, unless other
    // arrays use them.
    void ClearTransform();

    // True if Flush() has changes to write.
    bool has_changed() const { return is_srs_set_ || is_transform_set_ || is_rename_; }
    // Reads again what no method has set since the last Flush(), because other datasets may have
    // changed it. `stored` are the facts of the first array in `current`, which reads the store.
    zarr::Status Renew(const zarr::Hierarchy& current, const zarr::ArrayFacts& stored);
    // Returns the geotransform; nullopt if finding it needs a read from the store.
    std::optional<zarr::GeoTransform> KnownTransform() const;
    // Advises NORTH_UP=YES if gdal_translate -projwin has just failed because rows run from south
    // to north, which GDAL's own error does not say.
    void AdviseNorthUp(const std::string& store_path) const;
    // Makes the next Flush() write the georeferencing, because dimensions were renamed. Does
    // nothing if the georeferencing was never read.
    void DimensionsRenamed() { is_rename_ = is_rename_ || found_.has_value(); }
    // Writes changes to coordinate arrays in the group, and changes attributes of the raster's
    // arrays, which the caller must store. If this fails, the next call tries again.
    zarr::Status Flush(StoreUpdate& update, GeoreferencingForm convention);

  private:
    Georeferencing Read(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts) const;
    // Returns the georeferencing for a change.
    Georeferencing& Change();
    RasterPosition Known() const;
    zarr::Status Write(StoreUpdate& update, GeoreferencingForm convention) const;
    zarr::Status RemoveCoordinates(const CoordinateArrays& arrays) const;

    const OpenNode& open_node_;
    const OpenOptions& options_;
    const BandArrays& arrays_;
    std::optional<bool> is_flipped_;  // nullopt until FollowFlip() is called
    mutable std::optional<Georeferencing> found_;
    mutable std::vector<GDAL_GCP> points_;
    mutable std::vector<std::string> point_ids_;  // strings that the elements of points_ point to
    // Changes that Flush() must write: parts of the position that were set, or all of it because
    // dimensions were renamed.
    bool is_srs_set_ = false;
    bool is_transform_set_ = false;
    bool is_rename_ = false;
};

}  // namespace zarr_driver
