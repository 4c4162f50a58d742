// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_dimension.h"

#include "core/base/text.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/multidim/dimension_registry.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/node_editing.h"

namespace zarr_driver {

using zarr::AxisRole;
using zarr::Status;

namespace {

std::string TypeOf(AxisRole role) {
    switch (role) {
        case AxisRole::kX:
            return GDAL_DIM_TYPE_HORIZONTAL_X;
        case AxisRole::kY:
            return GDAL_DIM_TYPE_HORIZONTAL_Y;
        case AxisRole::kZ:
            return GDAL_DIM_TYPE_VERTICAL;
        case AxisRole::kTime:
            return GDAL_DIM_TYPE_TEMPORAL;
        default:
            return {};
    }
}

// Returns the direction in which the coordinates increase, such as "EAST" (GDAL_DIM_DIRECTION...).
// Returns an empty text if the dimension has no coordinates.
std::string DirectionOf(const zarr::Dimension& dimension) {
    if (dimension.coordinate_path.empty()) return {};
    switch (dimension.role) {
        case AxisRole::kX:
            return "EAST";
        case AxisRole::kY:
            return "NORTH";
        case AxisRole::kTime:
            return "FUTURE";
        case AxisRole::kZ: {
            const std::string* positive =
                zarr::StringAttribute(dimension.coordinate_attributes, "positive");
            if (positive == nullptr) return {};
            return EQUAL(positive->c_str(), "up")     ? "UP"
                   : EQUAL(positive->c_str(), "down") ? "DOWN"
                                                      : "";
        }
        default:
            return {};
    }
}

// Returns the name of a dimension in GDAL's API. It is the name of the coordinate array, or the
// stored name of a dimension without one. The names may differ: a coordinate array outside of the
// opened group may have another name in GDAL's API.
std::string ShownName(const MdimSession& session, const zarr::Dimension& dimension) {
    return dimension.coordinate_path.empty() ? dimension.name
                                             : session.ArrayName(dimension.coordinate_path);
}

}  // namespace

ZarrDimension::ZarrDimension(std::shared_ptr<MdimSession> session, const zarr::ArrayFacts& facts,
                             std::size_t index)
    // A dimension without a name belongs to a single array and to no group, so its parent name is
    // empty.
    : GDALDimension(
          facts.dimensions[index].is_named ? session->GroupName(facts.dimensions[index].group)
                                           : std::string(),
          ShownName(*session, facts.dimensions[index]), TypeOf(facts.dimensions[index].role),
          DirectionOf(facts.dimensions[index]), facts.dimensions[index].size),
      session_(std::move(session)),
      group_(facts.dimensions[index].group),
      stored_name_(facts.dimensions[index].name),
      is_named_(facts.dimensions[index].is_named),
      array_path_(facts.path),
      coordinate_path_(facts.dimensions[index].coordinate_path),
      is_x_(facts.axes.x == index),
      is_y_(facts.axes.y == index) {}

ZarrDimension::ZarrDimension(std::shared_ptr<MdimSession> session, const NewDimension& created)
    : GDALDimension(session->GroupName(created.group), created.name, created.type,
                    created.direction, created.size),
      session_(std::move(session)),
      group_(created.group),
      stored_name_(created.name),
      is_named_(true) {}

std::string ZarrDimension::ParentName() const {
    return is_named_ ? session_->GroupName(group_) : std::string();
}

std::string ZarrDimension::Key() const {
    const std::string owner = is_named_ ? "/" + group_ : array_path_;
    return owner + "\n" + stored_name_ + "\n" + std::to_string(m_nSize);
}

// Sets the full name. GDAL searches the groups for a dimension whose full name starts with "/". A
// dimension that GDAL would not find there, or would confuse with another one, gets a full name
// without "/".
void ZarrDimension::SetFullName() {
    const std::string parent = ParentName();
    const std::string path = (parent == "/" ? "" : parent) + "/" + m_osName;
    if (!is_named_)
        m_osFullName = m_osName;
    else if (avoids_name_clash_)
        m_osFullName = path.substr(1) + "_" + std::to_string(m_nSize);
    else
        m_osFullName = path;
}

void ZarrDimension::AvoidNameClash() {
    avoids_name_clash_ = true;
    SetFullName();
}

std::string ZarrDimension::CoordinatePath() const {
    if (session_->update() == nullptr) return coordinate_path_;
    if (!is_named_) return {};
    return zarr::FindCoordinateArray(session_->hierarchy(), group_, stored_name_, m_nSize);
}

std::shared_ptr<GDALMDArray> ZarrDimension::GetIndexingVariable() const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        const std::string path = indexing_path_.empty() ? CoordinatePath() : indexing_path_;
        if (path.empty()) return FromGeoTransform();
        auto array = session_->OpenArray(path);
        if (array.ok()) return *array;
        EmitError(session_->store_path(), array.status());
        return nullptr;
    });
}

