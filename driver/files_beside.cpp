// SPDX-License-Identifier: MIT
#include "driver/files_beside.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include <memory>
#include <vector>

#include "driver/report.h"
#include "driver/sidecar_names.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

namespace {

struct CloseFile {
    void operator()(VSILFILE* file) const { VSIFCloseL(file); }
};
using File = std::unique_ptr<VSILFILE, CloseFile>;

// Through this process. GDAL lets object stores copy by themselves, which some do not where the
// name has an '@'.
bool CopyByReading(const std::string& source, const std::string& target) {
    const File from(VSIFOpenL(source.c_str(), "rb"));
    File to(from ? VSIFOpenL(target.c_str(), "wb") : nullptr);
    if (!to) return false;
    std::vector<char> part(std::size_t{1} << 20);
    bool is_done = false;
    bool is_good = true;
    while (is_good && !is_done) {
        const std::size_t count = VSIFReadL(part.data(), 1, part.size(), from.get());
        is_done = count < part.size();
        is_good = VSIFWriteL(part.data(), 1, count, to.get()) == count;
    }
    is_good = VSIFCloseL(to.release()) == 0 && is_good;
    VSIStatBufL was;
    VSIStatBufL is;
    return is_good && VSIStatL(source.c_str(), &was) == 0 && VSIStatL(target.c_str(), &is) == 0 &&
           was.st_size == is.st_size;
}

bool CopyFile(const std::string& source, const std::string& target) {
    return CPLCopyFile(target.c_str(), source.c_str()) == 0 || CopyByReading(source, target);
}

}  // namespace

void RemoveBeside(const std::string& path) {
    const QuietErrors quiet;
    for (const std::string& base : SidecarBases(path))
        for (const char* const end : kSidecarEnds) VSIUnlink((base + end).c_str());
}

void MoveBeside(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const std::string& base : SidecarBases(from))
        for (const char* const end : kSidecarEnds) {
            const std::string source = base + end;
            const std::string target = to + base.substr(from.size()) + end;
            if (VSIRename(source.c_str(), target.c_str()) == 0 || !PathExists(source)) continue;
            if (CopyFile(source, target)) VSIUnlink(source.c_str());
        }
}

Status CopyBeside(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const std::string& base : SidecarBases(from))
        for (const char* const end : kSidecarEnds) {
            const std::string source = base + end;
            const std::string target = to + base.substr(from.size()) + end;
            if (PathExists(source) && !CopyFile(source, target))
                return Status::Io("cannot be copied to beside " + to).WithContext(source);
        }
    return {};
}

}  // namespace zarr_driver
