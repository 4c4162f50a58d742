// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>
#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/affine.h"
#include "driver/base/open_options.h"
#include "driver/georef/convention.h"
#include "driver/georef/georeferencing.h"
#include "driver/raster/band_array.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

struct RasterPosition;

// Georeferencing of a dataset's raster. The store's georeferencing is read on first use; users may
// set another one. PAM is handled elsewhere. Not thread-safe.
class RasterGeoreferencing {
  public:
    // All arguments must outlive this object. `arrays` may be empty: a dataset without bands has no
    // georeferencing.
    RasterGeoreferencing(const Location& location, const OpenOptions& options,
                         const BandArrays& arrays)
        : location_(location), options_(options), arrays_(arrays) {}
    ~RasterGeoreferencing() = default;
    RasterGeoreferencing(const RasterGeoreferencing&) = delete;
    RasterGeoreferencing& operator=(const RasterGeoreferencing&) = delete;

    // Returns the georeferencing, which is read on first use. Emits warnings about invalid
    // metadata.
    const Georeferencing& Find() const;
    // Returns the ground control points of the store; owned by this object.
    const std::vector<GDAL_GCP>& Points() const;
    // Returns the CRS of the ground control points; nullptr if unknown.
    const OGRSpatialReference* PointsSrs() const;

    // Sets the CRS that Flush() writes; nullptr or an empty CRS removes the CRS.
    void SetSrs(const OGRSpatialReference* srs);
    // Sets the geotransform that Flush() writes.
    void SetTransform(const zarr::GeoTransform& transform);

    // True if Flush() has changes to write.
    bool has_changed() const { return has_changed_; }
    // Returns the geotransform if it is known already; reads nothing.
    std::optional<zarr::GeoTransform> KnownTransform() const;
    // Recommends NORTH_UP=YES in a warning if the rows run from south to north and GDAL's last
    // error comes from gdal_translate -projwin. That error does not mention the order of rows.
    void AdviseNorthUp(const std::string& store_path) const;
    // Marks a known georeferencing as changed after its dimensions were renamed.
    void DimensionsRenamed() { has_changed_ = has_changed_ || found_.has_value(); }
    // Writes changes to coordinate arrays in the group, and to the attributes of the arrays, which
    // the caller stores. A change that fails is written again by the next call.
    zarr::Status Flush(StoreUpdate& update, Georeferenced convention);

  private:
    // Returns the georeferencing and marks it as changed.
    Georeferencing& Change();
    RasterPosition Known() const;
    zarr::Status Write(StoreUpdate& update, Georeferenced convention) const;

    const Location& location_;
    const OpenOptions& options_;
    const BandArrays& arrays_;
    mutable std::optional<Georeferencing> found_;
    mutable std::vector<GDAL_GCP> points_;
    mutable std::vector<std::string> point_ids_;  // texts that points_ refers to
    bool has_changed_ = false;                    // since the last Flush()
};

}  // namespace zarr_driver
