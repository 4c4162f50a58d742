// SPDX-License-Identifier: MIT
#include "driver/multidim/node_editing.h"

#include <algorithm>
#include <vector>

#include "core/base/text.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/catalog/delete_cascade.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/multidim/dimension_registry.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_dimension.h"
#include "driver/multidim/mdim_session.h"
#include "driver/store/multidim_pam.h"
#include "driver/store/resolve.h"
#include "driver/store/sidecars.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::AxisRole;
using zarr::Result;
using zarr::Status;

namespace {

// An axis as a letter in CF's attribute `axis`, and as a role. The letter is '\0' if CF has no
// letter for the axis.
struct Axis {
    char letter = '\0';
    AxisRole role = AxisRole::kNone;
};

Axis AxisOf(const std::string& type) {
    if (type == GDAL_DIM_TYPE_HORIZONTAL_X) return {'X', AxisRole::kX};
    if (type == GDAL_DIM_TYPE_HORIZONTAL_Y) return {'Y', AxisRole::kY};
    if (type == GDAL_DIM_TYPE_VERTICAL) return {'Z', AxisRole::kZ};
    if (type == GDAL_DIM_TYPE_TEMPORAL) return {'T', AxisRole::kTime};
    return {};
}

// An array that has a given dimension, and the positions of the dimension in its shape.
struct User {
    std::string path;
    zarr::ArrayFacts facts;
    std::vector<std::size_t> axes;  // indices of the dimension in the array's shape
};

struct NewShape {
    zarr::ArrayMetadata metadata;  // the array's metadata, still with the former shape
    std::vector<std::uint64_t> shape;
};

// After the node at `path` was renamed to `target`, sets the new path in all objects that represent
// this node or nodes below it.
Status FollowRename(MdimSession& session, const std::string& path, const std::string& target) {
    ZARR_RETURN_IF_ERROR(session.update()->Release(path, session.options().threads));
    session.update()->MoveNode(path, target);
    session.MoveObjects(path, target);
    Status first;
    for (const auto& array : session.Arrays()) {
        if (!zarr::IsAtOrBelow(array->path(), path)) continue;
        const Status status = array->Reload(target + array->path().substr(path.size()));
        if (first.ok()) first = status;
    }
    return first;
}

Status AddUsers(MdimSession& session, const std::string& group, const ZarrDimension& dimension,
                std::vector<User>& users) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<zarr::Node> members,
                          session.hierarchy().Members(group));
    for (const zarr::Node& node : members) {
        if (node.kind == zarr::NodeKind::kGroup) {
            ZARR_RETURN_IF_ERROR(AddUsers(session, node.path, dimension, users));
            continue;
        }
        auto facts = zarr::DescribeArray(session.hierarchy(), node.path);
        if (!facts.ok()) continue;  // an array that cannot be read is skipped
        User user{node.path, facts.Take(), {}};
        for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i)
            if (session.dimensions().Of(user.facts, i).get() == &dimension) user.axes.push_back(i);
        if (!user.axes.empty()) users.push_back(std::move(user));
    }
    return {};
}

Result<std::vector<User>> UsersOf(MdimSession& session, const ZarrDimension& dimension) {
    const zarr::Hierarchy& hierarchy = session.hierarchy();
    hierarchy.Reload();  // the caller will rewrite metadata, which other processes may have changed
    std::vector<User> users;
    const std::string* const single = session.single_array();
    // an array at the root of the store shares its dimensions with no other array
    const bool is_whole_store = single != nullptr && single->empty();
    if (dimension.is_named() && !is_whole_store) {
        // reports earlier failures as warnings, so that TakeFailure() below returns only new ones
        WarnOfFailure(hierarchy, session.store_path());
        ZARR_RETURN_IF_ERROR(AddUsers(session, dimension.group(), dimension, users));
        // If a group could not be listed, an array with the dimension may be missing in the result.
        // This is an error.
        ZARR_RETURN_IF_ERROR(hierarchy.TakeFailure());
        return users;
    }
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts,
                          zarr::DescribeArray(session.hierarchy(), dimension.array_path()));
    User user{facts.path, std::move(facts), {}};
    for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i)
        if (user.facts.dimensions[i].name == dimension.GetName()) user.axes.push_back(i);
    users.push_back(std::move(user));
    return users;
}

