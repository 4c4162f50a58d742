// SPDX-License-Identifier: MIT
#include "driver/multidim/shared_resource.h"

#include <cpl_conv.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <set>

#include "core/base/text.h"
#include "core/conventions/attributes.h"
#include "core/conventions/belongings.h"
#include "core/conventions/dimensions.h"
#include "core/conventions/named_members.h"
#include "core/conventions/nczarr.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/store/keys.h"
#include "driver/base/guard.h"
#include "driver/base/report.h"
#include "driver/multidim/array.h"
#include "driver/multidim/attribute.h"
#include "driver/multidim/dimension.h"
#include "driver/multidim/group.h"
#include "driver/multidim/old_statistics.h"
#include "driver/raster/subdatasets.h"
#include "driver/store/location.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_folder.h"

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

// Most arrays whose references are followed.
constexpr std::size_t kMaxArrays = 10'000;

// The name without the number that OutsideName() puts behind it; empty where there is none.
std::string WithoutNumber(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool is_numbered = last != std::string::npos && last > 0 && last + 1 < name.size();
    return is_numbered && name[last] == '_' ? name.substr(0, last) : std::string();
}

template <class Map>
auto Live(const Map& map) {
    std::vector<decltype(map.begin()->second.lock())> live;
    for (const auto& [key, weak] : map)
        if (auto object = weak.lock()) live.push_back(std::move(object));
    return live;
}

}  // namespace

SharedResource::SharedResource(Location location, OpenOptions options,
                               std::unique_ptr<StoreUpdate> update)
    : location_(std::move(location)),
      options_(std::move(options)),
      is_array_(location_.kind == zarr::NodeKind::kArray),
      root_(is_array_ ? std::string(zarr::ParentPath(location_.node)) : location_.node),
      // Inside the store, under the name that GDAL gives the statistics of such stores. Of a group
      // below the root in its own folder, as names of arrays start there.
      pam_path_(zarr::JoinKey(location_.store_path.text(), zarr::JoinKey(root_, "pam"))),
      pam_(std::make_shared<GDALPamMultiDim>(pam_path_)),
      update_(std::move(update)),
      activity_(location_.store_path, location_.hierarchy) {
    activity_.Opened("/" + location_.node + " by the multidimensional API");
}

SharedResource::~SharedResource() {
    Guarded(store_path(), [&] {
        WarnOfFailure(*location_.hierarchy, store_path());
        placed_.Forget();  // no array can be opened any more
        const zarr::Status status = Finish();
        if (!status.ok()) EmitError(store_path(), status);
    });
}

const zarr::Hierarchy& SharedResource::hierarchy() const {
    // What cannot be stored stays pending, and is reported by Flush().
    if (update_ != nullptr) static_cast<void>(update_->StoreAttributes());
    return *location_.hierarchy;
}

std::string SharedResource::GroupName(const std::string& path) const {
    if (root_.empty()) return "/" + path;
    const bool is_below = path.compare(0, root_.size() + 1, root_ + "/") == 0;
    return is_below ? path.substr(root_.size()) : "/";
}

std::string SharedResource::ArrayName(const std::string& path) const {
    // An array that is the whole store is called like it.
    if (path.empty()) return RootArrayName(location_.store_path);
    return IsOpened(path) ? std::string(zarr::LastName(path)) : OutsideName(path);
}

std::string SharedResource::ArrayFullName(const std::string& path) const {
    const std::string group = GroupName(std::string(zarr::ParentPath(path)));
    return (group == "/" ? "" : group) + "/" + ArrayName(path);
}

std::shared_ptr<ZarrMDArray> SharedResource::OpenIfLive(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = arrays_.find(path);
    auto array = found == arrays_.end() ? nullptr : found->second.lock();
    const bool is_wanted = array != nullptr && (array->has_stored_order() || !keeps_stored_order());
    return is_wanted ? array : nullptr;
}

