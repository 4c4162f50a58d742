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

// Where the raster of a dataset lies: as the store says it, which is read when it is first asked
// for, until a user says something else. What GDAL keeps of that beside the store (PAM) is not its
// business. Not thread-safe, as datasets are not.
class RasterPlace {
  public:
    // All outlive it. `arrays` may be empty, as of a dataset without bands, which lies nowhere.
    RasterPlace(const Location& location, const OpenOptions& options, const BandArrays& arrays)
        : location_(location), options_(options), arrays_(arrays) {}
    ~RasterPlace() = default;
    RasterPlace(const RasterPlace&) = delete;
    RasterPlace& operator=(const RasterPlace&) = delete;

    // Emits warnings of what is broken when it reads.
    const Georeferencing& Find() const;
    // The control points that the store has; owned by this, as their texts are.
    const std::vector<GDAL_GCP>& Points() const;
    // Their CRS; nullptr where there are none.
    const OGRSpatialReference* PointsSrs() const;

    // Says something else, which Flush() writes. A CRS that is nullptr or empty says none.
    void SetSrs(const OGRSpatialReference* srs);
    void SetTransform(const zarr::GeoTransform& transform);

    // True where Flush() would write.
    bool has_changed() const { return has_changed_; }
    // What is known of the transform, without reading.
    std::optional<zarr::GeoTransform> KnownTransform() const;
    // Warns how to get rows that go south where GDAL's last error is gdal_translate's, whose
    // -projwin wants them and does not say so.
    void AdviseNorthUp(const std::string& store_path) const;
    // The dimensions have other names, by which what is known is to be written anew.
    void DimensionsRenamed() { has_changed_ = has_changed_ || found_.has_value(); }
    // Writes what has changed: to arrays beside the raster, and to the attributes of its arrays,
    // which the caller writes. What fails is tried again by the next call.
    zarr::Status Flush(StoreUpdate& update, Georeferenced convention);

  private:
    // Like Find(), to be changed.
    Georeferencing& Change();
    RasterPosition Known() const;
    zarr::Status Write(StoreUpdate& update, Georeferenced convention) const;

    const Location& location_;
    const OpenOptions& options_;
    const BandArrays& arrays_;
    mutable std::optional<Georeferencing> found_;
    mutable std::vector<GDAL_GCP> points_;
    mutable std::vector<std::string> point_ids_;  // what points_ refers to
    bool has_changed_ = false;                    // since it was written
};

}  // namespace zarr_driver
