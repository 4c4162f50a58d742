// SPDX-License-Identifier: MIT
#include "driver/overview_levels.h"

#include <algorithm>
#include <utility>

#include "core/conventions/nczarr.h"
#include "core/store/keys.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::NodeKind;
using zarr::Result;
using zarr::Status;

namespace {

// Names that are tried before something is wrong.
constexpr int kMaxNames = 1000;

json::Value Numbers(const std::vector<std::uint64_t>& numbers) {
    json::Array array;
    for (const std::uint64_t number : numbers) array.emplace_back(number);
    return json::Value(std::move(array));
}

std::string Numbered(const std::string& name, int turn) {
    return turn == 1 ? name : name + "_" + std::to_string(turn);
}

}  // namespace

RasterLayout AtSize(const RasterLayout& array, const std::string& path, const LevelPaths& level) {
    RasterLayout scaled = array;
    scaled.facts.path = path;
    const auto set = [&](const std::optional<std::size_t>& axis, std::uint64_t size) {
        if (!axis) return;
        scaled.facts.metadata.shape[*axis] = size;
        scaled.facts.dimensions[*axis].size = size;
        std::uint64_t& chunk = scaled.facts.metadata.chunks[*axis];
        chunk = std::clamp<std::uint64_t>(chunk, 1, size);
    };
    set(array.x_axis, level.width);
    set(array.y_axis, level.height);
    return scaled;
}

OverviewLevels::OverviewLevels(StoreUpdate& update, const zarr::Hierarchy& hierarchy,
                               LevelSource source)
    : update_(update), hierarchy_(hierarchy), source_(std::move(source)) {}

// ---------------------------------------------------------------------------------------------
// What is there

std::string OverviewLevels::Group() const {
    return std::string(zarr::ParentPath(source_.arrays[0]->facts.path));
}

std::string OverviewLevels::FromGroup(const std::string& path) const {
    const std::string group = Group();
    return group.empty() ? path : path.substr(group.size() + 1);
}

Result<json::Object> OverviewLevels::GroupAttributes() const {
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, hierarchy_.Attributes(Group()));
    return attributes.as_object() != nullptr ? *attributes.as_object() : json::Object{};
}

Status OverviewLevels::Check() const {
    for (const RasterLayout* array : source_.arrays) {
        const std::string& path = array->facts.path;
        if (path.empty())
            return Status::Unsupported(
                "the array is the whole store, which has no room for overviews beside it");
        if (zarr::ParentPath(path) != Group())
            return Status::Unsupported("/" + path + " and /" + source_.arrays[0]->facts.path +
                                       " are in different groups");
        if (!array->x_axis || !array->y_axis)
            return Status::Unsupported("/" + path + ": has no two dimensions to make smaller");
    }
    return {};
}

bool OverviewLevels::AreListed(const std::vector<std::string>& paths) const {
    const auto attributes = hierarchy_.Attributes(Group());
    if (!attributes.ok() || paths.size() != source_.arrays.size()) return false;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const json::Value* entry =
            zarr::FindOverviews(*attributes, zarr::LastName(source_.arrays[i]->facts.path));
        if (entry == nullptr) return false;
        const auto levels = zarr::ListOverviews(*entry);
        const std::string path = FromGroup(paths[i]);
        if (std::none_of(levels.begin(), levels.end(),
                         [&](const auto& level) { return level.path == path; }))
            return false;
    }
    return true;
}

std::vector<zarr::OverviewLevel> OverviewLevels::Listed() const {
    std::vector<zarr::OverviewLevel> all;
    const auto attributes = hierarchy_.Attributes(Group());
    if (!attributes.ok()) return all;
    for (const RasterLayout* array : source_.arrays) {
        const json::Value* entry =
            zarr::FindOverviews(*attributes, zarr::LastName(array->facts.path));
        if (entry == nullptr) continue;
        for (zarr::OverviewLevel& level : zarr::ListOverviews(*entry)) {
            level.path = zarr::JoinKey(Group(), level.path);
            all.push_back(std::move(level));
        }
    }
    return all;
}

// ---------------------------------------------------------------------------------------------
// Making overviews

// The group for all overviews of the arrays in a group.
Result<std::string> OverviewLevels::Container() const {
    for (int turn = 1; turn <= kMaxNames; ++turn) {
        const std::string path =
            zarr::JoinKey(Group(), Numbered(std::string(zarr::kOverviewsGroup), turn));
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(path));
        if (kind == NodeKind::kArray) continue;
        if (kind == NodeKind::kGroup) {
            const auto attributes = hierarchy_.Attributes(path);
            if (attributes.ok() && zarr::IsOverviewsGroup(*attributes)) return path;
            continue;
        }
        ZARR_RETURN_IF_ERROR(update_.metadata().CreateGroup(path));
        ZARR_RETURN_IF_ERROR(
            update_.metadata().SetAttributes(path, json::Value(zarr::OverviewsGroupAttributes())));
        return path;
    }
    return Status::Limit("no name is left for a group of overviews beside /" +
                         source_.arrays[0]->facts.path);
}

