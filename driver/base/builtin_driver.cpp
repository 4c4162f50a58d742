// SPDX-License-Identifier: MIT
#include "driver/base/builtin_driver.h"

#include <cpl_conv.h>
#include <cpl_minixml.h>
#include <cpl_string.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/xml_tree.h"

namespace zarr_driver {

namespace {

// Functions of GDAL's built-in Zarr driver, saved before WrapBuiltin() replaces them.
int (*identify_as_builtin)(GDALOpenInfo*) = nullptr;
GDALDataset* (*open_as_builtin)(GDALOpenInfo*) = nullptr;
// Function that the caller of WrapBuiltin() passes as `is_rejected_by_zarr`. It returns true for
// files that the driver "Zarr" opens but does not identify.
bool (*rejected_by_zarr)(GDALOpenInfo*) = nullptr;

// True if the caller of GDAL allows the driver "Zarr" to open the file. "Zarr" then decides whether
// to call the built-in driver.
bool IsForZarr(const GDALOpenInfo& open_info) {
    const char* const* allowed = open_info.papszAllowedDrivers;
    if (allowed != nullptr && CSLFindString(allowed, kDriverName) < 0) return false;
    // The driver "Zarr" is missing if GDAL_SKIP names it.
    return GetGDALDriverManager()->GetDriverByName(kDriverName) != nullptr;
}

// True if GDAL asks the built-in driver to open a file before it asks the driver "Zarr". GDAL asks
// drivers that drivers.ini does not list before listed drivers. For example, Debian's drivers.ini
// does not list the built-in driver.
bool IsAskedBeforeZarr() {
    GDALDriverManager& manager = *GetGDALDriverManager();
    for (int i = 0; i < manager.GetDriverCount(); ++i) {
        const char* const name = manager.GetDriver(i)->GetDescription();
        if (EQUAL(name, kDriverName) || EQUAL(name, kBuiltinName)) return EQUAL(name, kBuiltinName);
    }
    return false;
}

int IdentifyBehind(GDALOpenInfo* open_info) {
    return Guarded(kBuiltinName, [&]() -> int {
        if (!IsForZarr(*open_info)) return identify_as_builtin(open_info);
        // The file is left to "Zarr" in three cases: the caller gave a list of allowed drivers,
        // which contains "Zarr"; GDAL asks the built-in driver first, and would then not ask
        // "Zarr"; or "Zarr" opens the file without identifying it.
        const bool is_unsaid = open_info->papszAllowedDrivers != nullptr || IsAskedBeforeZarr() ||
                               rejected_by_zarr(open_info);
        return is_unsaid ? FALSE : identify_as_builtin(open_info);
    });
}

GDALDataset* OpenBehind(GDALOpenInfo* open_info) {
    return Guarded(kBuiltinName, [&]() -> GDALDataset* {
        return IsForZarr(*open_info) ? nullptr : open_as_builtin(open_info);
    });
}

int IsUnknown(GDALOpenInfo* /*open_info*/) { return GDAL_IDENTIFY_UNKNOWN; }

bool HasOption(const XmlTree& list, const char* name) {
    const auto options = ElementsOf(list.get(), "Option");
    return std::any_of(options.begin(), options.end(), [&](const CPLXMLNode* option) {
        return EQUAL(CPLGetXMLValue(option, "name", ""), name) ||
               EQUAL(CPLGetXMLValue(option, "alias", ""), name);
    });
}

XmlTree OptionsOfBuiltin(const char* item) {
    GDALDriver* const builtin = Builtin();
    const char* const text = builtin != nullptr ? builtin->GetMetadataItem(item) : nullptr;
    return ParseXml(text != nullptr ? text : "");
}

#if ZARR_HAS_DEFERRED_PLUGINS

// A driver that holds the functions of a deferred plugin. GDAL's proxy driver offers these
// functions only as virtual methods, which load the plugin. Function pointers can be replaced in
// this class, but not in the proxy.
class LoadedDriver final : public GDALDriver {
  public:
    explicit LoadedDriver(GDALDriver& own) {
        pfnOpen = own.GetOpenCallback();
        pfnCreate = own.GetCreateCallback();
        pfnCreateMultiDimensional = own.GetCreateMultiDimensionalCallback();
        pfnCreateCopy = own.GetCreateCopyCallback();
        pfnDelete = own.GetDeleteCallback();
        pfnRename = own.GetRenameCallback();
        pfnCopyFiles = own.GetCopyFilesCallback();
        pfnIdentify = own.pfnIdentify;
        pfnGetSubdatasetInfoFunc = own.pfnGetSubdatasetInfoFunc;
        SetMetadata(own.GetMetadata(""));
    }
};

// Returns `own` if `own` contains function pointers. If `own` is the proxy of a deferred plugin,
// returns a new driver with the plugin's functions. Returns nullptr if the plugin cannot be loaded;
// GDAL has then emitted an error.
GDALDriver* WithPluginFunctions(GDALDriver* own) {
    if (own->pfnOpen != nullptr) return own;
    if (own->GetOpenCallback() == nullptr) return nullptr;
    // The proxy is kept until the process ends, because the code of its plugin is used until then.
    static GDALDriver* kept;
    kept = own;
    return new LoadedDriver(*kept);
}

#else

GDALDriver* WithPluginFunctions(GDALDriver* own) { return own->pfnOpen != nullptr ? own : nullptr; }

#endif

// Prefix in the descriptions of options that GDAL's built-in driver has and this driver lacks.
constexpr const char* kBuiltinMark = "(GDAL`s own driver) ";

// Gives access to GDALDataset::poDriver, which is a protected member.
struct DatasetAccess : GDALDataset {
    using Member = GDALDriver* GDALDataset::*;
    static Member Driver() { return &DatasetAccess::poDriver; }
};

}  // namespace

GDALDriver* Builtin() { return GetGDALDriverManager()->GetDriverByName(kBuiltinName); }

GDALDriver* WrapBuiltin(GDALDriver* own, bool (*is_rejected_by_zarr)(GDALOpenInfo*)) {
    rejected_by_zarr = is_rejected_by_zarr;
    GDALDriver* const builtin = WithPluginFunctions(own);
    if (builtin == nullptr) return nullptr;
    if (builtin->pfnOpen != OpenBehind) {
        identify_as_builtin = builtin->pfnIdentify != nullptr ? builtin->pfnIdentify : IsUnknown;
        open_as_builtin = builtin->pfnOpen;
        builtin->pfnIdentify = IdentifyBehind;
        builtin->pfnOpen = OpenBehind;
    }
    builtin->SetDescription(kBuiltinName);
    builtin->SetMetadataItem(GDAL_DMD_LONGNAME, "Zarr (GDAL's built-in driver)");
    // Removes the file extensions of the built-in driver. Programs that map extensions to drivers
    // keep the last driver of an extension, which must be "Zarr".
    builtin->SetMetadataItem(GDAL_DMD_EXTENSIONS, "");
    return builtin;
}

int IdentifyAsBuiltin(GDALOpenInfo* open_info) {
    return open_as_builtin != nullptr && Builtin() != nullptr ? identify_as_builtin(open_info)
                                                              : GDAL_IDENTIFY_FALSE;
}

GDALDataset* OpenAsBuiltin(GDALOpenInfo* open_info, const std::string& name) {
    if (open_as_builtin == nullptr || Builtin() == nullptr) return nullptr;
    if (name == open_info->pszFilename) return open_as_builtin(open_info);
    GDALOpenInfo renamed(name.c_str(), open_info->nOpenFlags, nullptr);
    renamed.papszOpenOptions = open_info->papszOpenOptions;
    renamed.papszAllowedDrivers = open_info->papszAllowedDrivers;
    return open_as_builtin(&renamed);
}

bool HasBuiltinOption(const char* item, const char* name) {
    return HasOption(OptionsOfBuiltin(item), name);
}

std::string WithOptionsOfBuiltin(const std::string& list, const char* item) {
    const XmlTree ours = ParseXml(list);
    const XmlTree theirs = OptionsOfBuiltin(item);
    std::string more;
    for (CPLXMLNode* const node : ElementsOf(theirs.get(), "Option")) {
        if (HasOption(ours, CPLGetXMLValue(node, "name", ""))) continue;
        const std::string text = CPLGetXMLValue(node, "description", "");
        CPLSetXMLValue(node, "#description", (kBuiltinMark + text).c_str());
        more += ElementText(*node);
    }
    std::string merged = list;
    return merged.insert(merged.rfind("</"), more);
}

GDALDataset* ShowAsZarr(GDALDataset* dataset) {
    if (dataset != nullptr && dataset->GetDriver() == Builtin())
        dataset->*DatasetAccess::Driver() = GetGDALDriverManager()->GetDriverByName(kDriverName);
    return dataset;
}

}  // namespace zarr_driver
