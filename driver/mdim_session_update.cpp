// SPDX-License-Identifier: MIT
// The part of MdimSession that changes a store.
#include <algorithm>
#include <new>

#include "core/base/text.h"
#include "core/store/keys.h"
#include "driver/mdim_array.h"
#include "driver/mdim_attribute.h"
#include "driver/mdim_dimension.h"
#include "driver/mdim_group.h"
#include "driver/report.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Status;

namespace {

template <class Map>
auto Live(const Map& map) {
    std::vector<decltype(map.begin()->second.lock())> live;
    for (const auto& [key, weak] : map)
        if (auto object = weak.lock()) live.push_back(std::move(object));
    return live;
}

}  // namespace

Status MdimSession::CheckUpdate() const {
    return update_ != nullptr ? Status() : NotForUpdate(update_.is_inherited());
}

Status MdimSession::CheckName(const std::string& name) {
    const bool is_reserved = name == zarr::kArrayKey || name == zarr::kGroupKey ||
                             name == zarr::kAttributesKey || name == zarr::kConsolidatedKey;
    if (name.empty() || is_reserved || name.find_first_of("/\\") != std::string::npos ||
        !zarr::IsValidKey(name))
        return Status::Invalid(zarr::Quoted(name) + ": nothing in a Zarr store can have this name");
    return {};
}

Status MdimSession::Flush() {
    if (update_ == nullptr) return {};
    try {
        return update_->Flush(options_.threads);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

Status MdimSession::Finish() {
    if (update_ == nullptr) return {};
    try {
        AddAxisHints();
        return update_->Finish(options_.threads);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

std::vector<std::shared_ptr<ZarrMDArray>> MdimSession::LiveArrays() const {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    return Live(arrays_);
}

std::vector<std::shared_ptr<ZarrGroup>> MdimSession::LiveGroups() const {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    return Live(groups_);
}

// ---------------------------------------------------------------------------------------------
// Attributes

Status MdimSession::ChangeAttribute(const std::string& path, const std::string& name,
                                    std::optional<json::Value> value) {
    ZARR_RETURN_IF_ERROR(update_->ChangeAttribute(path, name, std::move(value)));
    const auto array = OpenIfLive(path);
    if (array == nullptr) return {};
    ZARR_ASSIGN_OR_RETURN(json::Value attributes, update_->Attributes(path));
    array->AttributeChanged(name, std::move(attributes));
    return {};
}

void MdimSession::Register(const std::shared_ptr<ZarrAttribute>& attribute) {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    if (attributes_.size() >= most_attributes_) {
        const auto is_gone = [](const auto& known) { return known.expired(); };
        attributes_.erase(std::remove_if(attributes_.begin(), attributes_.end(), is_gone),
                          attributes_.end());
        most_attributes_ = std::max<std::size_t>(64, 2 * attributes_.size());
    }
    attributes_.push_back(attribute);
}

std::vector<std::shared_ptr<ZarrAttribute>> MdimSession::AttributesOf(
    const std::string& path) const {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrAttribute>> found;
    for (const auto& known : attributes_) {
        auto attribute = known.lock();
        if (attribute != nullptr && !attribute->is_deleted() && attribute->path() == path)
            found.push_back(std::move(attribute));
    }
    return found;
}

std::shared_ptr<ZarrAttribute> MdimSession::FindAttribute(const std::string& path,
                                                          const std::string& name) const {
    for (const auto& attribute : AttributesOf(path))
        if (attribute->GetName() == name) return attribute;
    return nullptr;
}

// ---------------------------------------------------------------------------------------------
// Nodes

Status MdimSession::DeleteNode(const std::string& path) {
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    // First from the store: what could not be deleted is as it was.
    ZARR_RETURN_IF_ERROR(update_->store().metadata().DeleteNode(path));
    ++generation_;
    update_->store().Discard(path);
    update_->Forget(path);
    for (const auto& array : LiveArrays())
        if (zarr::IsAtOrBelow(array->path(), path)) array->Deleted();
    for (const auto& group : LiveGroups())
        if (zarr::IsAtOrBelow(group->path(), path)) group->Deleted();
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    for (const auto& known : attributes_)
        if (auto attribute = known.lock())
            if (zarr::IsAtOrBelow(attribute->path(), path)) attribute->Deleted();
    const auto is_below = [&](const auto& item) { return zarr::IsAtOrBelow(item.first, path); };
    for (auto it = arrays_.begin(); it != arrays_.end();)
        it = is_below(*it) ? arrays_.erase(it) : std::next(it);
    for (auto it = groups_.begin(); it != groups_.end();)
        it = is_below(*it) ? groups_.erase(it) : std::next(it);
    created_.erase(std::remove_if(created_.begin(), created_.end(),
                                  [&](const NewDimension& each) {
                                      return zarr::IsAtOrBelow(each.group, path);
                                  }),
                   created_.end());
    return {};
}

Status MdimSession::RenameNode(const std::string& node, const std::string& new_name) {
    // A copy, as it may be that of an object that is told.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const std::string path = node;
    ZARR_RETURN_IF_ERROR(CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckName(new_name));
    if (path == root_ || (is_array_ && path == location_.node))
        return Status::Invalid("/" + path + ": what the dataset was opened as is not renamed");
    ZARR_RETURN_IF_ERROR(update_->store().Release(path, options_.threads));
    ZARR_RETURN_IF_ERROR(update_->store().metadata().RenameNode(path, new_name));
    ++generation_;
    const std::string target = zarr::JoinKey(zarr::ParentPath(path), new_name);
    update_->Moved(path, target);
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
void MdimSession::MoveObjects(const std::string& path, const std::string& target) {
    const auto moved = [&](const std::string& old) {
        return zarr::IsAtOrBelow(old, path) ? target + old.substr(path.size()) : old;
    };
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        for (const auto& known : attributes_)
            if (auto attribute = known.lock()) attribute->Moved(path, target);
        for (NewDimension& created : created_) created.group = moved(created.group);
        decltype(arrays_) arrays;
        for (auto& [old, array] : arrays_) arrays[moved(old)] = array;
        arrays_ = std::move(arrays);
        decltype(groups_) groups;
        for (auto& [old, group] : groups_) groups[moved(old)] = group;
        groups_ = std::move(groups);
    }
    for (const auto& group : LiveGroups())
        if (zarr::IsAtOrBelow(group->path(), path)) group->Moved(moved(group->path()));
    for (const auto& dimension : LiveDimensions()) dimension->Moved(path, target);
    Rekey();
}

}  // namespace zarr_driver
