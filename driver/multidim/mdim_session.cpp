// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_session.h"

#include <mutex>
#include <new>
#include <utility>

#include "core/base/text.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/multidim/attribute_registry.h"
#include "driver/multidim/dimension_registry.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_group.h"
#include "driver/multidim/node_editing.h"
#include "driver/multidim/outside_arrays.h"
#include "driver/raster/subdatasets.h"
#include "driver/store/multidim_pam.h"
#include "driver/store/sidecars.h"

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

// Returns the path of the PAM file of the group `root`, without ".aux.xml". The PAM file is in the
// folder of the group, because PAM names arrays by their paths from the root group. References are
// read-only and may be a file or a repository of versions, so their PAM file is beside them.
std::string PamPathOf(const OpenNode& open_node, const std::string& root) {
    if (open_node.hierarchy->store()->Traits().locator != nullptr)
        return SidecarBase(open_node.address, "/" + root + ":pam", false, {});
    return zarr::JoinKey(open_node.address.text(), zarr::JoinKey(root, "pam"));
}

// Opens PAM. The file is written when PAM is destroyed, which is no error if the folder of
// references is read-only or on a server.
std::shared_ptr<GDALPamMultiDim> OpenPam(const OpenNode& open_node, const std::string& path) {
    if (open_node.hierarchy->store()->Traits().locator == nullptr)
        return std::make_shared<GDALPamMultiDim>(path);
    return {new GDALPamMultiDim(path), [](GDALPamMultiDim* pam) {
                const QuietErrors quiet;
                delete pam;
            }};
}

}  // namespace

MdimSession::MdimSession(OpenNode open_node, OpenOptions options,
                         std::unique_ptr<StoreUpdate> update)
    : open_node_(std::move(open_node)),
      options_(std::move(options)),
      store_in_use_(open_node_.address),
      is_array_(open_node_.kind == zarr::NodeKind::kArray),
      root_(is_array_ ? std::string(zarr::ParentPath(open_node_.node)) : open_node_.node),
      pam_path_(PamPathOf(open_node_, root_)),
      pam_(OpenPam(open_node_, pam_path_)),
      update_(std::move(update)),
      attributes_(std::make_unique<AttributeRegistry>()),
      dimensions_(std::make_unique<DimensionRegistry>(*this)),
      activity_(open_node_.address, open_node_.hierarchy) {
    if (is_array_)
        store_in_use_.Show(open_node_.node);
    else
        store_in_use_.ShowGroup(open_node_.node);
    activity_.Opened("/" + open_node_.node + " by the multidimensional API");
}

MdimSession::~MdimSession() {
    Guarded(store_path(), [&] {
        WarnOfFailure(*open_node_.hierarchy, store_path());
        // Pending grid mappings are discarded. Otherwise Finish() would open arrays for them, but
        // arrays cannot be opened during destruction.
        pending_grid_mappings_.Forget();
        // The dataset's own closing has reported a failure that happens again.
        const std::string reported = failure_;
        const zarr::Status status = Finish();
        if (!status.ok() && failure_ != reported) EmitError(store_path(), status);
    });
}

const zarr::Hierarchy& MdimSession::hierarchy() const {
    // If pending attributes cannot be stored, they stay pending, and Flush() reports the failure.
    if (update_ != nullptr) static_cast<void>(update_->StoreAttributes());
    return *open_node_.hierarchy;
}

std::string MdimSession::GroupName(const std::string& path) const {
    if (root_.empty()) return "/" + path;
    const bool is_below = path.compare(0, root_.size() + 1, root_ + "/") == 0;
    return is_below ? path.substr(root_.size()) : "/";
}

std::string MdimSession::ArrayName(const std::string& path) const {
    return path.empty() ? RootArrayName(open_node_.address) : OutsideArrays(*this).NameOf(path);
}

std::string MdimSession::ArrayFullName(const std::string& path) const {
    const std::string group = GroupName(std::string(zarr::ParentPath(path)));
    return (group == "/" ? "" : group) + "/" + ArrayName(path);
}

std::shared_ptr<ZarrMDArray> MdimSession::FindArray(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = arrays_.find(path);
    auto array = found == arrays_.end() ? nullptr : found->second.lock();
    const bool is_wanted = array != nullptr && (array->has_stored_order() || !keeps_stored_order());
    return is_wanted ? array : nullptr;
}

zarr::Result<std::shared_ptr<ZarrMDArray>> MdimSession::OpenArray(const std::string& path) {
    if (auto array = FindArray(path)) return array;
    // warns of earlier failures, so that TakeFailure() below returns only new ones
    WarnOfFailure(*open_node_.hierarchy, store_path());
    // The array is opened without a locked mutex, because opening an array may open other arrays,
    // which would lock the mutex again.
    ZARR_ASSIGN_OR_RETURN(auto array, ZarrMDArray::Open(shared_from_this(), path));
    // In update mode, metadata that could not be read is an error, because a change of this array
    // may require changes of the unreadable array.
    if (update_ != nullptr) ZARR_RETURN_IF_ERROR(open_node_.hierarchy->TakeFailure());
    WarnOfFailure(*open_node_.hierarchy, store_path());
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<ZarrMDArray>& known = arrays_[path];
    // `array` keeps the stored order of its dimensions, which only copies want. It is therefore not
    // shared with other callers.
    if (keeps_stored_order() && !array->HasElements()) return array;
    if (auto other = known.lock()) return other;
    known = array;
    return array;
}

