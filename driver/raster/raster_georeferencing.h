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

// Georeferencing of a dataset's raster. The store's georeferencing is read on first use, and users
// may set another one. Georeferencing in PAM is handled by other classes. Not thread-safe.
class RasterGeoreferencing {
  public:
    // All arguments must outlive this object. `arrays` may be empty, because a dataset without
    // bands has no georeferencing.
    RasterGeoreferencing(const Location& location, const OpenOptions& options,
                         const BandArrays& arrays)
        : location_(location), options_(options), arrays_(arrays) {}
    ~RasterGeoreferencing() = default;
    RasterGeoreferencing(const RasterGeoreferencing&) = delete;
    RasterGeoreferencing& operator=(const RasterGeoreferencing&) = delete;

    // Returns the georeferencing. The first call reads it from the store, and emits warnings about
    // invalid metadata.
    const Georeferencing& Find() const;
    // Returns the ground control points in the store. This object owns them.
    const std::vector<GDAL_GCP>& Points() const;
    // Returns the CRS of the ground control points; nullptr if unknown.
    const OGRSpatialReference* PointsSrs() const;

    // Sets the CRS that Flush() will write. nullptr, or an empty CRS, removes the CRS.
    void SetSrs(const OGRSpatialReference* srs);
    // Sets the geotransform that Flush() will write.
    void SetTransform(const zarr::GeoTransform& transform);

    // True if Flush() has changes to write.
    bool has_changed() const { return has_changed_; }
    // Returns the geotransform if it is known without reading the store, else nullopt.
    std::optional<zarr::GeoTransform> KnownTransform() const;
    // Warns that NORTH_UP=YES helps. Does so only if the rows run from south to north and GDAL's
    // last error comes from gdal_translate -projwin. That error does not mention the order of rows.
    void AdviseNorthUp(const std::string& store_path) const;
    // Marks the georeferencing as changed, because dimensions were renamed. Does nothing if the
    // georeferencing was never read.
    void DimensionsRenamed() { has_changed_ = has_changed_ || found_.has_value(); }
    // Writes changes to coordinate arrays in the group, and to attributes of the arrays. The caller
    // must store these attributes. If a change fails, the next call tries again.
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
    bool has_changed_ = false;                    // true if changed since the last Flush()
};

}  // namespace zarr_driver
