// SPDX-License-Identifier: MIT
#include "driver/multidim/array_overviews.h"

#include <utility>

#include "core/conventions/pyramid/pyramid.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/open_options.h"
#include "driver/multidim/mdim_session.h"
#include "driver/raster/raster_open.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Returns the open options of the raster of an array. Options of the session that change what a
// raster shows, such as NORTH_UP, apply only if the raster is not open for update: its pixels would
// be written to other places.
OpenOptions OptionsOfRaster(const MdimSession& session) {
    const OpenOptions& of_session = session.options();
    OpenOptions options = of_session;
    if (session.update() != nullptr) {
        options = {};
        options.threads = of_session.threads;
        options.synchronizer = of_session.synchronizer;
        options.lock_wait = of_session.lock_wait;
        options.follow_links = of_session.follow_links;
        options.is_update = true;
        options.use_consolidated = zarr::UseConsolidated::kNever;
        options.read_ahead = false;
    }
    options.multiband = true;
    options.dim_x.clear();
    options.dim_y.clear();
    return options;
}

}  // namespace

std::vector<std::string> FindOverviews(MdimSession& session, const std::string& path) {
    std::vector<std::string> paths;
    const auto [pyramid, warnings] = zarr::FindPyramidOf(session.hierarchy(), path);
    EmitWarnings(session.store_path(), warnings);
    if (!pyramid) return paths;
    bool is_smaller = false;
    for (const zarr::PyramidLevel& level : pyramid->levels) {
        if (is_smaller) paths.push_back(level.path);
        is_smaller = is_smaller || level.path == path;
    }
    return paths;
}

zarr::Result<std::unique_ptr<ZarrDataset>> OpenArrayRaster(MdimSession& session,
                                                           const std::string& path) {
    ZARR_RETURN_IF_ERROR(session.Finish());
    const bool is_update = session.update() != nullptr;
    OpenNode open_node = session.open_node();
    open_node.node = path;
    open_node.kind = zarr::NodeKind::kArray;
    if (is_update) ZARR_RETURN_IF_ERROR(open_node.hierarchy->CheckChangeable(path));
    const std::string name = FormatConnectionString(open_node.address, path);
    ZARR_ASSIGN_OR_RETURN(auto raster, OpenRaster(name, open_node, {}, OptionsOfRaster(session)));
    raster->Finish({{}, false});
    if (!is_update) return raster;
    // A failed listing may hide arrays, and an update would miss them.
    ZARR_RETURN_IF_ERROR(open_node.hierarchy->TakeFailure());
    std::shared_ptr<StoreUpdate> update = session.update()->ForOtherChanges(path);
    update->SetLockWait(session.options().lock_wait);
    raster->EnableUpdate(std::move(update), GeoreferencingForm::kEveryReader);
    return raster;
}

#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
namespace {

Status CheckOverviews(const zarr::ArrayFacts& facts, const std::vector<int>& factors) {
    const std::string place = "/" + facts.path + ": ";
    if (facts.metadata.rank() < 2)
        return Status::Invalid(place + "building overviews requires at least 2 dimensions");
    for (const int factor : factors)
        if (factor < 2)
            return Status::Invalid(place + "overview factor " + std::to_string(factor) +
                                   " is less than 2");
    return {};
}

}  // namespace

CPLErr BuildArrayOverviews(MdimSession& session, const zarr::ArrayFacts& facts,
                           const char* resampling, const std::vector<int>& factors,
                           GDALProgressFunc progress, void* progress_data, CSLConstList options) {
    const Status status = CheckOverviews(facts, factors);
    if (!status.ok()) return EmitError(session.store_path(), status);
    const auto raster = OpenArrayRaster(session, facts.path);
    if (!raster.ok()) return EmitError(session.store_path(), raster.status());
    (*raster)->overviews().pending().replaces_others = true;
    const CPLErr built =
        (*raster)->BuildOverviews(resampling, static_cast<int>(factors.size()), factors.data(), 0,
                                  nullptr, progress, progress_data, options);
    const bool is_stored = (*raster)->CloseStore();
    session.NodesChanged();
    return is_stored ? built : CE_Failure;
}
#endif

}  // namespace zarr_driver
