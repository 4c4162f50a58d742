// SPDX-License-Identifier: MIT
#include "driver/files_beside.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include "driver/report.h"
#include "driver/sidecar_names.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

void RemoveBeside(const std::string& path) {
    const QuietErrors quiet;
    for (const std::string& base : SidecarBases(path))
        for (const char* const end : kSidecarEnds) VSIUnlink((base + end).c_str());
}

void MoveBeside(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const std::string& base : SidecarBases(from))
        for (const char* const end : kSidecarEnds)
            VSIRename((base + end).c_str(), (to + base.substr(from.size()) + end).c_str());
}

Status CopyBeside(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const std::string& base : SidecarBases(from))
        for (const char* const end : kSidecarEnds) {
            const std::string source = base + end;
            const std::string target = to + base.substr(from.size()) + end;
            if (PathExists(source) && CPLCopyFile(target.c_str(), source.c_str()) != 0)
                return Status::Io("cannot be copied to beside " + to).WithContext(source);
        }
    return {};
}

}  // namespace zarr_driver
