// SPDX-License-Identifier: MIT
#include "driver/multidim/array_overviews.h"

#include <chrono>

#include "core/conventions/pyramid.h"
#include "driver/base/gdal_errors.h"
#include "driver/multidim/mdim_session.h"
#include "driver/raster/dataset.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

using zarr::Status;

const std::vector<std::string>& ArrayOverviews::Paths() const {
    return paths_.Get([this] {
        std::vector<std::string> paths;
        const auto [pyramid, warnings] = zarr::FindPyramidOf(session_.hierarchy(), facts_.path);
        EmitWarnings(session_.store_path(), warnings);
        if (!pyramid) return paths;
        // Overviews of an array are the levels that follow it in the list of its pyramid, which
        // begins with the largest level.
        bool is_smaller = false;
        for (const zarr::PyramidLevel& level : pyramid->levels) {
            if (is_smaller) paths.push_back(level.path);
            is_smaller = is_smaller || level.path == facts_.path;
        }
        return paths;
    });
}

std::unique_ptr<GDALDataset> OpenRasterForUpdate(MdimSession& session, const std::string& path) {
    const Status status = session.Finish();
    if (!status.ok()) {
        EmitError(session.store_path(), status);
        return nullptr;
    }
    const std::string name = FormatConnectionString(session.store_path(), path);
    CPLStringList options;
    const std::string& locks = session.options().synchronizer;
    if (!locks.empty()) options.SetNameValue("SYNCHRONIZER", locks.c_str());
    const zarr::LockWait& wait = session.options().lock_wait;
    const std::chrono::duration<double> limit = wait.limit;
    options.SetNameValue("LOCK_TIMEOUT", CPLSPrintf("%.3f", limit.count()));
    options.SetNameValue("REQUIRE_LOCK", wait.is_required ? "YES" : "NO");
    const char* const drivers[] = {"Zarr", nullptr};
    return std::unique_ptr<GDALDataset>(
        GDALDataset::Open(name.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE | GDAL_OF_VERBOSE_ERROR,
                          drivers, options.List()));
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

CPLErr ArrayOverviews::Build(const char* resampling, const std::vector<int>& factors,
                             GDALProgressFunc progress, void* progress_data, CSLConstList options) {
    const Status status = CheckOverviews(facts_, factors);
    if (!status.ok()) return EmitError(session_.store_path(), status);
    const std::unique_ptr<GDALDataset> raster = OpenRasterForUpdate(session_, facts_.path);
    if (raster == nullptr) return CE_Failure;
    if (auto* const own = dynamic_cast<ZarrDataset*>(raster.get()))
        own->overviews().pending().replaces_others = true;
    const CPLErr built =
        raster->BuildOverviews(resampling, static_cast<int>(factors.size()), factors.data(), 0,
                               nullptr, progress, progress_data, options);
    const CPLErr closed = raster->Close();
    Forget();
    session_.NodesChanged();
    return built != CE_None ? built : closed;
}
#endif

}  // namespace zarr_driver
