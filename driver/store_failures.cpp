// SPDX-License-Identifier: MIT
#include "driver/store_failures.h"

#include <cpl_error.h>

#include <cstring>

#include "driver/report.h"

namespace zarr_driver {

void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store) {
    const zarr::Status failure = hierarchy.TakeFailure();
    if (failure.ok() || std::strstr(CPLGetLastErrorMsg(), failure.message().c_str()) != nullptr)
        return;
    EmitWarning(store, failure.message());
}

}  // namespace zarr_driver
