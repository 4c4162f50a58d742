// SPDX-License-Identifier: MIT
#include "driver/mdim_group.h"

#include <algorithm>

#include "core/conventions/nczarr.h"
#include "core/store/keys.h"
#include "driver/mdim_array.h"
#include "driver/mdim_attribute.h"
#include "driver/mdim_session.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Node;
using zarr::NodeKind;

std::shared_ptr<ZarrGroup> ZarrGroup::Root(std::shared_ptr<MdimSession> session) {
    std::string path = session->root();
    return std::shared_ptr<ZarrGroup>(
        new ZarrGroup(std::move(session), std::string(), "/", std::move(path)));
}

ZarrGroup::ZarrGroup(std::shared_ptr<MdimSession> session, const std::string& parent,
                     const std::string& name, std::string path)
    : GDALGroup(parent, name), session_(std::move(session)), path_(std::move(path)) {}

const std::vector<Node>& ZarrGroup::Members() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (members_) return *members_;
    members_.emplace();
    if (const std::string* single = session_->single_array()) {
        members_->push_back({session_->ArrayName(*single), *single, NodeKind::kArray});
        return *members_;
    }
    auto members = session_->hierarchy().Members(path_);
    if (members.ok())
        members_ = members.Take();
    else
        EmitError(session_->store_path(), members.status());
    return *members_;
}

const Node* ZarrGroup::Find(const std::string& name, NodeKind kind) const {
    const std::vector<Node>& members = Members();
    const auto found = std::find_if(members.begin(), members.end(), [&](const Node& node) {
        return node.kind == kind && node.name == name;
    });
    return found == members.end() ? nullptr : &*found;
}

std::vector<std::string> ZarrGroup::NamesOf(NodeKind kind) const {
    std::vector<std::string> names;
    for (const Node& node : Members())
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
    const Node* node = Find(osName, NodeKind::kArray);
    if (node == nullptr) return nullptr;
    auto array = session_->OpenArray(node->path);
    if (array.ok()) return *array;
    EmitError(session_->store_path(), array.status());
    return nullptr;
}

std::shared_ptr<GDALGroup> ZarrGroup::OpenGroup(const std::string& osName,
                                                CSLConstList /*papszOptions*/) const {
    const Node* node = Find(osName, NodeKind::kGroup);
    if (node == nullptr) return nullptr;
    const zarr::Status status = session_->hierarchy().CheckGroup(node->path);
    if (!status.ok()) EmitWarning(session_->store_path(), status.message());
    return std::shared_ptr<GDALGroup>(
        new ZarrGroup(session_, GetFullName(), node->name, node->path));
}

std::vector<std::shared_ptr<GDALDimension>> ZarrGroup::GetDimensions(
    CSLConstList /*papszOptions*/) const {
    std::vector<std::shared_ptr<GDALDimension>> dimensions;
    std::vector<bool> is_indexed;
    for (const Node& node : Members()) {
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
    return dimensions;
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrGroup::GetAttributes(
    CSLConstList /*papszOptions*/) const {
    // The attributes beside an array that is the whole store are the array's.
    if (session_->single_array() != nullptr && session_->single_array()->empty()) return {};
    const auto attributes = session_->hierarchy().Attributes(path_);
    if (!attributes.ok()) {
        EmitWarning(session_->store_path(), attributes.status().message());
        return {};
    }
    return MakeAttributes(GetFullName(), *attributes, zarr::IsNczarrAttribute);
}

std::shared_ptr<GDALAttribute> ZarrGroup::GetAttribute(const std::string& osName) const {
    for (const auto& attribute : GetAttributes())
        if (attribute->GetName() == osName) return attribute;
    return nullptr;
}

}  // namespace zarr_driver