zarr::Result<std::shared_ptr<ZarrMDArray>> SharedResource::OpenArray(const std::string& path) {
    if (auto array = OpenIfLive(path)) return array;
    WarnOfFailure(*location_.hierarchy, store_path());  // of what went before
    // Without the lock: opening looks at other arrays, and may read them.
    ZARR_ASSIGN_OR_RETURN(auto array, ZarrMDArray::Open(shared_from_this(), path));
    // What was overlooked would not be changed with the rest.
    if (update_ != nullptr) ZARR_RETURN_IF_ERROR(location_.hierarchy->TakeFailure());
    WarnOfFailure(*location_.hierarchy, store_path());
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<ZarrMDArray>& known = arrays_[path];
    if (keeps_stored_order() && !array->HasElements()) return array;  // for that copy alone
    if (auto other = known.lock()) return other;
    known = array;
    return array;
}

std::shared_ptr<ZarrGroup> SharedResource::OpenGroup(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<ZarrGroup>& known = groups_[path];
    if (auto group = known.lock()) return group;
    auto group = std::make_shared<ZarrGroup>(shared_from_this(), path);
    known = group;
    return group;
}

void SharedResource::Listed(const std::string& group) {
    if (is_array_ || !location_.hierarchy->is_consolidated()) return;
    std::vector<zarr::Node> lacking;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (has_warned_ || !listed_.insert(group).second) return;
        lacking = location_.hierarchy->Unconsolidated(group);
        has_warned_ = !lacking.empty();
    }
    WarnOfUnconsolidated(lacking, store_path());
}

// ---------------------------------------------------------------------------------------------
// Dimensions of arrays

// False for what cannot be its group's dimension of that name: the group has coordinates of another
// length, which are of another dimension.
bool SharedResource::MayBeGroups(const zarr::Dimension& dimension) const {
    if (!dimension.coordinate_path.empty()) return true;
    const std::string path = zarr::JoinKey(dimension.group, dimension.name);
    if (path.empty() || !zarr::IsValidKey(path)) return true;
    const auto metadata = location_.hierarchy->Metadata(path);
    return !metadata.ok() || metadata->rank() != 1 || metadata->shape[0] == dimension.size;
}

std::shared_ptr<ZarrDimension> SharedResource::DimensionOf(const zarr::ArrayFacts& facts,
                                                           std::size_t index) {
    const zarr::Dimension& dimension = facts.dimensions[index];
    auto made = std::make_shared<ZarrDimension>(shared_from_this(), facts, index);
    const std::string key = made->Key();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const NewDimension* created =
            dimension.is_named ? FindCreated(dimension.group, dimension.name, dimension.size)
                               : nullptr;
        if (created != nullptr) return DimensionOf(*created);
        if (auto shared = dimensions_[key].lock()) return shared;
    }
    // Without the lock: this may read metadata.
    const bool may_be_groups = !dimension.is_named || MayBeGroups(dimension);
    const std::lock_guard<std::mutex> lock(mutex_);
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
// reading keeps the names that it has given; where dimensions change, those not in use are
// free.
void SharedResource::ClaimName(const std::shared_ptr<ZarrDimension>& dimension) {
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

std::shared_ptr<ZarrDimension> SharedResource::DimensionOf(const NewDimension& created) {
    auto made = std::make_shared<ZarrDimension>(shared_from_this(), created);
    std::weak_ptr<ZarrDimension>& known = dimensions_[made->Key()];
    if (auto shared = known.lock()) return shared;
    ClaimName(made);
    known = made;
    return made;
}

const NewDimension* SharedResource::FindCreated(const std::string& group, const std::string& name,
                                                std::uint64_t size) const {
    for (std::string path = group;; path = std::string(zarr::ParentPath(path))) {
        for (const NewDimension& created : created_)
            if (created.group == path && created.name == name && created.size == size)
                return &created;
        if (path.empty()) return nullptr;
    }
}

std::shared_ptr<ZarrDimension> SharedResource::CreateDimension(const NewDimension& dimension) {
    const std::lock_guard<std::mutex> lock(mutex_);
    created_.push_back(dimension);
    return DimensionOf(dimension);
}

std::vector<std::shared_ptr<ZarrDimension>> SharedResource::CreatedDimensions(
    const std::string& group) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrDimension>> found;
    for (const NewDimension& created : created_)
        if (created.group == group) found.push_back(DimensionOf(created));
    return found;
}