Status CheckRename(MdimSession& session, const ZarrDimension& dimension,
                   const std::string& new_name, const std::vector<User>& users) {
    const std::string target = zarr::JoinKey(dimension.group(), new_name);
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind taken, session.hierarchy().KindOf(target));
    if (!dimension.CoordinatePath().empty() && taken != zarr::NodeKind::kNone)
        return Status::Invalid("/" + target + ": already exists, so the coordinate " +
                               "array cannot be renamed with its dimension");
    for (const User& user : users) {
        const zarr::ArrayMetadata& metadata = user.facts.metadata;
        const bool is_stated =
            user.facts.attributes.Find("_ARRAY_DIMENSIONS") != nullptr ||
            !zarr::NczarrDimensions(session.hierarchy(), user.path, metadata, user.facts.attributes)
                 .empty();
        if (!is_stated && dimension.is_named())
            return Status::Unsupported("/" + user.path +
                                       ": its dimensions are named by OME, not by "
                                       "_ARRAY_DIMENSIONS, so they cannot be renamed");
        for (const zarr::Dimension& other : user.facts.dimensions)
            if (other.name == new_name)
                return Status::Invalid("/" + user.path + ": dimension " + zarr::Quoted(new_name) +
                                       " already exists");
    }
    for (const auto& created : session.dimensions().CreatedIn(dimension.group()))
        if (created->GetName() == new_name)
            return Status::Invalid("dimension " + zarr::Quoted(new_name) + " already exists");
    return {};
}

Status StoreNames(MdimSession& session, const User& user, const std::string& new_name) {
    json::Array names;
    for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i) {
        const bool is_it = std::find(user.axes.begin(), user.axes.end(), i) != user.axes.end();
        names.emplace_back(is_it ? new_name : user.facts.dimensions[i].name);
    }
    return session.ChangeAttribute(user.path, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
}

Status ReloadInUse(MdimSession& session, const std::vector<std::string>& paths) {
    Status first;
    for (const std::string& path : paths) {
        const auto array = session.FindArray(path);
        const Status status = array != nullptr ? array->Reload(path) : Status();
        if (first.ok()) first = status;
    }
    return first;
}

Status ResizeArray(MdimSession& session, const std::string& path,
                   const std::vector<std::uint64_t>& shape) {
    StoreUpdate& store = *session.update();
    const std::size_t threads = session.options().threads;
    ZARR_RETURN_IF_ERROR(store.Release(path, threads));
    ZARR_ASSIGN_OR_RETURN(const auto array, session.hierarchy().OpenArray(path));
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, store.WriterOf(array));
    ZARR_RETURN_IF_ERROR(
        zarr::ResizeArray(store.metadata(), *store.store(), *writer, shape, threads));
    return store.Release(path, threads);
}

Result<std::map<std::string, NewShape>> NewShapes(
    MdimSession& session, const std::map<ZarrDimension*, std::uint64_t>& sizes) {
    std::map<std::string, NewShape> changes;
    for (const auto& [dimension, size] : sizes) {
        ZARR_ASSIGN_OR_RETURN(std::vector<User> users, UsersOf(session, *dimension));
        for (User& user : users) {
            NewShape& change = changes[user.path];
            if (change.shape.empty()) change.shape = user.facts.metadata.shape;
            change.metadata = std::move(user.facts.metadata);
            for (const std::size_t axis : user.axes) change.shape[axis] = size;
        }
    }
    return changes;
}

}  // namespace

Status DeleteNode(MdimSession& session, const std::string& path) {
    StoreUpdate* const update = session.update();
    ZARR_RETURN_IF_ERROR(session.CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckChangeable(session.open_node().address));
    ZARR_RETURN_IF_ERROR(update->StoreAttributes());
    // The node is deleted in the store first. If this fails, the objects that represent the node
    // stay usable.
    ZARR_ASSIGN_OR_RETURN(
        const auto deleted,
        zarr::DeleteWithCompanions(update->metadata(), session.hierarchy(), path, {"", true}));
    session.NodesChanged();
    ZARR_RETURN_IF_ERROR(StoreMultidimCrs(*update->store(), {{path, "", ""}}));
    DeleteNodeSidecars(session.open_node().address, path);
    for (const std::string& node : deleted) {
        update->Discard(node);
        session.DeleteObjects(node);
    }
    return {};
}

Status RenameNode(MdimSession& session, const std::string& node, const std::string& new_name) {
    StoreUpdate* const update = session.update();
    // Copies `node`, because the caller's text may belong to an object that is renamed.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const std::string path = node;
    ZARR_RETURN_IF_ERROR(session.CheckUpdate());
    ZARR_RETURN_IF_ERROR(MdimSession::CheckName(new_name));
    ZARR_RETURN_IF_ERROR(CheckChangeable(session.open_node().address));
    if (path == session.root() || path == session.open_node().node)
        return Status::Invalid(
            "/" + path + ": the dataset was opened as this node, so the node cannot be renamed");
    ZARR_RETURN_IF_ERROR(update->StoreAttributes());
    ZARR_RETURN_IF_ERROR(update->FlushChunks(session.options().threads));
    ZARR_ASSIGN_OR_RETURN(
        const auto renamed,
        zarr::RenameWithCompanions(update->metadata(), session.hierarchy(), path, new_name));
    session.NodesChanged();
    RenameNodeSidecars(session.open_node().address, path,
                       zarr::JoinKey(zarr::ParentPath(path), new_name));
    Status first;
    for (const auto& [from, to] : renamed) {
        const Status status = FollowRename(session, from, to);
        if (first.ok()) first = status;
    }
    return first;
}

