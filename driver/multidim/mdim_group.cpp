// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_group.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/group/named_members.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/array_metadata.h"
#include "core/store/keys.h"
#include "driver/base/array_options.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/multidim/dimension_registry.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_attribute.h"
#include "driver/multidim/mdim_dimension.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/node_editing.h"
#include "driver/multidim/outside_arrays.h"
#include "driver/store/open_node.h"

namespace zarr_driver {

using zarr::Node;
using zarr::NodeKind;
namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

std::string ParentNameOf(const MdimSession& session, const std::string& path) {
    if (path == session.root()) return {};
    return session.GroupName(std::string(zarr::ParentPath(path)));
}

std::string NameOf(const MdimSession& session, const std::string& path) {
    return path == session.root() ? "/" : std::string(zarr::LastName(path));
}

// Assumed size in bytes of a text of variable length. Used to choose the default chunk shape.
constexpr std::size_t kAssumedTextBytes = 32;

using Dimensions = std::vector<std::shared_ptr<ZarrDimension>>;

// Fails if two dimensions of a new array have one name, because the store identifies dimensions by
// name.
Status CheckDistinct(const Dimensions& dimensions) {
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (dimensions[i] != dimensions[k] &&
                dimensions[i]->GetName() == dimensions[k]->GetName())
                return Status::Invalid("two dimensions of one array have the name " +
                                       zarr::Quoted(dimensions[i]->GetName()));
    return {};
}

json::Value DimensionNames(const Dimensions& dimensions) {
    json::Array names;
    for (const auto& dimension : dimensions) names.emplace_back(dimension->GetName());
    return json::Value(std::move(names));
}

// Returns the metadata of a new array called `name`. Emits warnings about `options`, which begin
// with `name`.
Result<zarr::ArrayMetadata> MetadataOf(const std::string& name, const Dimensions& dimensions,
                                       const GDALExtendedDataType& type, CSLConstList options,
                                       zarr::Format format) {
    zarr::ArraySpec spec;
    spec.format = format;
    StringFormat strings = StringFormat::kAscii;
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kStringRows, strings));
    ZARR_ASSIGN_OR_RETURN(spec.dtype, NewArrayType(type, strings));
    ZARR_ASSIGN_OR_RETURN(auto array, ArrayCreationOptions::Parse(options));
    ZARR_RETURN_IF_ERROR(array.Complete(spec.dtype));
    EmitWarnings(name, array.warnings);
    for (const auto& dimension : dimensions) spec.shape.push_back(dimension->GetSize());
    const bool are_objects = spec.dtype.kind == zarr::DataKind::kObject;
    spec.chunks =
        zarr::DefaultChunks(spec.shape, are_objects ? kAssumedTextBytes : spec.dtype.size);
    return NewArrayMetadata(std::move(spec), array);
}

// Calls `make`, and returns the object that `make` creates. Emits an error and returns nullptr on
// failure.
template <class Make>
auto Try(const std::string& store, const Make& make) -> std::decay_t<decltype(*make())> {
    auto made = make();
    if (made.ok()) return made.Take();
    EmitError(store, made.status());
    return nullptr;
}

}  // namespace

ZarrGroup::ZarrGroup(std::shared_ptr<MdimSession> session, const std::string& path)
    : GDALGroup(ParentNameOf(*session, path), NameOf(*session, path)),
      session_(std::move(session)),
      path_(path) {}

zarr::Status ZarrGroup::CheckThere() const {
    if (!is_deleted_) return {};
    return zarr::Status::Invalid("/" + path_ + ": the group has been deleted");
}

zarr::Result<ZarrGroup::Nodes> ZarrGroup::ListMembers() const {
    Nodes listed;
    if (const std::string* single = session_->single_array()) {
        listed.push_back({session_->ArrayName(*single), *single, NodeKind::kArray});
    } else {
        ZARR_ASSIGN_OR_RETURN(listed, zarr::MembersOf(session_->hierarchy(), path_));
    }
    if (path_ == session_->root())
        for (const std::string& path : OutsideArrays(*session_).List())
            listed.push_back({session_->ArrayName(path), path, NodeKind::kArray});
    return listed;
}

