// SPDX-License-Identifier: MIT
// The part of MdimSession that makes and changes dimensions. The store knows a dimension by the
// arrays that have it.
#include <algorithm>

#include "core/base/text.h"
#include "core/conventions/dimensions.h"
#include "core/conventions/nczarr.h"
#include "core/hierarchy/resize.h"
#include "core/store/keys.h"
#include "driver/mdim_array.h"
#include "driver/mdim_dimension.h"
#include "driver/report.h"
#include "driver/store_failures.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::AxisRole;
using zarr::Result;
using zarr::Status;

namespace {

// The letter of CF's attribute `axis`, and the role it gives; '\0' for a type that has none.
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

}  // namespace

// ---------------------------------------------------------------------------------------------
// Dimensions of arrays

// False for what cannot be its group's dimension of that name: the group has coordinates of another
// length, which are of another dimension.
bool MdimSession::MayBeGroups(const zarr::Dimension& dimension) const {
    if (!dimension.coordinate_path.empty()) return true;
    const std::string path = zarr::JoinKey(dimension.group, dimension.name);
    if (path.empty() || !zarr::IsValidKey(path)) return true;
    const auto metadata = location_.hierarchy->Metadata(path);
    return !metadata.ok() || metadata->rank() != 1 || metadata->shape[0] == dimension.size;
}

std::shared_ptr<ZarrDimension> MdimSession::DimensionOf(const zarr::ArrayFacts& facts,
                                                        std::size_t index) {
    const zarr::Dimension& dimension = facts.dimensions[index];
    auto made = std::make_shared<ZarrDimension>(shared_from_this(), facts, index);
    const std::string key = made->Key();
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        const NewDimension* created =
            dimension.is_named ? FindCreated(dimension.group, dimension.name, dimension.size)
                               : nullptr;
        if (created != nullptr) return DimensionOf(*created);
        if (auto shared = dimensions_[key].lock()) return shared;
    }
    // Without the lock: this may read metadata.
    const bool may_be_groups = !dimension.is_named || MayBeGroups(dimension);
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    std::weak_ptr<ZarrDimension>& known = dimensions_[key];
    if (auto shared = known.lock()) return shared;
    if (may_be_groups)
        ClaimName(made);
    else
        made->TakeFreeName();
    known = made;
    return made;
}

// Gives a dimension another full name where the one that it has is another's. What was opened for
// reading keeps the names that it has given; where dimensions change, those that nobody holds are
// free.
void MdimSession::ClaimName(const std::shared_ptr<ZarrDimension>& dimension) {
    if (!dimension->is_groups()) return;
    NameClaim& claim = claims_[dimension->GetFullName()];
    const std::string key = dimension->Key();
    const bool is_free =
        claim.key.empty() || claim.key == key || (update_ != nullptr && claim.owner.expired());
    if (is_free)
        claim = {key, dimension};
    else
        dimension->TakeFreeName();
}

// ---------------------------------------------------------------------------------------------
// Dimensions that were created

std::shared_ptr<ZarrDimension> MdimSession::DimensionOf(const NewDimension& created) {
    auto made = std::make_shared<ZarrDimension>(shared_from_this(), created);
    std::weak_ptr<ZarrDimension>& known = dimensions_[made->Key()];
    if (auto shared = known.lock()) return shared;
    ClaimName(made);
    known = made;
    return made;
}

const NewDimension* MdimSession::FindCreated(const std::string& group, const std::string& name,
                                             std::uint64_t size) const {
    for (std::string path = group;; path = std::string(zarr::ParentPath(path))) {
        for (const NewDimension& created : created_)
            if (created.group == path && created.name == name && created.size == size)
                return &created;
        if (path.empty()) return nullptr;
    }
}

std::shared_ptr<ZarrDimension> MdimSession::CreateDimension(const NewDimension& dimension) {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    created_.push_back(dimension);
    return DimensionOf(dimension);
}

std::vector<std::shared_ptr<ZarrDimension>> MdimSession::CreatedDimensions(
    const std::string& group) {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrDimension>> found;
    for (const NewDimension& created : created_)
        if (created.group == group) found.push_back(DimensionOf(created));
    return found;
}

std::shared_ptr<ZarrDimension> MdimSession::DeclaredDimension(const NewDimension& dimension) {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    return DimensionOf(dimension);
}

Result<std::shared_ptr<ZarrDimension>> MdimSession::Adopt(const std::string& group,
                                                          const GDALDimension& dimension) {
    for (const auto& own : LiveDimensions())
        if (own.get() == &dimension && own->is_named()) return own;
    ZARR_RETURN_IF_ERROR(CheckName(dimension.GetName()));
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        const NewDimension* created = FindCreated(group, dimension.GetName(), dimension.GetSize());
        if (created != nullptr) return DimensionOf(*created);
    }
    return CreateDimension({group, dimension.GetName(), dimension.GetType(),
                            dimension.GetDirection(), dimension.GetSize()});
}

