// SPDX-License-Identifier: MIT
// Methods of ZarrMDArray that write the unit, the scale, the CRS and the nodata value.
#include <cpl_string.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/band_lists.h"
#include "core/conventions/nodata.h"
#include "core/dtype/narrow_types.h"
#include "driver/base/exception_guard.h"
#include "driver/base/filter_loss.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/gdal_types.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

Status ZarrMDArray::ChangeAttribute(const char* name, std::optional<json::Value> value) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    return session_->ChangeAttribute(facts_.path, name, std::move(value));
}

bool ZarrMDArray::SetUnit(const std::string& osUnit) {
    return Guarded(session_->store_path(), [&]() -> bool {
        if (values_.stored().is_time() && osUnit != units_)
            return Report(Status::Unsupported("/" + facts_.path + ": the unit is fixed by dtype " +
                                              values_.stored().ToString()));
        if (values_.stored().is_time()) return Report(CheckChange());
        return Report(ChangeAttribute(
            "units", osUnit.empty() ? std::optional<json::Value>() : json::Value(osUnit)));
    });
}

// Sets CF's attribute `name`, and removes the list that states the number of each band.
Status ZarrMDArray::StoreNumber(const char* name, std::string_view list, double number) {
    if (facts_.attributes.Find(list) != nullptr)
        ZARR_RETURN_IF_ERROR(ChangeAttribute(std::string(list).c_str(), std::nullopt));
    return ChangeAttribute(name, json::Value(number));
}