// Returns the members of the group. Lists the store again after nodes were created, deleted or
// renamed. If listing fails, returns an empty list, and sets `listing_` to the error. The shared
// pointer keeps the list alive if another thread lists the group again.
std::shared_ptr<const ZarrGroup::Nodes> ZarrGroup::Members() const {
    if (is_deleted_) return std::make_shared<const Nodes>();
    const std::uint64_t generation = session_->generation();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (members_ != nullptr && generation_ == generation) return members_;
    }
    auto listed = ListMembers();
    WarnOfFailure(session_->hierarchy(), session_->store_path());
    const std::lock_guard<std::mutex> lock(mutex_);
    listing_ = listed.status();
    members_ = std::make_shared<const Nodes>(listed.ok() ? listed.Take() : Nodes());
    generation_ = generation;
    return members_;
}

// Returns the path of the member `name` of kind `kind`. Returns nullopt if the group has no such
// member. Asks for this member only: some stores cannot be listed, and a listing becomes outdated.
zarr::Result<std::optional<std::string>> ZarrGroup::Find(const std::string& name,
                                                         NodeKind kind) const {
    using Path = std::optional<std::string>;
    ZARR_RETURN_IF_ERROR(CheckThere());
    const std::string* const single = session_->single_array();
    if (single != nullptr && kind != NodeKind::kArray) return Path();
    if (single != nullptr && name == session_->ArrayName(*single)) return Path(*single);
    if (single == nullptr && MdimSession::CheckName(name).ok()) {
        std::string path = zarr::JoinKey(path_, name);
        const zarr::Hierarchy& hierarchy = session_->hierarchy();
        const auto is_of_kind = [&]() -> zarr::Result<bool> {
            if (kind == NodeKind::kArray) return hierarchy.HoldsArray(path);
            ZARR_ASSIGN_OR_RETURN(const NodeKind there, hierarchy.KindOf(path));
            return there == kind;
        };
        ZARR_ASSIGN_OR_RETURN(bool is_there, is_of_kind());
        if (!is_there && session_->update() != nullptr) {
            hierarchy.Reload();  // another process may have created the member
            ZARR_ASSIGN_OR_RETURN(is_there, is_of_kind());
        }
        if (is_there) return Path(std::move(path));
    }
    if (kind != NodeKind::kArray || path_ != session_->root()) return Path();
    std::string outside = OutsideArrays(*session_).Find(name);
    return outside.empty() ? Path() : Path(std::move(outside));
}

std::vector<std::string> ZarrGroup::NamesOf(NodeKind kind) const {
    std::vector<std::string> names;
    Report(CheckThere());
    session_->Listed(path_);
    const auto members = Members();
    for (const Node& node : *members)
        if (node.kind == kind) names.push_back(node.name);
    return names;
}

std::vector<std::string> ZarrGroup::GetMDArrayNames(CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::string> {
        auto names = NamesOf(NodeKind::kArray);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!is_deleted_) Report(listing_);
        return names;
    });
}

// Emits no error if the store cannot be listed. GDAL also calls this method to search for an array,
// and GetMDArrayNames() then emits the error.
std::vector<std::string> ZarrGroup::GetGroupNames(CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(),
                   [&]() -> std::vector<std::string> { return NamesOf(NodeKind::kGroup); });
}

// Returns the indexing variable called `name`, if it is computed from a geotransform instead of
// stored. Returns nullptr in update mode.
std::shared_ptr<GDALMDArray> ZarrGroup::ComputedVariable(const std::string& name) const {
    if (is_deleted_ || session_->update() != nullptr) return nullptr;
    for (const auto& dimension : GetDimensions())
        if (dimension->GetName() == name) return dimension->GetIndexingVariable();
    return nullptr;
}

// True if CopyFrom() is running, and OpenMDArray() must not find the array at `path`. GDAL would
// not copy a source array if an array of the same name is found. Hidden arrays are outside of the
// group, or written by the driver, such as grid mappings.
bool ZarrGroup::IsHiddenFromCopies(const std::string& path) const {
    if (copies_ == 0) return false;
    const StoreUpdate* const update = session_->update();
    return zarr::ParentPath(path) != path_ || (update != nullptr && update->HasCreated(path));
}

std::shared_ptr<GDALMDArray> ZarrGroup::OpenMDArray(const std::string& osName,
                                                    CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        const auto path = Find(osName, NodeKind::kArray);
        if (!Report(path.status())) return nullptr;
        if (!*path) return ComputedVariable(osName);
        if (IsHiddenFromCopies(**path)) return nullptr;
        auto array = session_->OpenArray(**path);
        if (array.ok()) return *array;
        Report(array.status());
        return nullptr;
    });
}