std::vector<std::shared_ptr<ZarrDimension>> MdimSession::LiveDimensions() const {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrDimension>> live;
    for (const auto& [key, known] : dimensions_)
        if (auto dimension = known.lock()) live.push_back(std::move(dimension));
    return live;
}

void MdimSession::Rekey() {
    const auto live = LiveDimensions();
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    dimensions_.clear();
    claims_.clear();
    for (const auto& dimension : live) {
        dimensions_[dimension->Key()] = dimension;
        ClaimName(dimension);
    }
}

// What a dimension was created as is said by its coordinate array, in CF's words, where that does
// not say it already.
void MdimSession::AddAxisHints() {
    std::vector<NewDimension> created;
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        created = created_;
    }
    for (const NewDimension& dimension : created) {
        const Axis axis = AxisOf(dimension.type);
        if (axis.letter == '\0') continue;
        const std::string path =
            zarr::FindCoordinateArray(hierarchy(), dimension.group, dimension.name, dimension.size);
        if (path.empty()) continue;
        const auto attributes = update_->Attributes(path);
        if (!attributes.ok()) continue;
        const zarr::DimensionFacts facts{dimension.name, dimension.size, &*attributes};
        const AxisRole role = zarr::RoleOf(facts);
        const bool is_silent = zarr::RoleFromAttributes(*attributes) == AxisRole::kNone &&
                               attributes->Find("axis") == nullptr;
        Status status;
        if (role != axis.role && is_silent)
            status = ChangeAttribute(path, "axis", json::Value(std::string(1, axis.letter)));
        const bool is_vertical = axis.role == AxisRole::kZ &&
                                 (dimension.direction == "UP" || dimension.direction == "DOWN");
        if (status.ok() && is_vertical && attributes->Find("positive") == nullptr)
            status = ChangeAttribute(path, "positive",
                                     json::Value(dimension.direction == "UP" ? "up" : "down"));
        if (!status.ok()) EmitWarning(store_path(), status.message());
    }
}

// ---------------------------------------------------------------------------------------------
// Changes of all arrays that have a dimension

Status MdimSession::AddUsers(const std::string& group, const ZarrDimension& dimension,
                             std::vector<User>& users) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<zarr::Node> members, hierarchy().Members(group));
    for (const zarr::Node& node : members) {
        if (node.kind == zarr::NodeKind::kGroup) {
            ZARR_RETURN_IF_ERROR(AddUsers(node.path, dimension, users));
            continue;
        }
        auto facts = zarr::DescribeArray(hierarchy(), node.path);
        if (!facts.ok()) continue;  // what cannot be read has no dimensions
        User user{node.path, facts.Take(), {}};
        for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i)
            if (DimensionOf(user.facts, i).get() == &dimension) user.axes.push_back(i);
        if (!user.axes.empty()) users.push_back(std::move(user));
    }
    return {};
}

Result<std::vector<MdimSession::User>> MdimSession::UsersOf(const ZarrDimension& dimension) {
    std::vector<User> users;
    const bool is_whole_store = is_array_ && location_.node.empty();  // in no group
    if (dimension.is_named() && !is_whole_store) {
        WarnOfFailure(hierarchy(), store_path());  // of what went before
        ZARR_RETURN_IF_ERROR(AddUsers(dimension.group(), dimension, users));
        // What the store failed to give may be one of them.
        ZARR_RETURN_IF_ERROR(hierarchy().TakeFailure());
        return users;
    }
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts,
                          zarr::DescribeArray(hierarchy(), dimension.array_path()));
    User user{facts.path, std::move(facts), {}};
    for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i)
        if (user.facts.dimensions[i].name == dimension.GetName()) user.axes.push_back(i);
    users.push_back(std::move(user));
    return users;
}

Status MdimSession::CheckRename(const ZarrDimension& dimension, const std::string& new_name,
                                const std::vector<User>& users) {
    const std::string target = zarr::JoinKey(dimension.group(), new_name);
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind taken, hierarchy().KindOf(target));
    if (!dimension.CoordinatePath().empty() && taken != zarr::NodeKind::kNone)
        return Status::Invalid("/" + target + ": there is something of that name already, and " +
                               "the coordinate array is renamed with its dimension");
    for (const User& user : users) {
        const zarr::ArrayMetadata& metadata = user.facts.metadata;
        const bool is_stated = user.facts.attributes.Find("_ARRAY_DIMENSIONS") != nullptr ||
                               !zarr::NczarrDimensions(hierarchy(), user.path, metadata.document,
                                                       user.facts.attributes, metadata.rank())
                                    .empty();
        if (!is_stated && dimension.is_named())
            return Status::Unsupported("/" + user.path +
                                       ": its dimensions are named by OME, not by "
                                       "_ARRAY_DIMENSIONS, and are not renamed");
        for (const zarr::Dimension& other : user.facts.dimensions)
            if (other.name == new_name)
                return Status::Invalid("/" + user.path + ": has a dimension " +
                                       zarr::Quoted(new_name) + " already");
    }
    for (const auto& created : CreatedDimensions(dimension.group()))
        if (created->GetName() == new_name)
            return Status::Invalid("there is a dimension " + zarr::Quoted(new_name) + " already");
    return {};
}

