// SPDX-License-Identifier: MIT
// The part of ZarrGroup that changes a store.
#include <algorithm>
#include <new>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/grid/default_chunks.h"
#include "core/metadata/array_spec.h"
#include "core/store/keys.h"
#include "driver/array_creation_options.h"
#include "driver/creation_options.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_attribute.h"
#include "driver/mdim_dimension.h"
#include "driver/mdim_group.h"
#include "driver/mdim_session.h"
#include "driver/new_array_type.h"
#include "driver/report.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::NodeKind;
using zarr::Result;
using zarr::Status;

namespace {

// What an element of a text of no fixed size counts for in the size of a chunk, in bytes.
constexpr std::size_t kUsualTextBytes = 32;

using Dimensions = std::vector<std::shared_ptr<ZarrDimension>>;

// Two dimensions of one name are one in the store.
Status CheckDistinct(const Dimensions& dimensions) {
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (dimensions[i] != dimensions[k] &&
                dimensions[i]->GetName() == dimensions[k]->GetName())
                return Status::Invalid("two dimensions of one array are called " +
                                       zarr::Quoted(dimensions[i]->GetName()));
    return {};
}

json::Value DimensionNames(const Dimensions& dimensions) {
    json::Array names;
    for (const auto& dimension : dimensions) names.emplace_back(dimension->GetName());
    return json::Value(std::move(names));
}

Result<json::Object> DocumentOf(const Dimensions& dimensions, const GDALExtendedDataType& type,
                                CSLConstList options) {
    zarr::ArraySpec spec;
    ZARR_ASSIGN_OR_RETURN(const StringFormat strings, ParseStringFormat(options));
    ZARR_ASSIGN_OR_RETURN(spec.dtype, NewArrayType(type, strings));
    ZARR_ASSIGN_OR_RETURN(const ArrayCreationOptions array,
                          ArrayCreationOptions::Parse(options, spec.dtype));
    for (const auto& dimension : dimensions) spec.shape.push_back(dimension->GetSize());
    const bool are_objects = spec.dtype.kind == zarr::DataKind::kObject;
    spec.chunks = zarr::DefaultChunks(spec.shape, are_objects ? kUsualTextBytes : spec.dtype.size);
    return MakeDocument(std::move(spec), array);
}

// Runs what makes an object; emits why it failed, and gives nullptr then.
template <class Make>
auto Try(const std::string& store, const Make& make) -> std::decay_t<decltype(*make())> {
    auto made = make();
    if (made.ok()) return made.Take();
    EmitError(store, made.status());
    return nullptr;
}

}  // namespace

bool ZarrGroup::Report(const Status& status) const {
    if (!status.ok()) EmitError(session_->store_path(), status);
    return status.ok();
}

Status ZarrGroup::CheckChange() const {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckThere());
    if (session_->single_array() == nullptr) return {};
    return Status::Invalid("/" + *session_->single_array() +
                           ": the dataset was opened as this array, so that its group is not "
                           "changed; open the store");
}

Status ZarrGroup::CheckFree(const std::string& name) const {
    ZARR_RETURN_IF_ERROR(MdimSession::CheckName(name));
    const std::string path = zarr::JoinKey(path_, name);
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, session_->hierarchy().KindOf(path));
    if (kind == NodeKind::kNone) return {};
    return Status::Invalid("/" + path + ": there is " +
                           (kind == NodeKind::kArray ? "an array" : "a group") +
                           " of this name already");
}

// ---------------------------------------------------------------------------------------------
// Making

Result<std::shared_ptr<GDALGroup>> ZarrGroup::MakeGroup(const std::string& name) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_RETURN_IF_ERROR(CheckFree(name));
    const std::string path = zarr::JoinKey(path_, name);
    ZARR_RETURN_IF_ERROR(session_->update()->store().metadata().CreateGroup(path));
    session_->NodeCreated();
    return std::shared_ptr<GDALGroup>(session_->OpenGroup(path));
}

Result<std::shared_ptr<GDALDimension>> ZarrGroup::MakeDimension(const std::string& name,
                                                                const std::string& type,
                                                                const std::string& direction,
                                                                std::uint64_t size) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_RETURN_IF_ERROR(MdimSession::CheckName(name));
    if (size > static_cast<std::uint64_t>(INT64_MAX))
        return Status::Invalid("dimension " + zarr::Quoted(name) + ": expected a size of at most " +
                               std::to_string(INT64_MAX) + ", got " + std::to_string(size));
    for (const auto& other : GetDimensions())
        if (other->GetName() == name)
            return Status::Invalid("/" + path_ + ": there is a dimension " + zarr::Quoted(name) +
                                   " already, of " + std::to_string(other->GetSize()) +
                                   " elements");
    return std::shared_ptr<GDALDimension>(
        session_->CreateDimension({path_, name, type, direction, size}));
}