std::shared_ptr<GDALGroup> ZarrGroup::OpenGroup(const std::string& osName,
                                                CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALGroup> {
        const auto path = Find(osName, NodeKind::kGroup);
        if (!Report(path.status()) || !*path) return nullptr;
        const zarr::Status status = session_->hierarchy().CheckGroup(**path);
        if (session_->hierarchy().format() == zarr::Format::kV3 && !Report(status)) return nullptr;
        if (!status.ok()) EmitWarning(session_->store_path(), status.message());
        return session_->OpenGroup(**path);
    });
}

std::vector<std::shared_ptr<GDALDimension>> ZarrGroup::DimensionsOfArrays() const {
    std::vector<std::shared_ptr<GDALDimension>> dimensions;
    const auto members = Members();
    for (const Node& node : *members) {
        if (node.kind != NodeKind::kArray) continue;
        // A faulty array is skipped without an error. Callers that open the array get the error.
        const auto facts = zarr::DescribeArray(session_->hierarchy(), node.path);
        if (!facts.ok()) continue;
        for (std::size_t i = 0; i < facts->dimensions.size(); ++i) {
            if (!facts->dimensions[i].is_named) continue;
            auto dimension = session_->dimensions().Of(*facts, i);
            const bool is_here =
                dimension->is_groups() && session_->GroupName(dimension->group()) == GetFullName();
            if (is_here &&
                std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end())
                dimensions.push_back(std::move(dimension));
        }
    }
    return dimensions;
}

std::vector<std::shared_ptr<GDALDimension>> ZarrGroup::GetDimensions(
    CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALDimension>> {
        std::vector<std::shared_ptr<GDALDimension>> dimensions = DimensionsOfArrays();
        const auto is_listed = [&](const std::string& name) {
            return std::any_of(dimensions.begin(), dimensions.end(),
                               [&](const auto& other) { return other->GetName() == name; });
        };
        for (const auto& created : session_->dimensions().CreatedIn(path_))
            if (!is_listed(created->GetName())) dimensions.push_back(created);
        if (is_deleted_ || session_->single_array() != nullptr) return dimensions;
        for (const auto& declared : zarr::NczarrGroupDimensions(session_->hierarchy(), path_))
            if (!is_listed(declared.name))
                dimensions.push_back(
                    session_->dimensions().Declared({path_, declared.name, "", "", declared.size}));
        return dimensions;
    });
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrGroup::GetAttributes(
    CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALAttribute>> {
        if (is_deleted_) {
            EmitError(session_->store_path(), CheckThere());
            return {};
        }
        // If the store is a single array without a group, the attributes belong to the array.
        if (session_->single_array() != nullptr && session_->single_array()->empty()) return {};
        StoreUpdate* const update = session_->update();
        const auto attributes =
            update != nullptr ? update->Attributes(path_) : session_->hierarchy().Attributes(path_);
        if (!attributes.ok()) {
            EmitWarning(session_->store_path(), attributes.status().message());
            return {};
        }
        return ListAttributes(session_, path_, AttributeParent(), *attributes,
                              zarr::IsNczarrAttribute);
    });
}

std::string ZarrGroup::AttributeParent() const {
    return (GetFullName() == "/" ? "" : GetFullName()) + kGlobalAttributes;
}

std::shared_ptr<GDALAttribute> ZarrGroup::GetAttribute(const std::string& osName) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        for (const auto& attribute : GetAttributes())
            if (attribute->GetName() == osName) return attribute;
        return nullptr;
    });
}

// ---------------------------------------------------------------------------------------------
// Changing a store

bool ZarrGroup::Report(const Status& status) const {
    if (!status.ok()) EmitError(session_->store_path(), status);
    return status.ok();
}

Status ZarrGroup::CheckChange() const {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckThere());
    if (session_->single_array() == nullptr) return {};
    return Status::Invalid("/" + *session_->single_array() +
                           ": the dataset was opened as this array, so its group cannot be "
                           "changed; open the whole store");
}

Status ZarrGroup::CheckFree(const std::string& name, bool is_array) const {
    ZARR_RETURN_IF_ERROR(MdimSession::CheckName(name));
    const std::string path = zarr::JoinKey(path_, name);
    // An array that the driver wrote may be replaced: a caller may copy the grid mapping of a
    // source over the driver's grid mapping.
    if (is_array && session_->update()->HasCreated(path)) return {};
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, session_->hierarchy().KindOf(path));
    if (kind == NodeKind::kNone) return {};
    return Status::Invalid("/" + path + ": " + (kind == NodeKind::kArray ? "an array" : "a group") +
                           " of this name already exists");
}

// ---------------------------------------------------------------------------------------------
// Making