std::shared_ptr<GDALMDArray> ZarrDimension::FromGeoTransform() const {
    // The computed variable is called like its dimension, so a dimension without a name has no
    // variable.
    if (!is_named_ || (!is_x_ && !is_y_)) return nullptr;
    const auto array = session_->OpenArray(array_path_);
    // No error is emitted here: callers that open the array get one.
    if (!array.ok()) return nullptr;
    const Georeferencing& placed = (*array)->FindGeoreferencing();
    if (!placed.transform) return nullptr;
    const zarr::GeoTransform& t = *placed.transform;
    if (t[2] != 0 || t[4] != 0) return nullptr;
    const double spacing = is_x_ ? t[1] : t[5];
    const double corner = is_x_ ? t[0] : t[3];
    // The dimension of the variable is a plain GDALDimension. An array keeps its dimensions alive,
    // and `this` would keep the whole session open.
    const std::string parent = ParentName();
    const auto dimension =
        std::make_shared<GDALDimension>(parent, m_osName, m_osType, m_osDirection, m_nSize);
    return GDALMDArrayRegularlySpaced::Create(parent, m_osName, dimension, corner, spacing, 0.5);
}

// ---------------------------------------------------------------------------------------------
// Changing a store

Status ZarrDimension::CheckIndexing(const GDALMDArray* variable) const {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate());
    if (variable == nullptr) return {};
    const std::string name = zarr::Quoted(variable->GetFullName());
    const auto* array = dynamic_cast<const ZarrMDArray*>(variable);
    if (array == nullptr || array->session() != session_)
        return Status::Invalid(name + ": not an array of this dataset");
    const auto& dimensions = variable->GetDimensions();
    if (dimensions.size() != 1 || dimensions[0]->GetSize() != m_nSize)
        return Status::Invalid(name + ": an indexing variable of dimension " + m_osName +
                               " must have one dimension of " + std::to_string(m_nSize) +
                               " elements");
    return {};
}

bool ZarrDimension::SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = CheckIndexing(poIndexingVariable.get());
        if (!status.ok()) {
            EmitError(session_->store_path(), status);
            return false;
        }
        indexing_path_.clear();
        if (poIndexingVariable == nullptr) return true;
        const std::string path = static_cast<const ZarrMDArray&>(*poIndexingVariable).path();
        if (path == CoordinatePath()) return true;
        indexing_path_ = path;
        EmitWarning(session_->store_path(),
                    "/" + path +
                        ": Zarr finds the indexing variable of a dimension by its name, so "
                        "this array is not stored as the indexing variable of dimension " +
                        m_osName);
        return true;
    });
}

bool ZarrDimension::Rename(const std::string& osNewName) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = RenameDimension(*session_, *this, osNewName);
        if (status.ok()) return true;
        EmitError(session_->store_path(), status);
        return false;
    });
}

void ZarrDimension::Renamed(const std::string& name) {
    m_osName = stored_name_ = name;
    SetFullName();
}

void ZarrDimension::Moved(const std::string& from, const std::string& to) {
    for (std::string* path : {&group_, &array_path_, &coordinate_path_, &indexing_path_})
        if (!path->empty() && zarr::IsAtOrBelow(*path, from))
            *path = to + path->substr(from.size());
    SetFullName();
}

}  // namespace zarr_driver