Result<std::shared_ptr<GDALMDArray>> ZarrGroup::MakeArray(
    const std::string& name, const std::vector<std::shared_ptr<GDALDimension>>& dimensions,
    const GDALExtendedDataType& type, CSLConstList options) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_RETURN_IF_ERROR(CheckFree(name));
    const std::string path = zarr::JoinKey(path_, name);
    if (dimensions.size() > zarr::LimitOf(zarr::Limit::kDimensions))
        return zarr::OverLimit(
            zarr::Limit::kDimensions,
            "/" + path + ": " + std::to_string(dimensions.size()) + " dimensions");
    Dimensions own;
    for (const auto& dimension : dimensions) {
        if (dimension == nullptr) return Status::Invalid("/" + path + ": a dimension is null");
        ZARR_ASSIGN_OR_RETURN(auto adopted, session_->Adopt(path_, *dimension));
        own.push_back(std::move(adopted));
    }
    ZARR_RETURN_IF_ERROR(CheckDistinct(own).WithContext("/" + path));
    ZARR_ASSIGN_OR_RETURN(const Georeferenced convention,
                          ParseConvention(options, Georeferenced::kGdal));
    auto document = DocumentOf(own, type, options);
    if (!document.ok()) return document.status().WithContext("/" + path);
    const json::Object attributes{{"_ARRAY_DIMENSIONS", DimensionNames(own)}};
    ZARR_RETURN_IF_ERROR(
        session_->update()->store().metadata().CreateArray(path, *document, attributes));
    session_->NodeCreated();
    ZARR_ASSIGN_OR_RETURN(auto array, session_->OpenArray(path));
    array->Created(std::move(own), convention);
    return std::shared_ptr<GDALMDArray>(std::move(array));
}

std::shared_ptr<GDALGroup> ZarrGroup::CreateGroup(const std::string& osName,
                                                  CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALGroup> {
        return Try(session_->store_path(), [&] { return MakeGroup(osName); });
    });
}

std::shared_ptr<GDALDimension> ZarrGroup::CreateDimension(const std::string& osName,
                                                          const std::string& osType,
                                                          const std::string& osDirection,
                                                          GUInt64 nSize,
                                                          CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALDimension> {
        return Try(session_->store_path(),
                   [&] { return MakeDimension(osName, osType, osDirection, nSize); });
    });
}

std::shared_ptr<GDALMDArray> ZarrGroup::CreateMDArray(
    const std::string& osName, const std::vector<std::shared_ptr<GDALDimension>>& aoDimensions,
    const GDALExtendedDataType& oDataType, CSLConstList papszOptions) {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        return Try(session_->store_path(),
                   [&] { return MakeArray(osName, aoDimensions, oDataType, papszOptions); });
    });
}

std::shared_ptr<GDALAttribute> ZarrGroup::CreateAttribute(const std::string& osName,
                                                          const std::vector<GUInt64>& anDimensions,
                                                          const GDALExtendedDataType& oDataType,
                                                          CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        return Try(session_->store_path(), [&]() -> Result<std::shared_ptr<GDALAttribute>> {
            ZARR_RETURN_IF_ERROR(CheckChange());
            return CreateNodeAttribute(session_, path_, GetFullName(), osName, anDimensions,
                                       oDataType);
        });
    });
}

// ---------------------------------------------------------------------------------------------
// Deleting and renaming

Status ZarrGroup::DeleteMember(const std::string& name, NodeKind kind) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_ASSIGN_OR_RETURN(const auto path, Find(name, kind));
    if (!path)
        return Status::NotFound("/" + path_ + ": has no " +
                                (kind == NodeKind::kArray ? "array " : "group ") +
                                zarr::Quoted(name));
    return session_->DeleteNode(*path);
}

bool ZarrGroup::DeleteGroup(const std::string& osName, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return Report(DeleteMember(osName, NodeKind::kGroup)); });
}

bool ZarrGroup::DeleteMDArray(const std::string& osName, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return Report(DeleteMember(osName, NodeKind::kArray)); });
}

bool ZarrGroup::DeleteAttribute(const std::string& osName, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        Status status = CheckChange();
        if (status.ok()) status = DeleteNodeAttribute(*session_, path_, osName);
        return Report(status);
    });
}

bool ZarrGroup::Rename(const std::string& osNewName) {
    return Guarded(session_->store_path(), [&]() -> bool {
        Status status = CheckChange();
        if (status.ok() && osNewName != GetName()) status = session_->RenameNode(path_, osNewName);
        return Report(status);
    });
}

void ZarrGroup::Moved(const std::string& path) {
    path_ = path;
    m_osName = std::string(zarr::LastName(path));
    m_osFullName = session_->GroupName(path);
}

}  // namespace zarr_driver
