// SPDX-License-Identifier: MIT
// Methods of ZarrMDArray that write the unit, the scale, the CRS and the nodata value.
#include <cpl_string.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/array_facts.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_types.h"
#include "driver/georef/array_position.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

bool ZarrMDArray::Change(const std::function<Status()>& change) {
    return Guarded(session_->store_path(), [&]() -> bool {
        Status status = CheckChange();
        // Attributes that are not a JSON object cannot be changed.
        if (status.ok()) status = session_->update()->Attributes(array_.path()).status();
        if (!status.ok()) return Report(status);
        status = change();
        ReadConventions();
        return Report(status);
    });
}

bool ZarrMDArray::SetUnit(const std::string& osUnit) {
    return Change([&]() -> Status {
        if (!values_.stored().is_time())
            array_.SetUnits(osUnit);
        else if (osUnit != units_)
            return Status::Unsupported("/" + array_.path() + ": the unit is fixed by dtype " +
                                       values_.stored().ToString());
        return {};
    });
}

bool ZarrMDArray::SetScale(double dfScale, GDALDataType /*eStorageType*/) {
    return Change([&]() -> Status {
        array_.SetScale(dfScale);
        return {};
    });
}

bool ZarrMDArray::SetOffset(double dfOffset, GDALDataType /*eStorageType*/) {
    return Change([&]() -> Status {
        array_.SetOffset(dfOffset);
        return {};
    });
}

bool ZarrMDArray::SetRawNoDataValue(const void* pRawNoData) {
    return Change([&]() -> Status {
        const ScalarField whole{"", 0, array_.facts().metadata.dtype};
        if (pRawNoData == nullptr) return array_.RemoveNodata(whole).status();
        ZARR_ASSIGN_OR_RETURN(const auto element, nodata_.Stored(pRawNoData));
        if (element) return array_.SetNodata(whole, *element).status();
        session_->update()->Warn(
            array_.path(),
            NodataOutOfRange(CPLSPrintf("%.17g", nodata_.Number(pRawNoData)), values_.stored()));
        return array_.RemoveNodata(whole).status();
    });
}

Status ZarrMDArray::WriteCrs(const OGRSpatialReference* srs,
                             const std::vector<std::string>& preferred_mappings) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    StoreUpdate& update = *session_->update();
    // Other datasets may have changed attributes since the array was opened.
    ZARR_ASSIGN_OR_RETURN(json::Value stored, update.Attributes(array_.path()));
    array_.TakeOver(
        zarr::InterpretAttributes(session_->stored_hierarchy(), array_.facts(), std::move(stored))
            .value);
    ZARR_ASSIGN_OR_RETURN(
        const GeoreferencingArrays written,
        WritePosition({&array_}, CoordinateArrays(update, {array_.path()}, OtherArrays::kAny),
                      {srs, std::nullopt, preferred_mappings}, convention_, PositionParts::kCrs));
    session_->NodesChanged();
    if (srs != nullptr && !written.grid_mapping.empty())
        session_->pending_grid_mappings().Add(array_.path(), *srs);
    return {};
}

bool ZarrMDArray::SetSpatialRef(const OGRSpatialReference* poSRS) {
    return Guarded(session_->store_path(), [&]() -> bool {
        if (!IsWritable()) return GDALPamMDArray::SetSpatialRef(poSRS);
        const bool is_some = poSRS != nullptr && !poSRS->IsEmpty();
        const Status status = WriteCrs(is_some ? poSRS : nullptr, {});
        if (status.ok()) {
            if (GDALPamMDArray::GetSpatialRef() != nullptr) GDALPamMDArray::SetSpatialRef(nullptr);
            georeferencing_.Reset();
        }
        return Report(status);
    });
}

}  // namespace zarr_driver
