// SPDX-License-Identifier: MIT
#include "driver/raster/raster_georeferencing.h"

#include <cpl_error.h>

#include <cstring>
#include <utility>

#include "core/conventions/crs/crs_sources.h"
#include "driver/base/gdal_errors.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

Georeferencing RasterGeoreferencing::Read(const zarr::Hierarchy& hierarchy,
                                          const zarr::ArrayFacts& facts) const {
    const RasterLayout& layout = arrays_[0]->layout();
    GeoreferencingOptions options{
        options_.assume_longlat, options_.wrap_longitude, options_.north_up, options_.threads, {}};
    options.fixed.resize(facts.dimensions.size());
    for (std::size_t i = 0; i < layout.other_axes.size(); ++i)
        options.fixed[layout.other_axes[i]] = layout.fixed[i];
    return ReadGeoreferencing(hierarchy, facts, open_node_.address, options);
}

const Georeferencing& RasterGeoreferencing::Find() const {
    if (found_) return *found_;
    found_.emplace();
    if (arrays_.empty()) return *found_;
    const zarr::ArrayFacts& facts = arrays_[0]->facts();
    const std::string& store = open_node_.address;
    found_ = Read(*open_node_.hierarchy, facts);
    EmitWarnings(store + ": /" + facts.path, found_->warnings);
    WarnOfFailure(*open_node_.hierarchy, store);
    return *found_;
}

const std::vector<GDAL_GCP>& RasterGeoreferencing::Points() const {
    const Georeferencing& placed = Find();
    if (!points_.empty() || placed.points.empty()) return points_;
    for (std::size_t i = 0; i < placed.points.size(); ++i)
        point_ids_.push_back(std::to_string(i + 1));
    static char no_info[] = "";
    for (std::size_t i = 0; i < placed.points.size(); ++i) {
        const zarr::GroundControlPoint& point = placed.points[i];
        points_.push_back({point_ids_[i].data(), no_info, point.pixel, point.line, point.x, point.y,
                           point.height});
    }
    return points_;
}

const OGRSpatialReference* RasterGeoreferencing::PointsSrs() const {
    const Georeferencing& placed = Find();
    return placed.points_srs ? &*placed.points_srs : nullptr;
}

Georeferencing& RasterGeoreferencing::Change() {
    static_cast<void>(Find());
    return *found_;
}

void RasterGeoreferencing::SetSrs(const OGRSpatialReference* srs) {
    std::optional<OGRSpatialReference>& known = Change().srs;
    is_srs_set_ = true;
    known.reset();
    if (srs == nullptr || srs->IsEmpty()) return;
    known = *srs;
    known->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
}

void RasterGeoreferencing::SetTransform(const zarr::GeoTransform& transform) {
    Change().transform = transform;
    is_transform_set_ = true;
}

void RasterGeoreferencing::ClearTransform() {
    Change().transform.reset();
    is_transform_set_ = true;
}

Status RasterGeoreferencing::Renew(const zarr::Hierarchy& current, const zarr::ArrayFacts& stored) {
    if (!found_) return {};
    zarr::ArrayFacts facts = arrays_[0]->facts();
    facts.attributes = stored.attributes;
    facts.group_attributes = stored.group_attributes;
    facts.dimensions = stored.dimensions;
    // Find() has emitted the warnings.
    Georeferencing placed = Read(current, facts);
    ZARR_RETURN_IF_ERROR(current.TakeFailure());
    if (!is_srs_set_) found_->srs = std::move(placed.srs);
    if (!is_transform_set_) found_->transform = placed.transform;
    return {};
}

RasterPosition RasterGeoreferencing::Known() const {
    RasterPosition position;
    if (found_ && found_->srs) position.srs = &*found_->srs;
    position.transform = KnownTransform();
    return position;
}

std::optional<zarr::GeoTransform> RasterGeoreferencing::KnownTransform() const {
    return found_ ? found_->transform : std::nullopt;
}

void RasterGeoreferencing::AdviseNorthUp(const std::string& store_path) const {
    const auto transform = KnownTransform();
    if (!transform || !IsSouthUp(*transform)) return;
    if (std::strstr(CPLGetLastErrorMsg(), "negative width and/or height") == nullptr) return;
    EmitWarning(store_path,
                "its rows run from south to north; open option NORTH_UP=YES, or configuration "
                "option ZARR_NORTH_UP=YES, reverses their order");
}

namespace {

// Warns if the user has removed the CRS of a raster, but the raster still gets a CRS from
// elsewhere, for example from its group.
Status WarnOfRemainingCrs(StoreUpdate& update, const zarr::ArrayFacts& facts) {
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update.store()));
    for (const zarr::CrsSource& source :
         zarr::FindCrsSources(*hierarchy, facts, zarr::AssumeLonglat::kNo)) {
        if (source.kind == zarr::CrsSource::Kind::kBroken) continue;
        EmitWarnings(update.store()->Describe() + ": /" + facts.path,
                     {"the CRS cannot be unset: " + source.origin +
                      " states it, and an array cannot state that it has none"});
        break;
    }
    return {};
}

}  // namespace

// Deletes the coordinate arrays of X and Y. Warns if they stay because other arrays use them.
Status RasterGeoreferencing::RemoveCoordinates(const CoordinateArrays& arrays) const {
    const RasterLayout& layout = arrays_[0]->layout();
    for (const auto& axis : {layout.x_axis, layout.y_axis}) {
        if (!axis || layout.facts.dimensions[*axis].coordinate_path.empty()) continue;
        const std::string path = layout.facts.dimensions[*axis].coordinate_path;
        ZARR_ASSIGN_OR_RETURN(const bool is_removed, arrays.Remove(path));
        if (!is_removed) {
            EmitWarning(arrays_[0]->Name(),
                        "the geotransform is not cleared, because other arrays use the "
                        "coordinates /" +
                            path);
            continue;
        }
        for (const auto& array : arrays_)
            array->layout().facts.dimensions[*axis].coordinate_path.clear();
    }
    return {};
}

Status RasterGeoreferencing::Write(StoreUpdate& update, GeoreferencingForm convention) const {
    const RasterPosition position = Known();
    const CoordinateArrays stored(
        update, PathsOf(arrays_),
        update.is_of_new_store() ? OtherArrays::kNone : OtherArrays::kExisting);
    if (is_transform_set_ && !position.transform) ZARR_RETURN_IF_ERROR(RemoveCoordinates(stored));
    std::vector<EditableArray*> arrays;
    for (const auto& array : arrays_) arrays.push_back(array.get());
    ZARR_RETURN_IF_ERROR(
        WritePosition(arrays, stored, position, convention, PositionParts::kAll).status());
    if (position.srs == nullptr && is_srs_set_)
        return WarnOfRemainingCrs(update, arrays_[0]->facts());
    return {};
}

Status RasterGeoreferencing::Flush(StoreUpdate& update, GeoreferencingForm convention) {
    if (has_changed()) ZARR_RETURN_IF_ERROR(Write(update, convention));
    is_srs_set_ = is_transform_set_ = is_rename_ = false;
    return {};
}

}  // namespace zarr_driver
