// SPDX-License-Identifier: MIT
#include "driver/mdim_group.h"

#include <algorithm>

#include "core/conventions/named_members.h"
#include "core/conventions/nczarr.h"
#include "core/store/keys.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_attribute.h"
#include "driver/mdim_dimension.h"
#include "driver/mdim_session.h"
#include "driver/report.h"
#include "driver/store_failures.h"

namespace zarr_driver {

using zarr::Node;
using zarr::NodeKind;

namespace {

std::string ParentNameOf(const MdimSession& session, const std::string& path) {
    if (path == session.root()) return {};
    return session.GroupName(std::string(zarr::ParentPath(path)));
}

std::string NameOf(const MdimSession& session, const std::string& path) {
    return path == session.root() ? "/" : std::string(zarr::LastName(path));
}

}  // namespace

ZarrGroup::ZarrGroup(std::shared_ptr<MdimSession> session, const std::string& path)
    : GDALGroup(ParentNameOf(*session, path), NameOf(*session, path)),
      session_(std::move(session)),
      path_(path) {}

zarr::Status ZarrGroup::CheckThere() const {
    if (!is_deleted_) return {};
    return zarr::Status::Invalid("/" + path_ + ": the group was deleted");
}

zarr::Result<ZarrGroup::Nodes> ZarrGroup::ListMembers() const {
    Nodes listed;
    if (const std::string* single = session_->single_array()) {
        listed.push_back({session_->ArrayName(*single), *single, NodeKind::kArray});
    } else {
        ZARR_ASSIGN_OR_RETURN(listed, zarr::MembersOf(session_->hierarchy(), path_));
    }
    if (path_ == session_->root())
        for (const std::string& path : session_->OutsideArrays())
            listed.push_back({session_->ArrayName(path), path, NodeKind::kArray});
    return listed;
}

// Of a group that cannot be listed none, and `listing_` says why.
std::shared_ptr<const ZarrGroup::Nodes> ZarrGroup::Members() const {
    if (is_deleted_) return std::make_shared<const Nodes>();
    const std::uint64_t generation = session_->generation();
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        if (members_ != nullptr && generation_ == generation) return members_;
    }
    auto listed = ListMembers();
    WarnOfFailure(session_->hierarchy(), session_->store_path());
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    listing_ = listed.status();
    members_ = std::make_shared<const Nodes>(listed.ok() ? listed.Take() : Nodes());
    generation_ = generation;
    return members_;
}

// The path of a member, if there is one. Not from a list, which a store may not have, and which
// grows old.
zarr::Result<std::optional<std::string>> ZarrGroup::Find(const std::string& name,
                                                         NodeKind kind) const {
    using Path = std::optional<std::string>;
    ZARR_RETURN_IF_ERROR(CheckThere());
    const std::string* const single = session_->single_array();
    if (single != nullptr && kind != NodeKind::kArray) return Path();
    if (single != nullptr && name == session_->ArrayName(*single)) return Path(*single);
    if (single == nullptr && MdimSession::CheckName(name).ok()) {
        std::string path = zarr::JoinKey(path_, name);
        bool is_there = false;
        if (kind == NodeKind::kArray) {
            ZARR_ASSIGN_OR_RETURN(is_there, session_->hierarchy().HoldsArray(path));
        } else {
            ZARR_ASSIGN_OR_RETURN(const NodeKind there, session_->hierarchy().KindOf(path));
            is_there = there == kind;
        }
        if (is_there) return Path(std::move(path));
    }
    if (kind != NodeKind::kArray || path_ != session_->root()) return Path();
    std::string outside = session_->FindOutside(name);
    return outside.empty() ? Path() : Path(std::move(outside));
}

std::vector<std::string> ZarrGroup::NamesOf(NodeKind kind) const {
    std::vector<std::string> names;
    Report(CheckThere());
    session_->Listed(path_);
    for (const Node& node : *Members())
        if (node.kind == kind) names.push_back(node.name);
    return names;
}

std::vector<std::string> ZarrGroup::GetMDArrayNames(CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::string> {
        auto names = NamesOf(NodeKind::kArray);
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        if (!is_deleted_) Report(listing_);
        return names;
    });
}

// What a store does not list is said with the arrays: GDAL asks for groups where it looks for an
// array, too.
std::vector<std::string> ZarrGroup::GetGroupNames(CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(),
                   [&]() -> std::vector<std::string> { return NamesOf(NodeKind::kGroup); });
}

// The variable that the place of an array on the map gives a dimension of this group, whose full
// name it has. While the store is changed it is only to be had from the dimension.
std::shared_ptr<GDALMDArray> ZarrGroup::ComputedVariable(const std::string& name) const {
    const zarr::Hierarchy& hierarchy = session_->hierarchy();
    const bool is_cheap = session_->single_array() != nullptr || hierarchy.is_consolidated() ||
                          hierarchy.store()->ReadsAtOnce() == 1;
    if (is_deleted_ || session_->update() != nullptr || !is_cheap) return nullptr;
    for (const auto& dimension : GetDimensions())
        if (dimension->GetName() == name) return dimension->GetIndexingVariable();
    return nullptr;
}

std::shared_ptr<GDALMDArray> ZarrGroup::OpenMDArray(const std::string& osName,
                                                    CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        const auto path = Find(osName, NodeKind::kArray);
        if (!Report(path.status())) return nullptr;
        if (!*path) return ComputedVariable(osName);
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
        if (!status.ok()) EmitWarning(session_->store_path(), status.message());
        return session_->OpenGroup(**path);
    });
}

std::vector<std::shared_ptr<GDALDimension>> ZarrGroup::DimensionsOfArrays() const {
    std::vector<std::shared_ptr<GDALDimension>> dimensions;
    for (const Node& node : *Members()) {
        if (node.kind != NodeKind::kArray) continue;
        // What is wrong with an array is said when it is opened itself.
        const auto facts = zarr::DescribeArray(session_->hierarchy(), node.path);
        if (!facts.ok()) continue;
        for (std::size_t i = 0; i < facts->dimensions.size(); ++i) {
            if (!facts->dimensions[i].is_named) continue;
            auto dimension = session_->DimensionOf(*facts, i);
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
        for (const auto& created : session_->CreatedDimensions(path_))
            if (!is_listed(created->GetName())) dimensions.push_back(created);
        if (is_deleted_ || session_->single_array() != nullptr) return dimensions;
        for (const auto& declared : zarr::NczarrGroupDimensions(session_->hierarchy(), path_))
            if (!is_listed(declared.name))
                dimensions.push_back(
                    session_->DeclaredDimension({path_, declared.name, "", "", declared.size}));
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
        // The attributes beside an array that is the whole store are the array's.
        if (session_->single_array() != nullptr && session_->single_array()->empty()) return {};
        MdimUpdate* const update = session_->update();
        const auto attributes =
            update != nullptr ? update->Attributes(path_) : session_->hierarchy().Attributes(path_);
        if (!attributes.ok()) {
            EmitWarning(session_->store_path(), attributes.status().message());
            return {};
        }
        return ListAttributes(session_, path_, GetFullName(), *attributes, zarr::IsNczarrAttribute);
    });
}

std::shared_ptr<GDALAttribute> ZarrGroup::GetAttribute(const std::string& osName) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        for (const auto& attribute : GetAttributes())
            if (attribute->GetName() == osName) return attribute;
        return nullptr;
    });
}

}  // namespace zarr_driver
