// SPDX-License-Identifier: MIT
#include "driver/builtin_driver.h"

#include <cpl_error.h>
#include <cpl_string.h>

#include "driver/open.h"

namespace zarr_driver {

namespace {

// What GDAL's own driver does by itself.
int (*identify_as_builtin)(GDALOpenInfo*) = nullptr;
GDALDataset* (*open_as_builtin)(GDALOpenInfo*) = nullptr;

// True where this driver is one that may open the file, and is asked after GDAL's own.
bool IsAskedLater(const GDALOpenInfo& open_info) {
    const char* const* allowed = open_info.papszAllowedDrivers;
    if (allowed != nullptr && CSLFindString(allowed, kDriverName) < 0) return false;
    GDALDriverManager& manager = *GetGDALDriverManager();
    for (int i = 0; i < manager.GetDriverCount(); ++i) {
        const char* name = manager.GetDriver(i)->GetDescription();
        if (EQUAL(name, kDriverName)) return false;
        if (EQUAL(name, kBuiltinName))
            return manager.GetDriverByName(kDriverName) != nullptr;  // unless GDAL_SKIP names it
    }
    return false;
}

int IdentifyBehind(GDALOpenInfo* open_info) {
    if (IsDisowned(open_info)) return FALSE;
    const int answer = identify_as_builtin == nullptr ? TRUE : identify_as_builtin(open_info);
    return answer != FALSE && IsAskedLater(*open_info) && IsOurs(open_info) ? FALSE : answer;
}

GDALDataset* OpenBehind(GDALOpenInfo* open_info) {
    if (IsAskedLater(*open_info) && Identify(open_info) != FALSE) {
        if (GDALDataset* dataset = Open(open_info)) return dataset;
        if (CPLGetLastErrorType() == CE_Failure) return nullptr;
    }
    return open_as_builtin(open_info);
}

}  // namespace

GDALDriver* Builtin() { return GetGDALDriverManager()->GetDriverByName(kBuiltinName); }

void KeepBuiltin(GDALDriver* builtin) {
    if (builtin->pfnOpen != nullptr && builtin->pfnOpen != OpenBehind) {
        identify_as_builtin = builtin->pfnIdentify;
        open_as_builtin = builtin->pfnOpen;
        builtin->pfnIdentify = IdentifyBehind;
        builtin->pfnOpen = OpenBehind;
    }
    builtin->SetDescription(kBuiltinName);
    builtin->SetMetadataItem(GDAL_DMD_LONGNAME, "Zarr (GDAL's built-in driver)");
    // Who looks for the driver of a name to write takes the last one that has its extension.
    builtin->SetMetadataItem(GDAL_DMD_EXTENSIONS, "");
    GetGDALDriverManager()->RegisterDriver(builtin);
}

}  // namespace zarr_driver
