// SPDX-License-Identifier: MIT
// The part of ZarrMDArray that changes a store.
#include <cstring>
#include <new>

#include "core/base/text.h"
#include "core/dtype/fill_value.h"
#include "core/dtype/marked_text.h"
#include "core/store/keys.h"
#include "driver/extended_write_op.h"
#include "driver/georeferencing_write.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_attribute.h"
#include "driver/mdim_dimension.h"
#include "driver/mdim_session.h"
#include "driver/report.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// The texts of a block of elements, or the bytes that they mean, in row-major order.
std::vector<std::string> TextsOf(const zarr::Region& region, const zarr::Strides& strides,
                                 const GDALExtendedDataType& type, const std::uint8_t* data) {
    std::vector<std::string> texts(static_cast<std::size_t>(region.size()));
    zarr::ElementOp op;
    op.src_size = type.GetSize();
    op.dst_size = sizeof(std::string);
    op.context = &type;
    op.row = [](const zarr::ElementOp& self, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t n) {
        const auto& element_type = *static_cast<const GDALExtendedDataType*>(self.context);
        for (std::size_t i = 0; i < n; ++i, dst += dst_stride, src += src_stride)
            *reinterpret_cast<std::string*>(dst) =
                zarr::UnmarkedBytes(TextOfElement(element_type, src));
    };
    zarr::CopyBlock(region.count, reinterpret_cast<std::uint8_t*>(texts.data()),
                    zarr::ContiguousStrides(region.count, sizeof(std::string), false), data,
                    strides, op);
    return texts;
}

}  // namespace

bool ZarrMDArray::IsWritable() const {
    return Guarded(session_->store_path(), [&]() -> bool { return session_->update() != nullptr; });
}

bool ZarrMDArray::Report(const Status& status) const {
    if (!status.ok()) EmitError(session_->store_path(), status);
    return status.ok();
}

Status ZarrMDArray::CheckChange() const {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate().WithContext("/" + facts_.path));
    return CheckThere();
}

void ZarrMDArray::Created(std::vector<std::shared_ptr<ZarrDimension>> dimensions,
                          Georeferenced convention) {
    convention_ = convention;
    dimensions_.assign(dimensions.begin(), dimensions.end());
    is_new_ = true;
}

Status ZarrMDArray::Reload(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts, zarr::DescribeArray(session_->hierarchy(), path));
    ZARR_ASSIGN_OR_RETURN(array_, session_->hierarchy().OpenArray(path));
    activity_ = std::make_unique<ArrayActivity>(session_->store_path(), array_);
    facts_ = std::move(facts);
    m_osName = session_->ArrayName(path);
    m_osFullName = session_->ArrayFullName(path);
    georeferencing_.Reset();
    level_paths_.Reset();
    return {};
}

// ---------------------------------------------------------------------------------------------
// Values

Status ZarrMDArray::WriteRegion(zarr::Region region, const zarr::Strides& strides,
                                const GDALExtendedDataType& buffer_type, const std::uint8_t* data) {
    for (std::size_t i = 0; i < region.count.size(); ++i) {
        if (region.count[i] == 0) return {};
        if (region.step[i] != 0) continue;
        // A step of 0 writes one element over and over: the last one stays.
        data += static_cast<std::ptrdiff_t>(region.count[i] - 1) * strides[i];
        region.step[i] = 1;
        region.count[i] = 1;
    }
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer,
                          session_->update()->store().WriterOf(array_));
    const std::size_t threads = session_->options().threads;
    if (stored_.kind == zarr::DataKind::kObject) {
        if (buffer_type.GetClass() == GEDTC_COMPOUND)
            return Status::Invalid("dtype |O has no members");
        return writer->WriteObjects(region, TextsOf(region, strides, buffer_type, data), threads);
    }
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedWriteOp::Make(stored_, buffer_type));
    if (!op->can_fail()) return writer->Write(region, 0, {data, strides, op->op()}, threads);
    // All elements are converted before any is written.
    zarr::Buffer staged;
    const std::uint64_t size = region.size();
    if (size > SIZE_MAX / stored_.size) return Status::Limit("too many elements for one write");
    ZARR_RETURN_IF_ERROR(staged.Reset(static_cast<std::size_t>(size) * stored_.size));
    std::memset(staged.data(), 0, staged.size());
    const zarr::Strides own = zarr::ContiguousStrides(region.count, stored_.size, false);
    zarr::CopyBlock(region.count, staged.data(), own, data, strides, op->op());
    ZARR_RETURN_IF_ERROR(op->status());
    return writer->Write(region, 0, {staged.data(), own, zarr::CopyOp(stored_.size)}, threads);
}

