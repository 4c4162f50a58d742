// SPDX-License-Identifier: MIT
// Overviews of arrays in the multidimensional API: the smaller levels of their pyramids.
#include <gdal_priv.h>

#include <memory>
#include <string>
#include <vector>

#include "core/conventions/pyramid.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_session.h"
#include "driver/raster/dataset.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

using zarr::Status;

const std::vector<std::string>& ZarrMDArray::LevelPaths() const {
    return level_paths_.Get([this] {
        std::vector<std::string> paths;
        const auto [pyramid, warnings] = zarr::FindPyramidOf(session_->hierarchy(), facts_.path);
        EmitWarnings(session_->store_path(), warnings);
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

int ZarrMDArray::GetOverviewCount() const {
    return Guarded(session_->store_path(),
                   [&]() -> int { return static_cast<int>(LevelPaths().size()); });
}

std::shared_ptr<GDALMDArray> ZarrMDArray::GetOverview(int idx) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        const std::vector<std::string>& paths = LevelPaths();
        if (idx < 0 || idx >= static_cast<int>(paths.size())) return nullptr;
        auto array = session_->OpenArray(paths[static_cast<std::size_t>(idx)]);
        if (array.ok()) return *array;
        EmitError(session_->store_path(), array.status());
        return nullptr;
    });
}

// Writes pending changes, and opens the raster of the array for update. Emits an error and returns
// nullptr on failure.
std::unique_ptr<GDALDataset> ZarrMDArray::OpenForUpdate() const {
    const Status status = session_->Finish();
    if (!status.ok()) {
        EmitError(session_->store_path(), status);
        return nullptr;
    }
    const std::string name = FormatConnectionString(session_->store_path(), facts_.path);
    CPLStringList options;
    const std::string& locks = session_->options().synchronizer;
    if (!locks.empty()) options.SetNameValue("SYNCHRONIZER", locks.c_str());
    const zarr::LockWait& wait = session_->options().lock_wait;
    const std::chrono::duration<double> limit = wait.limit;
    options.SetNameValue("LOCK_TIMEOUT", CPLSPrintf("%.3f", limit.count()));
    options.SetNameValue("REQUIRE_LOCK", wait.is_required ? "YES" : "NO");
    const char* const drivers[] = {"Zarr", nullptr};
    return std::unique_ptr<GDALDataset>(
        GDALDataset::Open(name.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE | GDAL_OF_VERBOSE_ERROR,
                          drivers, options.List()));
}

#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
Status ZarrMDArray::CheckOverviews(const std::vector<int>& factors) const {
    ZARR_RETURN_IF_ERROR(CheckChange());
    const std::string place = "/" + facts_.path + ": ";
    if (facts_.metadata.rank() < 2)
        return Status::Invalid(place + "building overviews requires at least 2 dimensions");
    for (const int factor : factors)
        if (factor < 2)
            return Status::Invalid(place + "overview factor " + std::to_string(factor) +
                                   " is less than 2");
    return {};
}

CPLErr ZarrMDArray::BuildOverviews(const char* pszResampling, int nOverviews,
                                   const int* panOverviewList, GDALProgressFunc pfnProgress,
                                   void* pProgressData, CSLConstList papszOptions) {
    return Guarded(session_->store_path(), [&]() -> CPLErr {
        const std::vector<int> factors(panOverviewList, panOverviewList + nOverviews);
        const Status status = CheckOverviews(factors);
        if (!status.ok()) return EmitError(session_->store_path(), status);
        const std::unique_ptr<GDALDataset> raster = OpenForUpdate();
        if (raster == nullptr) return CE_Failure;
        if (auto* const own = dynamic_cast<ZarrDataset*>(raster.get()))
            own->overviews().pending().replaces_others = true;
        const CPLErr built =
            raster->BuildOverviews(pszResampling, nOverviews, factors.data(), 0, nullptr,
                                   pfnProgress, pProgressData, papszOptions);
        const CPLErr closed = raster->Close();
        level_paths_.Reset();
        session_->NodesChanged();
        return built != CE_None ? built : closed;
    });
}
#endif

}  // namespace zarr_driver
