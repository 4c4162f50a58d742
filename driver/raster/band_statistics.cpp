// SPDX-License-Identifier: MIT
// Statistics and histograms of ZarrRasterBand. Before the first use, CheckStatistics() removes
// statistics that were computed from other pixels.
#include <cpl_minixml.h>
#include <cpl_string.h>

#include <algorithm>
#include <limits>

#include "driver/base/exception_guard.h"
#include "driver/raster/band.h"
#include "driver/raster/pixel_statistics.h"

namespace zarr_driver {

bool ZarrRasterBand::HasStatistics() {
    if (psPam != nullptr && psPam->psSavedHistograms != nullptr) return true;
    const CSLConstList saved = GDALPamRasterBand::GetMetadata();
    return std::any_of(saved, saved + CSLCount(saved), IsStatistic);
}

// Removes the statistics of the band. Sets metadata by GDALRasterBand, because GDALPamRasterBand
// would mark the band's other metadata as changed.
void ZarrRasterBand::ForgetStatistics() {
    const CPLStringList saved(CSLDuplicate(GDALPamRasterBand::GetMetadata()));
    CPLStringList kept;
    for (int i = 0; i < saved.size(); ++i)
        if (!IsStatistic(saved[i])) kept.AddString(saved[i]);
    GDALRasterBand::SetMetadata(kept.List());
    if (psPam == nullptr) return;
    CPLDestroyXMLNode(psPam->psSavedHistograms);
    psPam->psSavedHistograms = nullptr;
}

// True if the stored minimum and maximum are those of an overview or of samples.
bool ZarrRasterBand::AreStatisticsApproximate() {
    const char* const is_approximate = GetMetadataItem("STATISTICS_APPROXIMATE");
    return is_approximate != nullptr && CPLTestBool(is_approximate);
}

// Returns the result of GetMinimum() or GetMaximum() for unknown statistics: `limit`, within the
// data type. GDAL would return the minimum of approximate statistics as that of all pixels, and
// gdal_contour would omit the contours below that minimum.
double ZarrRasterBand::UnknownExtreme(double limit, int* success) const {
    if (success != nullptr) *success = FALSE;
    return GDALAdjustValueToDataType(eDataType, limit, nullptr, nullptr);
}

double ZarrRasterBand::GetMinimum(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> double {
        return AreStatisticsApproximate()
                   ? UnknownExtreme(std::numeric_limits<double>::lowest(), pbSuccess)
                   : GDALPamRasterBand::GetMinimum(pbSuccess);
    });
}

double ZarrRasterBand::GetMaximum(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> double {
        return AreStatisticsApproximate()
                   ? UnknownExtreme(std::numeric_limits<double>::max(), pbSuccess)
                   : GDALPamRasterBand::GetMaximum(pbSuccess);
    });
}

CPLErr ZarrRasterBand::GetDefaultHistogram(double* pdfMin, double* pdfMax, int* pnBuckets,
                                           GUIntBig** ppanHistogram, int bForce,
                                           GDALProgressFunc pfnProgress, void* pProgressData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (bForce != FALSE)
            dataset()->BeforeStatistics(*this);
        else
            dataset()->CheckStatistics();
        const CPLErr error = GDALPamRasterBand::GetDefaultHistogram(
            pdfMin, pdfMax, pnBuckets, ppanHistogram, bForce, pfnProgress, pProgressData);
        if (bForce != FALSE && error == CE_None) dataset()->OnStatisticsSet(array_);
        return error;
    });
}

CPLErr ZarrRasterBand::SetDefaultHistogram(double dfMin, double dfMax, int nBuckets,
                                           GUIntBig* panHistogram) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        dataset()->OnStatisticsSet(array_);
        return GDALPamRasterBand::SetDefaultHistogram(dfMin, dfMax, nBuckets, panHistogram);
    });
}

}  // namespace zarr_driver
