// SPDX-License-Identifier: MIT
#include "driver/store/xcube_store.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/conventions/pyramid/xcube_levels.h"
#include "core/store/keys.h"
#include "core/store/mount_store.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;

namespace {

// Returns the path of the store to which a link file in `folder` leads. `link` is the text of the
// link file. Absolute paths and URLs stay unchanged. Relative paths start at `folder`.
std::string TargetOf(const std::string& folder, const std::string& link) {
    if (link.find(':') != std::string::npos || link.rfind('/', 0) == 0) return link;
    std::string at = folder;
    for (std::size_t from = 0; from <= link.size();) {
        const std::size_t end = std::min(link.find('/', from), link.size());
        const std::string segment = link.substr(from, end - from);
        from = end + 1;
        if (segment.empty() || segment == ".") continue;
        const std::string_view last = zarr::LastName(at);
        const bool goes_up = segment == ".." && !at.empty() && last != "." && last != "..";
        at = goes_up ? std::string(zarr::ParentPath(at)) : zarr::JoinKey(at, segment);
    }
    return at;
}

bool IsNamedLevels(const StoreAddress& path) {
    return EQUAL(CPLGetExtension(path.c_str()), "levels") &&
           path.text().find('?') == std::string::npos;
}

Result<std::shared_ptr<const zarr::Store>> OpenLevels(const StoreAddress& folder,
                                                      const StoreAccess& access) {
    ZARR_ASSIGN_OR_RETURN(auto store,
                          OfKind(folder, &StoreKind::open, &kLevelsKind)(folder, access));
    const auto link = access.follow_links != FollowLinks::kNo ? zarr::ReadBaseLink(*store)
                                                              : std::optional<std::string>();
    if (!link || link->empty() || zarr::ResolveLink("", *link).ok()) return store;
    const std::string target = TargetOf(folder, *link);
    const bool is_in_same_folder = link->find(':') == std::string::npos && link->front() != '/' &&
                                   zarr::ParentPath(target) == zarr::ParentPath(folder.text()) &&
                                   zarr::LastName(target) != "..";
    if (target.empty() || (access.follow_links == FollowLinks::kSameFolder && !is_in_same_folder))
        return store;
    auto base = OpenStore(StoreAddress(target), {access.missing_on_403});
    if (!base.ok()) return store;
    store = std::make_shared<zarr::MountStore>(std::move(store), std::string(zarr::kMountedBase),
                                               base.Take());
    return store;
}

}  // namespace

bool IsLevelsFolder(const StorePath& folder) {
    std::string path = folder;
    static_cast<void>(TakeQuery(folder, path));
    return EQUAL(CPLGetExtension(path.c_str()), "levels") &&
           (PathExists(FileIn(folder, ".zlevels")) || PathExists(FileIn(folder, "0.zarr")) ||
            PathExists(FileIn(folder, "0.link")));
}

const StoreKind kLevelsKind = {IsNamedLevels, nullptr, nullptr, nullptr, OpenLevels,
                               nullptr,       nullptr, nullptr, nullptr};

}  // namespace zarr_driver
