// SPDX-License-Identifier: MIT
// The part of ZarrDataset that has overviews built.
#include <new>

#include "driver/dataset.h"
#include "driver/guard.h"
#include "driver/overview_builder.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Status;

CPLErr ZarrDataset::IBuildOverviews(const char* pszResampling, int nOverviews,
                                    const int* panOverviewList, int nListBands,
                                    const int* panBandList, GDALProgressFunc pfnProgress,
                                    void* pProgressData, CSLConstList papszOptions) {
    return Guarded(store_path(), [&]() -> CPLErr {
        const auto beside_the_store = [&] {
            // TIFF counts bands in 16 bits, and GDAL does not look.
            constexpr int kMaxTiffBands = 65535;
            if (nOverviews > 0 && nBands > kMaxTiffBands)
                return EmitError(
                    store_path(),
                    Status::Unsupported(
                        "has " + std::to_string(nBands) +
                        " bands, and overviews beside the store can have 65535; where it "
                        "is opened for update they are made in the store"));
            DropOldOverviews();
            if (!oOvManager.IsInitialized()) oOvManager.Initialize(this, sidecar_base_.c_str());
            return GDALPamDataset::IBuildOverviews(pszResampling, nOverviews, panOverviewList,
                                                   nListBands, panBandList, pfnProgress,
                                                   pProgressData, papszOptions);
        };
        if (update_ == nullptr) {
            if (levels_.empty()) return beside_the_store();
            return EmitError(
                store_path(),
                Status::Permission("has overviews in the store, which only change where "
                                   "it is opened for update"));
        }
        if (nBands == 0)
            return EmitError(store_path(),
                             Status::Unsupported("has no bands to build overviews of"));
        OverviewRequest request;
        request.resampling = pszResampling;
        request.factors.assign(panOverviewList, panOverviewList + nOverviews);
        request.bands.assign(panBandList, panBandList + nListBands);
        request.progress = pfnProgress;
        request.progress_data = pProgressData;
        request.options = papszOptions;
        // What the raster is to say, and its pixels, are in the store first.
        if (FlushAll(false) != CE_None) return CE_Failure;
        OverviewBuilder builder(*this);
        if (!builder.Check().ok() && levels_.empty()) return beside_the_store();
        if (nOverviews > 0) return builder.Build(request);
        const CPLErr error = builder.Clean(request);
        return error == CE_None ? beside_the_store() : error;
    });
}

CPLErr ZarrDataset::BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data) {
    const OverviewPlan plan = std::move(planned_overviews_);
    planned_overviews_ = OverviewPlan();
    const std::vector<int> factors = plan.FactorsFor(nRasterXSize, nRasterYSize);
    if (factors.empty()) return CE_None;
    std::vector<int> bands;
    for (int i = 1; i <= nBands; ++i) bands.push_back(i);
    return IBuildOverviews(plan.resampling.c_str(), static_cast<int>(factors.size()),
                           factors.data(), nBands, bands.data(), progress, progress_data, nullptr);
}

Status ZarrDataset::FollowLevels() {
    return levels_.empty() ? Status() : OverviewBuilder(*this).Follow();
}

}  // namespace zarr_driver
