// SPDX-License-Identifier: MIT
#include "driver/multidim/old_statistics.h"

#include <cpl_minixml.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <vector>

#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/multidim/mdim_session.h"
#include "driver/raster/source_state.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

namespace {

// Returns the full names of arrays whose statistics are in the PAM file `file`.
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

void ClearOldStatistics(const MdimSession& session, const std::string& file) {
    VSIStatBufL stat;
    if (!VSIIsLocal(file.c_str()) || VSIStatL(file.c_str(), &stat) != 0) return;
    for (const std::string& name : ArraysWithStatistics(file)) {
        const auto path = zarr::NormalizePath(session.root() + "/" + name);
        const auto array = path.ok()
                               ? session.hierarchy().OpenArray(*path)
                               : zarr::Result<std::shared_ptr<const zarr::Array>>(path.status());
        SourceState state;
        if (array.ok()) state.Add(session.address(), **array);
        const bool is_old = !array.ok() || std::max(state.newest_chunk(), state.newest_document()) >
                                               zarr::ModificationTime(stat);
        if (is_old) ClearStatisticsOf(*session.pam(), name.c_str());
    }
}

}  // namespace zarr_driver