// A group that nothing is in. What is there and not described was left by a process that ended.
Result<std::string> OverviewLevels::FreeGroup(const std::string& container, int factor) const {
    ZARR_ASSIGN_OR_RETURN(const json::Object attributes, GroupAttributes());
    const auto listed = zarr::AllOverviewPaths(json::Value(attributes));
    for (int turn = 1; turn <= kMaxNames; ++turn) {
        std::string path = zarr::JoinKey(container, Numbered(std::to_string(factor), turn));
        const std::string from_group = FromGroup(path);
        if (std::any_of(listed.begin(), listed.end(), [&](const std::string& other) {
                return zarr::IsAtOrBelow(other, from_group);
            }))
            continue;
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(path));
        if (kind != NodeKind::kNone) ZARR_RETURN_IF_ERROR(update_.metadata().DeleteNode(path));
        return path;
    }
    return Status::Limit("no name is left for an overview in /" + container);
}

Status OverviewLevels::Make(int factor, LevelPaths& level) const {
    ZARR_ASSIGN_OR_RETURN(const std::string container, Container());
    ZARR_ASSIGN_OR_RETURN(const std::string group, FreeGroup(container, factor));
    for (const RasterLayout* array : source_.arrays)
        level.paths.push_back(zarr::JoinKey(group, zarr::LastName(array->facts.path)));
    Status status = MakeArrays(level);
    if (status.ok()) status = Follow(level);
    if (!status.ok()) {
        static_cast<void>(Remove(level));  // the first failure is the one to tell
        level.paths.clear();
    }
    return status;
}

Status OverviewLevels::MakeArrays(const LevelPaths& level) const {
    for (std::size_t i = 0; i < level.paths.size(); ++i) {
        const RasterLayout scaled = AtSize(*source_.arrays[i], level.paths[i], level);
        json::Object document = scaled.facts.metadata.document;
        SetMember(document, "shape", Numbers(scaled.facts.metadata.shape));
        SetMember(document, "chunks", Numbers(scaled.facts.metadata.chunks));
        // In nested folders that are not spoken of, too: the store's reader looks for all alike.
        ZARR_ASSIGN_OR_RETURN(const char separator, source_.arrays[i]->array->Separator());
        SetMember(document, "dimension_separator", json::Value(std::string(1, separator)));
        document.erase(std::remove_if(document.begin(), document.end(),
                                      [](const json::Member& member) {
                                          return zarr::IsNczarrAttribute(member.first);
                                      }),
                       document.end());
        json::Object attributes;
        AddDimensionNames(scaled.facts, attributes);
        ZARR_RETURN_IF_ERROR(update_.metadata().CreateArray(level.paths[i], document, attributes));
    }
    return {};
}

// ---------------------------------------------------------------------------------------------
// Describing and removing them

Status OverviewLevels::Describe(const std::vector<LevelPaths>& levels) const {
    ZARR_ASSIGN_OR_RETURN(json::Object attributes, GroupAttributes());
    for (std::size_t i = 0; i < source_.arrays.size(); ++i) {
        const RasterLayout& array = *source_.arrays[i];
        const std::string name(zarr::LastName(array.facts.path));
        std::vector<zarr::OverviewAxis> axes;
        for (std::size_t axis = 0; axis < array.facts.dimensions.size(); ++axis) {
            const zarr::Dimension& dimension = array.facts.dimensions[axis];
            zarr::AxisRole role = dimension.role;
            if (array.x_axis == axis) role = zarr::AxisRole::kX;
            if (array.y_axis == axis) role = zarr::AxisRole::kY;
            axes.push_back({dimension.name, role});
        }
        std::vector<zarr::OverviewLevel> described{{name, array.facts.metadata.shape, ""}};
        for (const LevelPaths& level : levels) {
            const RasterLayout scaled = AtSize(array, level.paths[i], level);
            described.push_back(
                {FromGroup(level.paths[i]), scaled.facts.metadata.shape, level.method});
        }
        json::Value entry =
            levels.empty() ? json::Value() : zarr::DescribeOverviews(axes, described);
        ZARR_RETURN_IF_ERROR(zarr::PutOverviews(attributes, name, std::move(entry)));
    }
    return update_.metadata().SetAttributes(Group(), json::Value(attributes));
}

// Whatever the attributes list, nothing is deleted but what is in a group for overviews.
bool OverviewLevels::IsInContainer(const std::string& path) const {
    const std::string container(zarr::ParentPath(zarr::ParentPath(path)));
    if (zarr::ParentPath(container) != Group() || container.empty()) return false;
    const auto attributes = hierarchy_.Attributes(container);
    return attributes.ok() && zarr::IsOverviewsGroup(*attributes);
}

Status OverviewLevels::Remove(const LevelPaths& level) const {
    for (const std::string& path : level.paths) {
        if (!IsInContainer(path)) continue;
        Status status = update_.metadata().DeleteNode(path);
        if (!status.ok() && status.code() != zarr::StatusCode::kNotFound) return status;
        ZARR_RETURN_IF_ERROR(RemoveEmptyGroups(std::string(zarr::ParentPath(path))));
    }
    return {};
}

// Removes the group of an overview where none that is described is in it, and the group around it
// where that is empty then.
Status OverviewLevels::RemoveEmptyGroups(const std::string& level_group) const {
    const std::string container(zarr::ParentPath(level_group));
    ZARR_ASSIGN_OR_RETURN(const json::Object attributes, GroupAttributes());
    const std::string from_group = FromGroup(level_group);
    for (const std::string& path : zarr::AllOverviewPaths(json::Value(attributes)))
        if (zarr::IsAtOrBelow(path, from_group)) return {};
    Status status = update_.metadata().DeleteNode(level_group);
    if (!status.ok() && status.code() != zarr::StatusCode::kNotFound) return status;
    ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy_.Members(container));
    return members.empty() ? update_.metadata().DeleteNode(container) : Status();
}

}  // namespace zarr_driver
