// SPDX-License-Identifier: MIT
#include "driver/files_beside.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include "driver/report.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

namespace {

constexpr const char* kEndings[] = {".aux.xml", ".ovr", ".msk"};

}  // namespace

void RemoveBeside(const std::string& path) {
    const QuietErrors quiet;
    for (const char* const end : kEndings) VSIUnlink((path + end).c_str());
}

void MoveBeside(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const char* const end : kEndings) VSIRename((from + end).c_str(), (to + end).c_str());
}

Status CopyBeside(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const char* const end : kEndings) {
        const std::string source = from + end;
        if (PathExists(source) && CPLCopyFile((to + end).c_str(), source.c_str()) != 0)
            return Status::Io("cannot be copied to beside " + to).WithContext(source);
    }
    return {};
}

}  // namespace zarr_driver