bool ZarrMDArray::IWrite(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
                         const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
                         const void* pSrcBuffer) {
    return Guarded(session_->store_path(), [&]() -> bool {
        Status status = CheckChange();
        if (status.ok() && text_length_ != 0)
            status =
                Status::Unsupported("/" + facts_.path + ": netCDF's characters are not written");
        if (!status.ok()) return Report(status);
        zarr::Region region;
        zarr::Strides strides;
        for (std::size_t i = 0; i < facts_.metadata.rank(); ++i) {
            region.start.push_back(arrayStartIdx[i]);
            region.count.push_back(count[i]);
            // Whatever the step, one element needs none.
            region.step.push_back(count[i] == 1 ? 1 : arrayStep[i]);
            strides.push_back(static_cast<std::ptrdiff_t>(bufferStride[i]) *
                              static_cast<std::ptrdiff_t>(bufferDataType.GetSize()));
        }
        is_new_ = false;
        try {
            ForgetStatistics();
            status = WriteRegion(region, strides, bufferDataType,
                                 static_cast<const std::uint8_t*>(pSrcBuffer));
        } catch (const std::bad_alloc&) {
            status = Status::OutOfMemory("out of memory");
        }
        const bool names_itself = status.message().compare(0, facts_.path.size(), facts_.path) == 0;
        return Report(names_itself ? status : status.WithContext("/" + facts_.path));
    });
}

// What PAM has of them is of other values.
void ZarrMDArray::ForgetStatistics() {
    if (has_forgotten_statistics_.exchange(true)) return;
    const CPLErr known =
        GetStatistics(true, false, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (known == CE_None) ClearStatistics();
}

// ---------------------------------------------------------------------------------------------
// What the values mean

Status ZarrMDArray::ChangeAttribute(const char* name, std::optional<json::Value> value) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    return session_->ChangeAttribute(facts_.path, name, std::move(value));
}

bool ZarrMDArray::SetUnit(const std::string& osUnit) {
    return Guarded(session_->store_path(), [&]() -> bool {
        if (stored_.is_time() && osUnit != units_)
            return Report(Status::Unsupported("/" + facts_.path + ": its unit is that of dtype " +
                                              stored_.ToString()));
        if (stored_.is_time()) return Report(CheckChange());
        return Report(ChangeAttribute(
            "units", osUnit.empty() ? std::optional<json::Value>() : json::Value(osUnit)));
    });
}

