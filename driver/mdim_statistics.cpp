// SPDX-License-Identifier: MIT
// Statistics of arrays of the multidimensional API, which GDAL keeps beside them.
#include <cpl_minixml.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "core/store/keys.h"
#include "driver/gdal_compat.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_session.h"
#include "driver/report.h"
#include "driver/source_state.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

namespace {

// The full names of the arrays that a file has statistics of.
std::vector<std::string> ArraysWithStatistics(const std::string& file) {
    std::vector<std::string> names;
    const QuietErrors quiet;
    const CPLXMLTreeCloser tree(CPLParseXMLFile(file.c_str()));
    const CPLXMLNode* const top = CPLGetXMLNode(tree.get(), "=PAMDataset");
    if (top == nullptr) return names;
    for (const CPLXMLNode* node = top->psChild; node != nullptr; node = node->psNext)
        if (node->eType == CXT_Element && EQUAL(node->pszValue, "Array") &&
            CPLGetXMLNode(node, "Statistics") != nullptr)
            names.emplace_back(CPLGetXMLValue(node, "name", ""));
    return names;
}

}  // namespace

void MdimSession::DropOldStatistics() {
    std::call_once(old_statistics_dropped_, [&] {
        const std::string file = pam_path_ + ".aux.xml";
        VSIStatBufL stat;
        if (!VSIIsLocal(file.c_str()) || VSIStatL(file.c_str(), &stat) != 0) return;
        for (const std::string& name : ArraysWithStatistics(file)) {
            const auto path = zarr::NormalizePath(root_ + "/" + name);
            const auto array =
                path.ok() ? hierarchy().OpenArray(*path)
                          : zarr::Result<std::shared_ptr<const zarr::Array>>(path.status());
            SourceState state;
            if (array.ok()) state.Add(store_path(), **array);
            const bool is_old =
                !array.ok() ||
                std::max(state.newest_chunk(), state.newest_document()) > ModificationTime(stat);
            if (is_old) ClearStatisticsOf(*pam_, name.c_str());
        }
    });
}

CPLErr ZarrMDArray::GetStatistics(bool bApproxOK, bool bForce, double* pdfMin, double* pdfMax,
                                  double* pdfMean, double* pdfStdDev, GUInt64* pnValidCount,
                                  GDALProgressFunc pfnProgress, void* pProgressData) {
    return Guarded(session_->store_path(), [&]() -> CPLErr {
        session_->DropOldStatistics();
        return GDALPamMDArray::GetStatistics(bApproxOK, bForce, pdfMin, pdfMax, pdfMean, pdfStdDev,
                                             pnValidCount, pfnProgress, pProgressData);
    });
}

bool ZarrMDArray::SetStatistics(ZARR_SET_STATISTICS_PARAMETERS) {
    return Guarded(session_->store_path(), [&]() -> bool {
        // What is old would be as new as the file is then.
        session_->DropOldStatistics();
        return GDALPamMDArray::SetStatistics(ZARR_SET_STATISTICS_ARGUMENTS);
    });
}

}  // namespace zarr_driver