Result<std::shared_ptr<GDALGroup>> ZarrGroup::MakeGroup(const std::string& name) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_RETURN_IF_ERROR(CheckFree(name, false));
    const std::string path = zarr::JoinKey(path_, name);
    ZARR_RETURN_IF_ERROR(session_->update()->metadata().CreateGroup(path));
    session_->NodesChanged();
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
            return Status::Invalid("/" + path_ + ": dimension " + zarr::Quoted(name) +
                                   " already exists, with " + std::to_string(other->GetSize()) +
                                   " elements");
    return std::shared_ptr<GDALDimension>(
        session_->dimensions().Create({path_, name, type, direction, size}));
}

Result<std::shared_ptr<GDALMDArray>> ZarrGroup::MakeArray(
    const std::string& name, const std::vector<std::shared_ptr<GDALDimension>>& dimensions,
    const GDALExtendedDataType& type, CSLConstList options) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_RETURN_IF_ERROR(CheckFree(name, true));
    const std::string path = zarr::JoinKey(path_, name);
    if (dimensions.size() > zarr::LimitOf(zarr::Limit::kDimensions))
        return zarr::OverLimit(
            zarr::Limit::kDimensions,
            "/" + path + ": " + std::to_string(dimensions.size()) + " dimensions");
    Dimensions own;
    for (const auto& dimension : dimensions) {
        if (dimension == nullptr) return Status::Invalid("/" + path + ": a dimension is null");
        ZARR_ASSIGN_OR_RETURN(auto adopted, session_->dimensions().Adopt(path_, *dimension));
        own.push_back(std::move(adopted));
    }
    ZARR_RETURN_IF_ERROR(CheckDistinct(own).WithContext("/" + path));
    GeoreferencingForm convention = GeoreferencingForm::kEveryReader;
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kConventionRows, convention));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata,
                          MetadataOf(session_->store_path() + ": /" + path, own, type, options,
                                     session_->hierarchy().format())
                              .WithContext("/" + path));
    const json::Object attributes{{"_ARRAY_DIMENSIONS", DimensionNames(own)}};
    const bool replaces = session_->update()->RemoveCreated(path);
    ZARR_RETURN_IF_ERROR(session_->update()->metadata().CreateArray(
        path, metadata, attributes, replaces ? zarr::IfExists::kReplace : zarr::IfExists::kFail));
    session_->update()->RecordNew(path);
    if (own.empty()) session_->pending_grid_mappings().AddScalar(path);
    session_->NodesChanged();
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
            return CreateNodeAttribute(session_, path_, AttributeParent(), osName, anDimensions,
                                       oDataType, false);
        });
    });
}

bool ZarrGroup::CopyFrom(const std::shared_ptr<GDALGroup>& poDstRootGroup, GDALDataset* poSrcDS,
                         const std::shared_ptr<GDALGroup>& poSrcGroup, bool bStrict,
                         GUInt64& nCurCost, GUInt64 nTotalCost, GDALProgressFunc pfnProgress,
                         void* pProgressData, CSLConstList papszOptions) {
    return Guarded(session_->store_path(), [&]() -> bool {
        struct Copying {
            std::atomic<int>& copies;
            explicit Copying(std::atomic<int>& count) : copies(count) { ++copies; }
            ~Copying() { --copies; }
            Copying(const Copying&) = delete;
            Copying& operator=(const Copying&) = delete;
        };
        const Copying copying(copies_);
        return GDALGroup::CopyFrom(poDstRootGroup, poSrcDS, poSrcGroup, bStrict, nCurCost,
                                   nTotalCost, pfnProgress, pProgressData, papszOptions);
    });
}

// ---------------------------------------------------------------------------------------------
// Deleting and renaming

Status ZarrGroup::DeleteMember(const std::string& name, NodeKind kind) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_ASSIGN_OR_RETURN(const auto path, Find(name, kind));
    if (!path)
        return Status::NotFound("/" + path_ + ": " + zarr::Quoted(name) + " is not " +
                                (kind == NodeKind::kArray ? "an array" : "a sub-group") +
                                " of this group");
    return DeleteNode(*session_, *path);
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
        if (status.ok() && osNewName != GetName()) status = RenameNode(*session_, path_, osNewName);
        return Report(status);
    });
}

void ZarrGroup::Moved(const std::string& path) {
    path_ = path;
    m_osName = std::string(zarr::LastName(path));
    m_osFullName = session_->GroupName(path);
}

}  // namespace zarr_driver