bool ZarrMDArray::SetScale(double dfScale, GDALDataType /*eStorageType*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Report(ChangeAttribute("scale_factor", json::Value(dfScale)));
    });
}

bool ZarrMDArray::SetOffset(double dfOffset, GDALDataType /*eStorageType*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Report(ChangeAttribute("add_offset", json::Value(dfOffset)));
    });
}

// States the CRS by the convention that the array was made with, and by no other.
Status ZarrMDArray::Place(const OGRSpatialReference* srs) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    Placement placement;
    placement.srs = srs;
    RasterLayout layout;
    layout.facts = facts_;
    const CoordinateArrays arrays(session_->update()->store(), {facts_.path});
    zarr::Warnings warnings;
    ZARR_ASSIGN_OR_RETURN(const PlacedBeside beside,
                          WriteBeside(arrays, layout, placement, convention_, warnings));
    if (!beside.grid_mapping.empty()) session_->NodeCreated();
    json::Object members;
    PlaceByAttributes(layout, placement, convention_, beside, members);
    const json::Value stated(std::move(members));
    for (const char* name : {"_CRS", "grid_mapping", "proj:code", "proj:wkt2"}) {
        const json::Value* value = stated.Find(name);
        // A grid mapping of others may say more than a CRS.
        const bool stays = value == nullptr && srs != nullptr && EQUAL(name, "grid_mapping");
        if (!stays)
            ZARR_RETURN_IF_ERROR(ChangeAttribute(
                name, value != nullptr ? std::optional<json::Value>(*value) : std::nullopt));
    }
    return {};
}

bool ZarrMDArray::SetSpatialRef(const OGRSpatialReference* poSRS) {
    return Guarded(session_->store_path(), [&]() -> bool {
        if (!IsWritable()) return GDALPamMDArray::SetSpatialRef(poSRS);
        const bool is_some = poSRS != nullptr && !poSRS->IsEmpty();
        const Status status = Place(is_some ? poSRS : nullptr);
        if (status.ok()) {
            if (GDALPamMDArray::GetSpatialRef() != nullptr) GDALPamMDArray::SetSpatialRef(nullptr);
            georeferencing_.Reset();
        }
        return Report(status);
    });
}

Result<std::string> ZarrMDArray::StoredElement(const void* raw) const {
    if (stored_.kind == zarr::DataKind::kObject) return TextOfElement(type_, raw);
    const zarr::DataType native = stored_.Native();
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedWriteOp::Make(native, type_));
    std::string element(native.size, '\0');
    op->op().row(op->op(), reinterpret_cast<std::uint8_t*>(element.data()), 0,
                 static_cast<const std::uint8_t*>(raw), 0, 1);
    ZARR_RETURN_IF_ERROR(op->status());
    return element;
}

// What absent chunks mean changes only while there is nothing else. Null where they mean nothing.
Status ZarrMDArray::ChangeFillValue(const std::string* element) {
    if (!is_new_) return {};
    json::Value value;
    if (element != nullptr) {
        ZARR_ASSIGN_OR_RETURN(value, zarr::FillValueToJson(facts_.metadata.dtype, *element));
    }
    json::Object document = facts_.metadata.document;
    for (json::Member& member : document)
        if (member.first == "fill_value") member.second = value;
    ZARR_RETURN_IF_ERROR(
        session_->update()->store().metadata().ReplaceArrayDocument(facts_.path, document));
    ZARR_ASSIGN_OR_RETURN(array_, session_->location().hierarchy->OpenArray(facts_.path));
    facts_.metadata = array_->metadata();
    return {};
}

// True where an integer of the array's type, which may be wider than what is stored, is none that
// can be stored as `element`.
bool ZarrMDArray::IsOutside(const void* raw, const std::string& element) const {
    if (stored_.kind != zarr::DataKind::kInt) return false;
    const BufferOp read(stored_.Native(), type_.GetNumericDataType());
    std::string held(type_.GetSize(), '\0');
    read.op().row(read.op(), reinterpret_cast<std::uint8_t*>(held.data()), 0,
                  reinterpret_cast<const std::uint8_t*>(element.data()), 0, 1);
    return std::memcmp(held.data(), raw, held.size()) != 0;
}

Status ZarrMDArray::StoreNodata(const void* raw) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    if (raw == nullptr) {
        ZARR_RETURN_IF_ERROR(ChangeFillValue(nullptr));
        return ChangeAttribute("_FillValue", std::nullopt);
    }
    ZARR_ASSIGN_OR_RETURN(const std::string element, StoredElement(raw));
    if (IsOutside(raw, element)) {
        double value = 0;
        GDALCopyWords(raw, type_.GetNumericDataType(), 0, &value, GDT_Float64, 0, 1);
        EmitWarning(session_->store_path() + ": /" + facts_.path,
                    NodataOutside(CPLSPrintf("%.17g", value), stored_));
        return StoreNodata(nullptr);
    }
    ZARR_ASSIGN_OR_RETURN(json::Value value, zarr::FillValueToJson(facts_.metadata.dtype, element));
    ZARR_RETURN_IF_ERROR(ChangeFillValue(&element));
    return ChangeAttribute("_FillValue", std::move(value));
}

bool ZarrMDArray::SetRawNoDataValue(const void* pRawNoData) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return Report(StoreNodata(pRawNoData)); });
}

// ---------------------------------------------------------------------------------------------
// Attributes, name and shape

std::shared_ptr<GDALAttribute> ZarrMDArray::CreateAttribute(
    const std::string& osName, const std::vector<GUInt64>& anDimensions,
    const GDALExtendedDataType& oDataType, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        const Status status = CheckChange();
        if (!status.ok()) {
            Report(status);
            return nullptr;
        }
        auto created = CreateNodeAttribute(session_, facts_.path, GetFullName(), osName,
                                           anDimensions, oDataType);
        if (created.ok()) return created.Take();
        Report(created.status());
        return nullptr;
    });
}

bool ZarrMDArray::DeleteAttribute(const std::string& osName, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = CheckChange();
        return Report(status.ok() ? DeleteNodeAttribute(*session_, facts_.path, osName) : status);
    });
}

bool ZarrMDArray::Rename(const std::string& osNewName) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = CheckChange();
        if (!status.ok() || osNewName == GetName()) return Report(status);
        return Report(session_->RenameNode(facts_.path, osNewName));
    });
}

Status ZarrMDArray::ChangeShape(const std::vector<GUInt64>& shape) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    if (shape.size() != dimensions_.size())
        return Status::Invalid("/" + facts_.path + ": expected " +
                               std::to_string(dimensions_.size()) + " sizes, got " +
                               std::to_string(shape.size()));
    std::map<ZarrDimension*, std::uint64_t> sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto& dimension = dimensions_[i];
        if (shape[i] > static_cast<GUInt64>(INT64_MAX))
            return Status::Invalid("/" + facts_.path + ": dimension " + dimension->GetName() +
                                   ": expected a size of at most " + std::to_string(INT64_MAX) +
                                   ", got " + std::to_string(shape[i]));
        const auto [known, is_first] =
            sizes.emplace(static_cast<ZarrDimension*>(dimension.get()), shape[i]);
        if (!is_first && known->second != shape[i])
            return Status::Invalid("/" + facts_.path + ": dimension " + dimension->GetName() +
                                   " cannot have two sizes");
    }
    for (auto it = sizes.begin(); it != sizes.end();)
        it = it->first->GetSize() == it->second ? sizes.erase(it) : std::next(it);
    return sizes.empty() ? Status() : session_->Resize(sizes);
}

bool ZarrMDArray::Resize(const std::vector<GUInt64>& anNewDimSizes, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return Report(ChangeShape(anNewDimSizes)); });
}

}  // namespace zarr_driver