Status RenameDimension(MdimSession& session, ZarrDimension& dimension,
                       const std::string& new_name) {
    ZARR_RETURN_IF_ERROR(session.CheckUpdate());
    ZARR_RETURN_IF_ERROR(MdimSession::CheckName(new_name));
    if (new_name == dimension.GetName()) return {};
    ZARR_ASSIGN_OR_RETURN(const std::vector<User> users, UsersOf(session, dimension));
    ZARR_RETURN_IF_ERROR(CheckRename(session, dimension, new_name, users));
    const std::string coordinates = dimension.CoordinatePath();
    const std::string target = zarr::JoinKey(dimension.group(), new_name);
    std::vector<std::string> paths;
    for (const User& user : users) {
        ZARR_RETURN_IF_ERROR(StoreNames(session, user, new_name));
        paths.push_back(user.path == coordinates ? target : user.path);
    }
    ZARR_RETURN_IF_ERROR(session.update()->StoreAttributes());
    session.dimensions().Rename(dimension, new_name);
    const Status renamed =
        coordinates.empty() ? Status() : RenameNode(session, coordinates, new_name);
    const Status reloaded = ReloadInUse(session, paths);
    return renamed.ok() ? reloaded : renamed;
}

Status ResizeDimensions(MdimSession& session,
                        const std::map<ZarrDimension*, std::uint64_t>& sizes) {
    ZARR_RETURN_IF_ERROR(session.CheckUpdate());
    ZARR_ASSIGN_OR_RETURN(const auto changes, NewShapes(session, sizes));
    // Checks all new shapes before the first array is changed.
    for (const auto& [path, change] : changes)
        ZARR_RETURN_IF_ERROR(
            zarr::WithShape(change.metadata, change.shape).status().WithContext(path));
    Status status;
    std::vector<std::string> changed;
    for (const auto& [path, change] : changes) {
        status = ResizeArray(session, path, change.shape);
        if (!status.ok()) break;
        changed.push_back(path);
    }
    if (status.ok()) session.dimensions().Resize(sizes);
    const Status reloaded = ReloadInUse(session, changed);
    return status.ok() ? reloaded : status;
}

Status SetShape(MdimSession& session, const std::string& path,
                const std::vector<std::shared_ptr<GDALDimension>>& dimensions,
                const std::vector<GUInt64>& shape) {
    if (shape.size() != dimensions.size())
        return Status::Invalid("/" + path + ": expected " + std::to_string(dimensions.size()) +
                               " sizes, got " + std::to_string(shape.size()));
    std::map<ZarrDimension*, std::uint64_t> sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto& dimension = dimensions[i];
        if (shape[i] > static_cast<GUInt64>(INT64_MAX))
            return Status::Invalid("/" + path + ": dimension " + dimension->GetName() +
                                   ": expected a size of at most " + std::to_string(INT64_MAX) +
                                   ", got " + std::to_string(shape[i]));
        const auto [known, is_first] =
            sizes.emplace(static_cast<ZarrDimension*>(dimension.get()), shape[i]);
        if (!is_first && known->second != shape[i])
            return Status::Invalid("/" + path + ": dimension " + dimension->GetName() +
                                   " is given two sizes, " + std::to_string(known->second) +
                                   " and " + std::to_string(shape[i]));
    }
    for (auto it = sizes.begin(); it != sizes.end();)
        it = it->first->GetSize() == it->second ? sizes.erase(it) : std::next(it);
    return sizes.empty() ? Status() : ResizeDimensions(session, sizes);
}

void StoreAxes(MdimSession& session) {
    for (const NewDimension& dimension : session.dimensions().Created()) {
        const Axis axis = AxisOf(dimension.type);
        if (axis.letter == '\0') continue;
        const std::string path = zarr::FindCoordinateArray(session.hierarchy(), dimension.group,
                                                           dimension.name, dimension.size);
        if (path.empty()) continue;
        const auto attributes = session.update()->Attributes(path);
        if (!attributes.ok()) continue;
        const zarr::DimensionFacts facts{dimension.name, dimension.size, &*attributes};
        const AxisRole role = zarr::RoleOf(facts);
        const bool is_silent = zarr::RoleFromAttributes(*attributes) == AxisRole::kNone &&
                               attributes->Find("axis") == nullptr;
        Status status;
        if (role != axis.role && is_silent)
            status =
                session.ChangeAttribute(path, "axis", json::Value(std::string(1, axis.letter)));
        const bool is_vertical = axis.role == AxisRole::kZ &&
                                 (dimension.direction == "UP" || dimension.direction == "DOWN");
        if (status.ok() && is_vertical && attributes->Find("positive") == nullptr)
            status = session.ChangeAttribute(
                path, "positive", json::Value(dimension.direction == "UP" ? "up" : "down"));
        if (!status.ok()) EmitWarning(session.store_path(), status.message());
    }
}

}  // namespace zarr_driver