std::shared_ptr<ZarrDimension> SharedResource::DeclaredDimension(const NewDimension& dimension) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return DimensionOf(dimension);
}

Result<std::shared_ptr<ZarrDimension>> SharedResource::Adopt(const std::string& group,
                                                             const GDALDimension& dimension) {
    for (const auto& own : LiveDimensions())
        if (own.get() == &dimension && own->is_named()) return own;
    ZARR_RETURN_IF_ERROR(CheckName(dimension.GetName()));
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const NewDimension* created = FindCreated(group, dimension.GetName(), dimension.GetSize());
        if (created != nullptr) return DimensionOf(*created);
    }
    return CreateDimension({group, dimension.GetName(), dimension.GetType(),
                            dimension.GetDirection(), dimension.GetSize()});
}

std::vector<std::shared_ptr<ZarrDimension>> SharedResource::LiveDimensions() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Live(dimensions_);
}

void SharedResource::Rekey() {
    const auto live = LiveDimensions();
    const std::lock_guard<std::mutex> lock(mutex_);
    dimensions_.clear();
    claims_.clear();
    for (const auto& dimension : live) {
        dimensions_[dimension->Key()] = dimension;
        ClaimName(dimension);
    }
}

// What a dimension was created as is said by its coordinate array, in CF's words, where that does
// not say it already.
void SharedResource::AddAxisHints() {
    std::vector<NewDimension> created;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
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

Status SharedResource::AddUsers(const std::string& group, const ZarrDimension& dimension,
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

Result<std::vector<SharedResource::User>> SharedResource::UsersOf(const ZarrDimension& dimension) {
    hierarchy().Reload();  // another process may have changed what is stored again
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

Status SharedResource::CheckRename(const ZarrDimension& dimension, const std::string& new_name,
                                   const std::vector<User>& users) {
    const std::string target = zarr::JoinKey(dimension.group(), new_name);
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind taken, hierarchy().KindOf(target));
    if (!dimension.CoordinatePath().empty() && taken != zarr::NodeKind::kNone)
        return Status::Invalid("/" + target + ": there is something of that name already, and " +
                               "the coordinate array is renamed with its dimension");
    for (const User& user : users) {
        const zarr::ArrayMetadata& metadata = user.facts.metadata;
        const bool is_stated =
            user.facts.attributes.Find("_ARRAY_DIMENSIONS") != nullptr ||
            !zarr::NczarrDimensions(hierarchy(), user.path, metadata, user.facts.attributes)
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

Status SharedResource::StoreNames(const User& user, const std::string& new_name) {
    json::Array names;
    for (std::size_t i = 0; i < user.facts.dimensions.size(); ++i) {
        const bool is_it = std::find(user.axes.begin(), user.axes.end(), i) != user.axes.end();
        names.emplace_back(is_it ? new_name : user.facts.dimensions[i].name);
    }
    return ChangeAttribute(user.path, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
}

template <class Change>
void SharedResource::ChangeCreated(const ZarrDimension& dimension, const Change& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (NewDimension& created : created_)
        if (created.group == dimension.group() && created.name == dimension.GetName() &&
            created.size == dimension.GetSize())
            change(created);
}

Status SharedResource::ReloadLive(const std::vector<std::string>& paths) {
    Status first;
    for (const std::string& path : paths) {
        const auto array = OpenIfLive(path);
        const Status status = array != nullptr ? array->Reload(path) : Status();
        if (first.ok()) first = status;
    }
    return first;
}

Status SharedResource::RenameDimension(ZarrDimension& dimension, const std::string& new_name) {
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

Status SharedResource::ResizeArray(const std::string& path,
                                   const std::vector<std::uint64_t>& shape) {
    StoreUpdate& store = *update_;
    ZARR_RETURN_IF_ERROR(store.Release(path, options_.threads));
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy().OpenArray(path));
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, store.WriterOf(array));
    ZARR_RETURN_IF_ERROR(
        zarr::ResizeArray(store.metadata(), *store.store(), *writer, shape, options_.threads));
    return store.Release(path, options_.threads);
}

Result<std::map<std::string, SharedResource::NewShape>> SharedResource::NewShapes(
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

Status SharedResource::Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes) {
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    ZARR_ASSIGN_OR_RETURN(const auto changes, NewShapes(sizes));
    // Before anything is changed.
    for (const auto& [path, change] : changes)
        ZARR_RETURN_IF_ERROR(
            zarr::WithShape(change.metadata, change.shape).status().WithContext(path));
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

// ---------------------------------------------------------------------------------------------
// What lies outside the opened node

bool SharedResource::IsOpened(const std::string& path) const {
    if (is_array_) return path == location_.node;
    return root_.empty() || zarr::IsAtOrBelow(path, root_);
}

// Whether the root group has a node of a name.
bool SharedResource::RootHolds(const std::string& name) const {
    const std::string path = zarr::JoinKey(root_, name);
    const auto is_array = location_.hierarchy->HoldsArray(path);
    if (is_array.ok() && *is_array) return true;
    const auto is_group = location_.hierarchy->Has(path, zarr::Document::kGroup);
    return is_group.ok() && *is_group;
}

std::string SharedResource::OutsideName(const std::string& path) const {
    std::string base(zarr::LastName(path));
    const std::string group(zarr::ParentPath(path));
    int nearer = 0;  // groups with something of that name
    for (std::string at = root_; at != group; at = std::string(zarr::ParentPath(at))) {
        const auto is_array = location_.hierarchy->HoldsArray(zarr::JoinKey(at, base));
        const bool holds = at == root_ ? RootHolds(base) : is_array.ok() && *is_array;
        nearer += holds ? 1 : 0;
        if (at.empty()) break;
    }
    if (nearer == 0) return base;
    std::string name = base + "_" + std::to_string(nearer + 1);
    while (RootHolds(name)) name += "_2";
    return name;
}

std::string SharedResource::FindOutside(const std::string& name) const {
    const bool is_store = is_array_ ? location_.node.empty() : root_.empty();
    if (is_store || !CheckName(name).ok()) return {};
    for (std::string base = name; !base.empty(); base = WithoutNumber(base)) {
        for (std::string at = root_;; at = std::string(zarr::ParentPath(at))) {
            std::string path = zarr::JoinKey(at, base);
            const auto is_array =
                IsOpened(path) ? zarr::Result<bool>(false) : location_.hierarchy->HoldsArray(path);
            if (is_array.ok() && *is_array && OutsideName(path) == name) return path;
            if (at.empty()) break;
        }
    }
    // In a group that is not above, but that an absolute path leads to.
    for (std::string& path : OutsideArrays())
        if (OutsideName(path) == name) return std::move(path);
    return {};
}

// The paths of all arrays that were opened, as far as the store lists them.
std::vector<std::string> SharedResource::OpenedArrays() const {
    if (is_array_) return {location_.node};
    std::vector<std::string> arrays;
    std::vector<std::string> groups{root_};
    while (!groups.empty() && arrays.size() < kMaxArrays) {
        const std::string group = std::move(groups.back());
        groups.pop_back();
        const auto members = zarr::MembersOf(hierarchy(), group);
        if (!members.ok()) continue;  // reported when it is listed
        for (const zarr::Node& node : *members)
            (node.kind == zarr::NodeKind::kGroup ? groups : arrays).push_back(node.path);
    }
    return arrays;
}

// The arrays that an array refers to. What cannot be read refers to nothing.
std::vector<std::string> SharedResource::ReferencesOf(const std::string& path) const {
    std::vector<std::string> references;
    const auto facts = zarr::DescribeArray(hierarchy(), path);
    if (!facts.ok()) return references;
    for (const zarr::Dimension& dimension : facts->dimensions)
        if (!dimension.coordinate_path.empty()) references.push_back(dimension.coordinate_path);
    const std::string group(zarr::ParentPath(path));
    for (const std::string& name : zarr::WordsAttribute(facts->attributes, "coordinates")) {
        std::string found = zarr::FindVariable(hierarchy(), group, name);
        // A scalar is not a coordinate of many elements, but often a grid mapping.
        const auto metadata = found.empty() ? zarr::Result<zarr::ArrayMetadata>(zarr::Status())
                                            : hierarchy().Metadata(found);
        if (metadata.ok() && metadata->rank() > 0) references.push_back(std::move(found));
    }
    return references;
}

std::vector<std::string> SharedResource::OutsideArrays() const {
    if (is_array_ ? location_.node.empty() : root_.empty()) return {};
    std::vector<std::string> waiting = OpenedArrays();
    std::vector<std::string> keys;
    for (const std::string& path : waiting) {
        keys.push_back(hierarchy().KeyOf(path, zarr::Document::kArray));
        keys.push_back(hierarchy().KeyOf(path, zarr::Document::kAttributes));
    }
    hierarchy().store()->Prefetch(keys, {});
    std::set<std::string> outside;
    while (!waiting.empty()) {
        const std::string path = std::move(waiting.back());
        waiting.pop_back();
        for (std::string& reference : ReferencesOf(path))
            if (!IsOpened(reference) && outside.insert(reference).second)
                waiting.push_back(std::move(reference));
    }
    return {outside.begin(), outside.end()};
}

// ---------------------------------------------------------------------------------------------
// Changing a store

Status SharedResource::CheckUpdate() const {
    return update_ != nullptr ? Status() : NotForUpdate(update_.is_inherited());
}

Status SharedResource::CheckName(const std::string& name) {
    if (name.empty() || zarr::IsDocument(name) || name.find_first_of("/\\") != std::string::npos ||
        !zarr::IsValidKey(name))
        return Status::Invalid(zarr::Quoted(name) + ": nothing in a Zarr store can have this name");
    return {};
}

Status SharedResource::Flush() {
    if (update_ == nullptr) return {};
    try {
        return update_->Flush(options_.threads);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

Status SharedResource::Finish() {
    if (update_ == nullptr) return {};
    try {
        AddAxisHints();
        const Status placed = placed_.Finish(*this);
        const Status finished = update_->Finish(options_.threads);
        return placed.ok() ? finished : placed;
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

std::vector<std::shared_ptr<ZarrMDArray>> SharedResource::LiveArrays() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Live(arrays_);
}

std::vector<std::shared_ptr<ZarrGroup>> SharedResource::LiveGroups() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Live(groups_);
}

// ---------------------------------------------------------------------------------------------
// Attributes

Status SharedResource::ChangeAttribute(const std::string& path, const std::string& name,
                                       std::optional<json::Value> value) {
    ZARR_RETURN_IF_ERROR(update_->ChangeAttribute(path, name, std::move(value)));
    const auto array = OpenIfLive(path);
    if (array == nullptr) return {};
    ZARR_ASSIGN_OR_RETURN(json::Value attributes, update_->Attributes(path));
    array->AttributeChanged(name, std::move(attributes));
    return {};
}

void SharedResource::Register(const std::shared_ptr<ZarrAttribute>& attribute) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (attributes_.size() >= most_attributes_) {
        const auto is_gone = [](const auto& known) { return known.expired(); };
        attributes_.erase(std::remove_if(attributes_.begin(), attributes_.end(), is_gone),
                          attributes_.end());
        most_attributes_ = std::max<std::size_t>(64, 2 * attributes_.size());
    }
    attributes_.push_back(attribute);
}

std::vector<std::shared_ptr<ZarrAttribute>> SharedResource::AttributesOf(
    const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrAttribute>> found;
    for (const auto& known : attributes_) {
        auto attribute = known.lock();
        if (attribute != nullptr && !attribute->is_deleted() && attribute->path() == path)
            found.push_back(std::move(attribute));
    }
    return found;
}

std::shared_ptr<ZarrAttribute> SharedResource::FindAttribute(const std::string& path,
                                                             const std::string& name) const {
    for (const auto& attribute : AttributesOf(path))
        if (attribute->GetName() == name) return attribute;
    return nullptr;
}

// ---------------------------------------------------------------------------------------------
// Nodes

Status SharedResource::DeleteNode(const std::string& path) {
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckDeletable(location_.store_path, path));
    ZARR_RETURN_IF_ERROR(update_->StoreAttributes());
    // First from the store: what could not be deleted is as it was.
    ZARR_ASSIGN_OR_RETURN(
        const auto deleted,
        zarr::DeleteWithBelongings(update_->metadata(), hierarchy(), path, {"", true}));
    NodesChanged();
    ZARR_RETURN_IF_ERROR(StoreMultidimCrs(*update_->store(), {{path, "", ""}}));
    RemoveBesideNode(location_.store_path, path);
    for (const std::string& node : deleted) ForgetNode(node);
    return {};
}

// Drops what is known of a node that is gone, and of what was below it.
void SharedResource::ForgetNode(const std::string& path) {
    update_->Discard(path);
    for (const auto& array : LiveArrays())
        if (zarr::IsAtOrBelow(array->path(), path)) array->Deleted();
    for (const auto& group : LiveGroups())
        if (zarr::IsAtOrBelow(group->path(), path)) group->Deleted();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& known : attributes_)
        if (auto attribute = known.lock())
            if (zarr::IsAtOrBelow(attribute->path(), path)) attribute->Deleted();
    const auto erase_below = [&](auto& objects) {
        for (auto it = objects.begin(); it != objects.end();)
            it = zarr::IsAtOrBelow(it->first, path) ? objects.erase(it) : std::next(it);
    };
    erase_below(arrays_);
    erase_below(groups_);
    created_.erase(std::remove_if(created_.begin(), created_.end(),
                                  [&](const NewDimension& each) {
                                      return zarr::IsAtOrBelow(each.group, path);
                                  }),
                   created_.end());
}

Status SharedResource::RenameNode(const std::string& node, const std::string& new_name) {
    // A copy, as it may be that of an object that is told.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const std::string path = node;
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckName(new_name));
    ZARR_RETURN_IF_ERROR(CheckDeletable(location_.store_path, path));
    if (path == root_ || (is_array_ && path == location_.node))
        return Status::Invalid("/" + path + ": what the dataset was opened as is not renamed");
    ZARR_RETURN_IF_ERROR(update_->StoreAttributes());
    ZARR_RETURN_IF_ERROR(update_->FlushChunks(options_.threads));
    ZARR_ASSIGN_OR_RETURN(
        const auto renamed,
        zarr::RenameWithBelongings(update_->metadata(), hierarchy(), path, new_name));
    NodesChanged();
    MoveBesideNode(location_.store_path, path, zarr::JoinKey(zarr::ParentPath(path), new_name));
    Status first;
    for (const auto& [from, to] : renamed) {
        const Status status = FollowRename(from, to);
        if (first.ok()) first = status;
    }
    return first;
}

// Brings what is known of a node, and of what is below it, to its new path.
Status SharedResource::FollowRename(const std::string& path, const std::string& target) {
    ZARR_RETURN_IF_ERROR(update_->Release(path, options_.threads));
    update_->MoveAttributes(path, target);
    MoveObjects(path, target);
    Status first;
    for (const auto& array : LiveArrays()) {
        if (!zarr::IsAtOrBelow(array->path(), path)) continue;
        const Status status = array->Reload(target + array->path().substr(path.size()));
        if (first.ok()) first = status;
    }
    return first;
}

// All but the arrays, which are to be opened anew.
void SharedResource::MoveObjects(const std::string& path, const std::string& target) {
    const auto moved = [&](const std::string& old) {
        return zarr::IsAtOrBelow(old, path) ? target + old.substr(path.size()) : old;
    };
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const auto& known : attributes_)
            if (auto attribute = known.lock()) attribute->Moved(path, target);
        for (NewDimension& created : created_) created.group = moved(created.group);
        const auto move_keys = [&](auto& objects) {
            for (auto& [old, object] : std::exchange(objects, {})) objects[moved(old)] = object;
        };
        move_keys(arrays_);
        move_keys(groups_);
    }
    for (const auto& group : LiveGroups())
        if (zarr::IsAtOrBelow(group->path(), path)) group->Moved(moved(group->path()));
    for (const auto& dimension : LiveDimensions()) dimension->Moved(path, target);
    Rekey();
}

void SharedResource::DropOldStatistics() {
    std::call_once(old_statistics_dropped_,
                   [&] { ClearOldStatistics(*this, pam_path_ + ".aux.xml"); });
}

}  // namespace zarr_driver
