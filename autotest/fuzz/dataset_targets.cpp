// SPDX-License-Identifier: MIT
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gdal_priv.h>

#include <string>

#include "autotest/fuzz/exercise_dataset.h"
#include "autotest/fuzz/targets.h"

extern "C" void CPL_DLL GDALRegister_ZarrV2();

namespace zarr::fuzz {

namespace {

// Writes the input to a file in GDAL's memory file system. Opens the name `prefix` + path of the
// file.
void OpenFile(ByteSpan input, const char* extension, const char* prefix) {
    static const bool is_registered = [] {
        CPLSetConfigOption("GDAL_PAM_ENABLED", "NO");
        GDALRegister_ZarrV2();
        return true;
    }();
    (void)is_registered;
    // GDAL caches archives by name, so each file gets a new name.
    static std::uint64_t number = 0;
    const std::string path = "/vsimem/fuzz/" + std::to_string(++number) + extension;
    std::string copy(input.text());  // exact size, so that sanitizers see its end
    VSILFILE* file = VSIFileFromMemBuffer(path.c_str(), reinterpret_cast<GByte*>(copy.data()),
                                          copy.size(), FALSE);
    if (file == nullptr) return;
    VSIFCloseL(file);
    CPLPushErrorHandler(CPLQuietErrorHandler);
    ExerciseDataset(prefix + path);
    CPLPopErrorHandler();
    VSIUnlink(path.c_str());
}

}  // namespace

void FuzzTar(ByteSpan input) { OpenFile(input, ".tar", "/vsitar/"); }
void FuzzZip(ByteSpan input) { OpenFile(input, ".zip", ""); }

}  // namespace zarr::fuzz
