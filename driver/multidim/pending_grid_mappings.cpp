// SPDX-License-Identifier: MIT
#include "driver/multidim/pending_grid_mappings.h"

#include <optional>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/store/keys.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Status;

void PendingGridMappings::Add(const std::string& path, const OGRSpatialReference& srs) {
    const std::lock_guard<std::mutex> lock(mutex_);
    arrays_[path] = srs;
}

void PendingGridMappings::AddScalar(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    scalars_.push_back(path);
}

void PendingGridMappings::Forget() {
    const std::lock_guard<std::mutex> lock(mutex_);
    arrays_.clear();
    scalars_.clear();
}

Status PendingGridMappings::DropAbsentCoordinates(MdimSession& session, const std::string& path) {
    constexpr const char* kName = "coordinates";
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, session.update()->Attributes(path));
    const std::string group(zarr::ParentPath(path));
    std::string kept;
    bool are_all_there = true;
    for (const std::string& name : zarr::WordsAttribute(attributes, kName)) {
        const bool is_there = !zarr::FindVariable(session.hierarchy(), group, name).empty();
        if (is_there) kept += (kept.empty() ? "" : " ") + name;
        are_all_there = are_all_there && is_there;
    }
    if (are_all_there) return {};
    return session.ChangeAttribute(path, kName,
                                   kept.empty() ? std::nullopt : std::optional<json::Value>(kept));
}

Status PendingGridMappings::Finish(MdimSession& session) {
    std::map<std::string, OGRSpatialReference> arrays;
    std::vector<std::string> scalars;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        arrays = std::exchange(arrays_, {});
        scalars = std::exchange(scalars_, {});
    }
    Status first;
    for (const auto& [path, srs] : arrays) {
        std::vector<std::string> mapping_names;
        for (const std::string& scalar : scalars)
            if (zarr::ParentPath(scalar) == zarr::ParentPath(path))
                mapping_names.emplace_back(zarr::LastName(scalar));
        // The array may have been deleted or renamed since its CRS was set.
        const auto is_there = session.hierarchy().HoldsArray(path);
        if (!is_there.ok() || !*is_there) continue;
        Status status;
        if (!mapping_names.empty()) {
            const auto array = session.OpenArray(path);
            status = array.ok() ? (*array)->WriteCrs(&srs, mapping_names) : array.status();
        }
        if (status.ok()) status = DropAbsentCoordinates(session, path);
        if (first.ok()) first = status;
    }
    Forget();  // WriteCrs() has added these arrays again
    return first;
}

}  // namespace zarr_driver