std::shared_ptr<ZarrGroup> MdimSession::OpenGroup(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<ZarrGroup>& known = groups_[path];
    if (auto group = known.lock()) return group;
    auto group = std::make_shared<ZarrGroup>(shared_from_this(), path);
    group->SetOwner(group);
    known = group;
    return group;
}

void MdimSession::Listed(const std::string& group) {
    if (is_array_ || !open_node_.hierarchy->is_consolidated()) return;
    std::vector<zarr::Node> lacking;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (has_warned_ || !listed_.insert(group).second) return;
        lacking = open_node_.hierarchy->Unconsolidated(group);
        has_warned_ = !lacking.empty();
    }
    WarnOfUnconsolidated(lacking, store_path());
}

Status MdimSession::CheckUpdate() const {
    return update_ != nullptr ? Status() : NotForUpdate(update_.is_inherited());
}

Status MdimSession::CheckName(const std::string& name) {
    if (name.empty() || zarr::IsDocument(name) || name.find_first_of("/\\") != std::string::npos ||
        !zarr::IsValidKey(name))
        return Status::Invalid(zarr::Quoted(name) +
                               ": not a valid name of an array or group in a Zarr store");
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
        StoreAxes(*this);
        const Status placed = pending_grid_mappings_.Finish(*this);
        const Status finished = update_->Finish(options_.threads);
        const Status& result = placed.ok() ? finished : placed;
        failure_ = result.message();
        return result;
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

std::vector<std::shared_ptr<ZarrMDArray>> MdimSession::Arrays() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Live(arrays_);
}

std::vector<std::shared_ptr<ZarrGroup>> MdimSession::Groups() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Live(groups_);
}

Status MdimSession::ChangeAttribute(const std::string& path, const std::string& name,
                                    std::optional<json::Value> value) {
    if (const auto array = FindArray(path)) return array->ChangeAttribute(name, std::move(value));
    // Attributes that are not a JSON object cannot be changed.
    ZARR_RETURN_IF_ERROR(update_->Attributes(path).status());
    update_->ChangeAttribute(path, {name, std::nullopt, std::move(value)});
    return {};
}

void MdimSession::DeleteObjects(const std::string& path) {
    for (const auto& array : Arrays())
        if (zarr::IsAtOrBelow(array->path(), path)) array->Deleted();
    for (const auto& group : Groups())
        if (zarr::IsAtOrBelow(group->path(), path)) group->Deleted();
    attributes_->Delete(path);
    dimensions_->Delete(path);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto erase_below = [&](auto& objects) {
        for (auto it = objects.begin(); it != objects.end();)
            it = zarr::IsAtOrBelow(it->first, path) ? objects.erase(it) : std::next(it);
    };
    erase_below(arrays_);
    erase_below(groups_);
}

void MdimSession::MoveObjects(const std::string& path, const std::string& target) {
    const auto moved = [&](const std::string& old) {
        return zarr::IsAtOrBelow(old, path) ? target + old.substr(path.size()) : old;
    };
    attributes_->Move(path, target);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto move_keys = [&](auto& objects) {
            for (auto& [old, object] : std::exchange(objects, {})) objects[moved(old)] = object;
        };
        move_keys(arrays_);
        move_keys(groups_);
    }
    for (const auto& group : Groups())
        if (zarr::IsAtOrBelow(group->path(), path)) group->Moved(moved(group->path()));
    dimensions_->Move(path, target);
}

// Statistics are removed from PAM if their array was written after the PAM file or no longer
// exists, unless the file is on a server.
void MdimSession::DropOldStatistics() {
    std::call_once(old_statistics_dropped_, [&] {
        const std::string file = pam_path_ + ".aux.xml";
        const auto written = WrittenAt(file);
        const auto names = written ? ArraysWithStatistics(file) : std::vector<std::string>();
        for (const std::string& name : names) {
            const auto path = zarr::NormalizePath(root_ + "/" + name);
            const auto array =
                path.ok() ? hierarchy().OpenArray(*path)
                          : zarr::Result<std::shared_ptr<const zarr::Array>>(path.status());
            const ArrayTimes times =
                array.ok() ? TimesOf(open_node_.address, **array) : ArrayTimes();
            if (!array.ok() || std::max(times.newest_chunk, times.document) > *written)
                ClearStatisticsOf(*pam_, name.c_str());
        }
    });
}

}  // namespace zarr_driver
