// SPDX-License-Identifier: MIT
#include "driver/mdim_session.h"

#include <cpl_conv.h>

#include "core/store/keys.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_dimension.h"
#include "driver/mdim_group.h"
#include "driver/report.h"
#include "driver/store_failures.h"
#include "driver/subdatasets.h"

namespace zarr_driver {

MdimSession::MdimSession(Location location, OpenOptions options, std::unique_ptr<MdimUpdate> update)
    : location_(std::move(location)),
      options_(std::move(options)),
      is_array_(location_.kind == zarr::NodeKind::kArray),
      root_(is_array_ ? std::string(zarr::ParentPath(location_.node)) : location_.node),
      // Inside the store, under the name that GDAL gives the statistics of such stores. Of a group
      // below the root in its own folder, as names of arrays start there.
      pam_path_(zarr::JoinKey(location_.store_path, zarr::JoinKey(root_, "pam"))),
      pam_(std::make_shared<GDALPamMultiDim>(pam_path_)),
      update_(std::move(update)),
      activity_(location_.store_path, location_.hierarchy) {
    activity_.Opened("/" + location_.node + " by the multidimensional API");
}

MdimSession::~MdimSession() {
    Guarded(store_path(), [&] {
        WarnOfFailure(*location_.hierarchy, store_path());
        const zarr::Status status = Finish();
        if (!status.ok()) EmitError(store_path(), status);
    });
}

const zarr::Hierarchy& MdimSession::hierarchy() const {
    // What cannot be stored stays pending, and is reported by Flush().
    if (update_ != nullptr) static_cast<void>(update_->StoreAttributes());
    return *location_.hierarchy;
}

std::string MdimSession::GroupName(const std::string& path) const {
    if (root_.empty()) return "/" + path;
    const bool is_below = path.compare(0, root_.size() + 1, root_ + "/") == 0;
    return is_below ? path.substr(root_.size()) : "/";
}

std::string MdimSession::ArrayName(const std::string& path) const {
    // An array that is the whole store is called like it.
    if (path.empty()) return CPLGetBasename(store_path().c_str());
    return IsOpened(path) ? std::string(zarr::LastName(path)) : OutsideName(path);
}

std::string MdimSession::ArrayFullName(const std::string& path) const {
    const std::string group = GroupName(std::string(zarr::ParentPath(path)));
    return (group == "/" ? "" : group) + "/" + ArrayName(path);
}

std::shared_ptr<ZarrMDArray> MdimSession::OpenIfLive(const std::string& path) const {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    const auto found = arrays_.find(path);
    auto array = found == arrays_.end() ? nullptr : found->second.lock();
    const bool is_wanted = array != nullptr && (array->has_stored_order() || !keeps_stored_order());
    return is_wanted ? array : nullptr;
}

zarr::Result<std::shared_ptr<ZarrMDArray>> MdimSession::OpenArray(const std::string& path) {
    if (auto array = OpenIfLive(path)) return array;
    WarnOfFailure(*location_.hierarchy, store_path());  // of what went before
    // Without the lock: opening looks at other arrays, and may read them.
    ZARR_ASSIGN_OR_RETURN(auto array, ZarrMDArray::Open(shared_from_this(), path));
    // What was overlooked would not be changed with the rest.
    if (update_ != nullptr) ZARR_RETURN_IF_ERROR(location_.hierarchy->TakeFailure());
    WarnOfFailure(*location_.hierarchy, store_path());
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    std::weak_ptr<ZarrMDArray>& known = arrays_[path];
    if (keeps_stored_order() && !array->HasElements()) return array;  // for that copy alone
    if (auto other = known.lock()) return other;
    known = array;
    return array;
}

std::shared_ptr<ZarrGroup> MdimSession::OpenGroup(const std::string& path) {
    const std::lock_guard<zarr::Mutex> lock(mutex_);
    std::weak_ptr<ZarrGroup>& known = groups_[path];
    if (auto group = known.lock()) return group;
    auto group = std::make_shared<ZarrGroup>(shared_from_this(), path);
    known = group;
    return group;
}

void MdimSession::Listed(const std::string& group) {
    if (is_array_ || !location_.hierarchy->is_consolidated()) return;
    std::vector<zarr::Node> lacking;
    {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        if (has_warned_ || !listed_.insert(group).second) return;
        lacking = location_.hierarchy->Unconsolidated(group);
        has_warned_ = !lacking.empty();
    }
    WarnOfUnconsolidated(lacking, store_path());
}

}  // namespace zarr_driver