bool ZarrMDArray::SetScale(double dfScale, GDALDataType /*eStorageType*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Report(StoreNumber("scale_factor", zarr::kScalesOfBands, dfScale));
    });
}

bool ZarrMDArray::SetOffset(double dfOffset, GDALDataType /*eStorageType*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Report(StoreNumber("add_offset", zarr::kOffsetsOfBands, dfOffset));
    });
}

Status ZarrMDArray::WriteCrs(const OGRSpatialReference* srs,
                             const std::vector<std::string>& preferred_mappings) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    StoreUpdate& update = *session_->update();
    RasterPosition placement;
    placement.srs = srs;
    placement.preferred_mappings = preferred_mappings;
    RasterLayout layout;
    layout.facts = facts_;
    // Attributes may have changed since the array was opened, so the current ones are read.
    ZARR_ASSIGN_OR_RETURN(layout.facts.attributes, update.Attributes(facts_.path));
    layout.x_axis = facts_.axes.x;
    layout.y_axis = facts_.axes.y;
    const CoordinateArrays arrays(update, {facts_.path}, OtherArrays::kAny);
    zarr::Warnings warnings;
    ZARR_ASSIGN_OR_RETURN(
        const GeoreferencingArrays written_arrays,
        WriteGeoreferencingArrays(arrays, layout, placement, convention_, warnings));
    // The old grid mapping is removed only if the CRS is removed or written as a grid mapping. If
    // an attribute states the new CRS, the grid mapping stays for its other contents.
    const bool replaces = srs == nullptr || !written_arrays.grid_mapping.empty();
    if (replaces) {
        ZARR_RETURN_IF_ERROR(
            RemoveReplacedGridMapping(arrays, layout, written_arrays.grid_mapping));
        session_->NodesChanged();
    }
    if (SuitsEveryReader(convention_))
        ZARR_RETURN_IF_ERROR(WriteMultidimCrs(update, {&layout}, srs));
    constexpr const char* kConventions = "zarr_conventions";
    json::Object members;
    for (const char* name : {kConventions, "coordinates", "grid_mapping"})
        if (const json::Value* const held = layout.facts.attributes.Find(name))
            members.emplace_back(name, *held);
    SetGeoreferencingAttributes(layout, placement, convention_, written_arrays, members);
    const json::Value stated(std::move(members));
    for (const char* name : {"_CRS", "proj:code", "proj:wkt2", "proj:projjson", kEpochAttribute,
                             kConventions, "coordinates", "grid_mapping"}) {
        const bool is_of_mapping = EQUAL(name, "coordinates") || EQUAL(name, "grid_mapping");
        std::optional<json::Value> value;
        if (const json::Value* const existing = stated.Find(name)) value = *existing;
        if (replaces || !is_of_mapping)
            ZARR_RETURN_IF_ERROR(ChangeAttribute(name, std::move(value)));
    }
    if (srs != nullptr && !written_arrays.grid_mapping.empty())
        session_->pending_grid_mappings().Add(facts_.path, *srs);
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

Result<std::string> ZarrMDArray::StoredElement(const void* raw) const {
    if (values_.stored().kind == zarr::DataKind::kObject) return TextOfElement(type_, raw);
    const zarr::DataType native = values_.stored().Native();
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedWriteConverter::Make(native, type_));
    std::string element(native.size, '\0');
    op->op().row(op->op(), reinterpret_cast<std::uint8_t*>(element.data()), 0,
                 static_cast<const std::uint8_t*>(raw), 0, 1);
    ZARR_RETURN_IF_ERROR(op->status());
    if (!op->truncated_texts().empty()) return Status::Invalid(op->truncated_texts().Message());
    return element;
}

// Changes the fill value in the metadata of an array that has no chunks. All elements of the array
// then have the new value.
Status ZarrMDArray::ReplaceFillValue(const std::optional<std::string>& element) {
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata changed,
                          zarr::WithFillValue(facts_.metadata, element));
    ZARR_RETURN_IF_ERROR(session_->update()->metadata().ReplaceMetadata(facts_.path, changed));
    return Reopen();
}

Status ZarrMDArray::RemoveFillValue() {
    if (is_new_) return ReplaceFillValue(std::nullopt);
    if (!facts_.metadata.has_fill_value ||
        session_->options().fill_value_as_nodata == zarr::FillAsNodata::kNo)
        return {};
    return ReplaceWrittenFillValue(std::nullopt);
}

Status ZarrMDArray::ReplaceWrittenFillValue(const std::optional<std::string>& element) {
    ZARR_RETURN_IF_ERROR(session_->update()->SetFillValue(
        *session_->location().hierarchy, facts_.path, element, session_->options().threads));
    return Reopen();
}

Status ZarrMDArray::Reopen() {
    ZARR_ASSIGN_OR_RETURN(auto array, session_->location().hierarchy->OpenArray(facts_.path));
    facts_.metadata = array->metadata();
    values_.SetArray(std::move(array));
    return {};
}

// True if the number at `raw` does not fit into the stored type, which may be narrower than the
// array's GDAL type. `element` is the number after conversion to the stored type.
bool ZarrMDArray::IsOutside(const void* raw, const std::string& element) const {
    if (values_.stored().narrow != zarr::NarrowType::kNone) {
        double value = 0;
        GDALCopyWords(raw, type_.GetNumericDataType(), 0, &value, GDT_Float64, 0, 1);
        return !zarr::IsRepresentable(values_.stored().narrow, value);
    }
    const zarr::DataType native = values_.stored().Native();
    if (native.kind != zarr::DataKind::kInt && !native.is_time()) return false;
    const BufferConverter read(native, type_.GetNumericDataType());
    std::string existing(type_.GetSize(), '\0');
    read.op().row(read.op(), reinterpret_cast<std::uint8_t*>(existing.data()), 0,
                  reinterpret_cast<const std::uint8_t*>(element.data()), 0, 1);
    return std::memcmp(existing.data(), raw, existing.size()) != 0;
}

Status ZarrMDArray::RemoveNodata() {
    ZARR_RETURN_IF_ERROR(zarr::CheckNodataIsWritable(facts_.metadata.dtype));
    ZARR_RETURN_IF_ERROR(RemoveFillValue());
    ZARR_RETURN_IF_ERROR(RemoveContradictions({}, std::nullopt));
    ReadNodata();
    return {};
}

// Removes the attributes that state another nodata value than `element`, except `name`.
Status ZarrMDArray::RemoveContradictions(std::string_view name,
                                         const std::optional<std::string>& element) {
    for (const std::string& other :
         zarr::ContradictingNodata(facts_.attributes, facts_.metadata, name, element))
        ZARR_RETURN_IF_ERROR(ChangeAttribute(other.c_str(), std::nullopt));
    return {};
}

Status ZarrMDArray::StoreNodata(const void* raw) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    if (raw == nullptr) return RemoveNodata();
    ZARR_ASSIGN_OR_RETURN(const std::string element, StoredElement(raw));
    if (IsOutside(raw, element)) {
        double value = 0;
        GDALCopyWords(raw, type_.GetNumericDataType(), 0, &value, GDT_Float64, 0, 1);
        EmitWarning(session_->store_path() + ": /" + facts_.path,
                    NodataOutOfRange(CPLSPrintf("%.17g", value), values_.stored()));
        return RemoveNodata();
    }
    ZARR_ASSIGN_OR_RETURN(
        json::Member attribute,
        zarr::NodataAttribute(facts_.metadata.dtype, facts_.metadata.format, element));
    const std::string warning =
        NodataFilterWarning(facts_.metadata.codecs, facts_.metadata.dtype, element);
    if (!warning.empty()) EmitWarning(session_->store_path() + ": /" + facts_.path, warning);
    if (is_new_)
        ZARR_RETURN_IF_ERROR(ReplaceFillValue(element));
    else if (zarr::FillValueMustFollow(facts_.metadata, element))
        ZARR_RETURN_IF_ERROR(ReplaceWrittenFillValue(element));
    ZARR_RETURN_IF_ERROR(RemoveContradictions(attribute.first, element));
    return ChangeAttribute(attribute.first.c_str(), std::move(attribute.second));
}

bool ZarrMDArray::SetRawNoDataValue(const void* pRawNoData) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return Report(StoreNodata(pRawNoData)); });
}

}  // namespace zarr_driver
