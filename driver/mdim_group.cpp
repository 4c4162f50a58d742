// SPDX-License-Identifier: MIT
#include "driver/mdim_group.h"

#include <algorithm>

#include "core/conventions/named_members.h"
#include "core/conventions/nczarr.h"
#include "core/store/keys.h"
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

std::shared_ptr<const ZarrGroup::Nodes> ZarrGroup::Members() const {
    if (is_deleted_) {
        EmitError(session_->store_path(), CheckThere());
        return std::make_shared<const Nodes>();
    }
    const std::uint64_t generation = session_->generation();
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        if (members_ != nullptr && generation_ == generation) return members_;
    }
    Nodes listed;
    if (const std::string* single = session_->single_array()) {
        listed.push_back({session_->ArrayName(*single), *single, NodeKind::kArray});
    } else {
        auto members = zarr::MembersOf(session_->hierarchy(), path_);
        if (members.ok())
            listed = members.Take();
        else
            EmitError(session_->store_path(), members.status());
        WarnOfFailure(session_->hierarchy(), session_->store_path());
    }
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    members_ = std::make_shared<const Nodes>(std::move(listed));
    generation_ = generation;
    return members_;
}

// The path of a member.
std::string ZarrGroup::Find(const std::string& name, NodeKind kind, bool& found) const {
    if (session_->update() != nullptr && session_->single_array() == nullptr && !is_deleted_) {
        // Not from a list that each new member makes old.
        std::string path = zarr::JoinKey(path_, name);
        const auto there = MdimSession::CheckName(name).ok()
                               ? session_->hierarchy().KindOf(path)
                               : zarr::Result<NodeKind>(NodeKind::kNone);
        if (!there.ok()) EmitError(session_->store_path(), there.status());
        found = there.ok() && *there == kind;
        return path;
    }
    const auto members = Members();
    const auto at = std::find_if(members->begin(), members->end(), [&](const Node& node) {
        return node.kind == kind && node.name == name;
    });
    found = at != members->end();
    return found ? at->path : std::string();
}

std::vector<std::string> ZarrGroup::NamesOf(NodeKind kind) const {
    std::vector<std::string> names;
    session_->Listed(path_);
    for (const Node& node : *Members())
        if (node.kind == kind) names.push_back(node.name);
    return names;
}

std::vector<std::string> ZarrGroup::GetMDArrayNames(CSLConstList /*papszOptions*/) const {
    return NamesOf(NodeKind::kArray);
}

std::vector<std::string> ZarrGroup::GetGroupNames(CSLConstList /*papszOptions*/) const {
    return NamesOf(NodeKind::kGroup);
}

std::shared_ptr<GDALMDArray> ZarrGroup::OpenMDArray(const std::string& osName,
                                                    CSLConstList /*papszOptions*/) const {
    bool found = false;
    const std::string path = Find(osName, NodeKind::kArray, found);
    if (!found) return nullptr;
    auto array = session_->OpenArray(path);
    if (array.ok()) return *array;
    EmitError(session_->store_path(), array.status());
    return nullptr;
}

std::shared_ptr<GDALGroup> ZarrGroup::OpenGroup(const std::string& osName,
                                                CSLConstList /*papszOptions*/) const {
    bool found = false;
    const std::string path = Find(osName, NodeKind::kGroup, found);
    if (!found) return nullptr;
    const zarr::Status status = session_->hierarchy().CheckGroup(path);
    if (!status.ok()) EmitWarning(session_->store_path(), status.message());
    return session_->OpenGroup(path);
}

std::vector<std::shared_ptr<GDALDimension>> ZarrGroup::GetDimensions(
    CSLConstList /*papszOptions*/) const {
    std::vector<std::shared_ptr<GDALDimension>> dimensions;
    std::vector<bool> is_indexed;
    for (const Node& node : *Members()) {
        if (node.kind != NodeKind::kArray) continue;
        // What is wrong with an array is said when it is opened itself.
        const auto facts = zarr::DescribeArray(session_->hierarchy(), node.path);
        if (!facts.ok()) continue;
        for (std::size_t i = 0; i < facts->dimensions.size(); ++i) {
            const zarr::Dimension& dimension = facts->dimensions[i];
            if (!dimension.is_named || session_->GroupName(dimension.group) != GetFullName())
                continue;
            const bool indexed = !dimension.coordinate_path.empty();
            const auto same_name =
                std::find_if(dimensions.begin(), dimensions.end(),
                             [&](const auto& other) { return other->GetName() == dimension.name; });
            const auto at = static_cast<std::size_t>(same_name - dimensions.begin());
            if (same_name == dimensions.end()) {
                dimensions.push_back(session_->DimensionOf(*facts, i));
                is_indexed.push_back(indexed);
            } else if (indexed && !is_indexed[at]) {
                dimensions[at] = session_->DimensionOf(*facts, i);
                is_indexed[at] = true;
            }
        }
    }
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
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrGroup::GetAttributes(
    CSLConstList /*papszOptions*/) const {
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
}

std::shared_ptr<GDALAttribute> ZarrGroup::GetAttribute(const std::string& osName) const {
    for (const auto& attribute : GetAttributes())
        if (attribute->GetName() == osName) return attribute;
    return nullptr;
}

}  // namespace zarr_driver