Status MdimSession::StoreNames(const User& user, const std::string& new_name) {
    json::Array names;
    for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i) {
        const bool is_it = std::find(user.axes.begin(), user.axes.end(), i) != user.axes.end();
        names.emplace_back(is_it ? new_name : user.facts.dimensions[i].name);
    }
    return ChangeAttribute(user.path, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
}

template <class Change>
void MdimSession::ChangeCreated(const ZarrDimension& dimension, const Change& change) {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    for (NewDimension& created : created_)
        if (created.group == dimension.group() && created.name == dimension.GetName() &&
            created.size == dimension.GetSize())
            change(created);
}

Status MdimSession::ReloadLive(const std::vector<std::string>& paths) {
    Status first;
    for (const std::string& path : paths) {
        const auto array = OpenIfLive(path);
        const Status status = array != nullptr ? array->Reload(path) : Status();
        if (first.ok()) first = status;
    }
    return first;
}

Status MdimSession::RenameDimension(ZarrDimension& dimension, const std::string& new_name) {
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckName(new_name));
    if (new_name == dimension.GetName()) return {};
    ZARR_ASSIGN_OR_RETURN(const std::vector<User> users, UsersOf(dimension));
    ZARR_RETURN_IF_ERROR(CheckRename(dimension, new_name, users));
    const std::string coordinates = dimension.CoordinatePath();
    const std::string target = zarr::JoinKey(dimension.group(), new_name);
    std::vector<std::string> paths;
    for (const User& user : users) {
        ZARR_RETURN_IF_ERROR(StoreNames(user, new_name));
        paths.push_back(user.path == coordinates ? target : user.path);
    }
    ZARR_RETURN_IF_ERROR(update_->StoreAttributes());
    ChangeCreated(dimension, [&](NewDimension& created) { created.name = new_name; });
    dimension.Renamed(new_name);
    Rekey();
    const Status renamed = coordinates.empty() ? Status() : RenameNode(coordinates, new_name);
    const Status reloaded = ReloadLive(paths);
    return renamed.ok() ? reloaded : renamed;
}

Status MdimSession::ResizeArray(const std::string& path, const std::vector<std::uint64_t>& shape) {
    StoreUpdate& store = update_->store();
    ZARR_RETURN_IF_ERROR(store.Release(path, options_.threads));
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy().OpenArray(path));
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, store.WriterOf(array));
    ZARR_RETURN_IF_ERROR(
        zarr::ResizeArray(store.metadata(), *store.store(), *writer, shape, options_.threads));
    return store.Release(path, options_.threads);
}

Result<std::map<std::string, MdimSession::NewShape>> MdimSession::NewShapes(
    const std::map<ZarrDimension*, std::uint64_t>& sizes) {
    std::map<std::string, NewShape> changes;
    for (const auto& [dimension, size] : sizes) {
        ZARR_ASSIGN_OR_RETURN(std::vector<User> users, UsersOf(*dimension));
        for (User& user : users) {
            NewShape& change = changes[user.path];
            if (change.shape.empty()) change.shape = user.facts.metadata.shape;
            change.metadata = std::move(user.facts.metadata);
            for (const std::size_t axis : user.axes) change.shape[axis] = size;
        }
    }
    return changes;
}

Status MdimSession::Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes) {
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    ZARR_ASSIGN_OR_RETURN(const auto changes, NewShapes(sizes));
    // Before anything is changed.
    for (const auto& [path, change] : changes)
        ZARR_RETURN_IF_ERROR(zarr::CheckShape(change.metadata, change.shape).WithContext(path));
    Status status;
    std::vector<std::string> changed;
    for (const auto& [path, change] : changes) {
        status = ResizeArray(path, change.shape);
        if (!status.ok()) break;
        changed.push_back(path);
    }
    if (status.ok()) {
        for (const auto& [dimension, size] : sizes) {
            ChangeCreated(*dimension,
                          [size = size](NewDimension& created) { created.size = size; });
            dimension->Resized(size);
        }
        Rekey();
    }
    const Status reloaded = ReloadLive(changed);
    return status.ok() ? reloaded : status;
}

}  // namespace zarr_driver
