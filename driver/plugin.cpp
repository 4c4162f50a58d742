// SPDX-License-Identifier: MIT
// Entry point of the plugin. The plugin registers this driver as "Zarr". GDAL's built-in driver is
// renamed to "ZarrBuiltin", and opens stores that this driver cannot read.
#include <gdal_priv.h>

#include <atomic>
#include <string>

#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/codec/registry.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/builtin_registration.h"
#include "driver/base/codec_options.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/open_options.h"
#include "driver/base/quiet_deletion.h"
#include "driver/base/store_options.h"
#include "driver/base/thread_options.h"
#include "driver/codec/driver_codecs.h"
#include "driver/create/copy_files.h"
#include "driver/create/create.h"
#include "driver/create/creation_options.h"
#include "driver/multidim/mdim_dataset.h"
#include "driver/open.h"
#include "driver/store/icechunk_kind.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/open_node.h"
#include "driver/store/store_management.h"
#include "driver/store/subdataset_info.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/response_cache.h"

namespace {

constexpr const char* kCreationTypes =
    "Byte Int8 UInt16 Int16 UInt32 Int32 UInt64 Int64 Float16 Float32 Float64 CFloat32 CFloat64";

using zarr_driver::Builtin;

GDALDataset* Create(const char* name, int x_size, int y_size, int bands, GDALDataType type,
                    zarr_driver::NameValueList options) {
    return zarr_driver::Guarded(name, [&]() -> GDALDataset* {
        if (zarr_driver::AreReferencesAskedFor(options)) {
            zarr_driver::EmitError(name, zarr_driver::NoReferencesWithoutSource());
            return nullptr;
        }
        return zarr_driver::Create(name, x_size, y_size, bands, type, options);
    });
}

GDALDataset* CreateCopy(const char* name, GDALDataset* source, int strict,
                        zarr_driver::NameValueList options, GDALProgressFunc progress,
                        void* progress_data) {
    return zarr_driver::Guarded(name, [&]() -> GDALDataset* {
        if (zarr_driver::AreReferencesAskedFor(options) ||
            (source->GetRasterCount() == 0 && source->GetRootGroup() != nullptr))
            return zarr_driver::CopyMultiDimensional(name, source, strict, options, progress,
                                                     progress_data);
        return zarr_driver::CreateCopy(name, source, strict, options, progress, progress_data);
    });
}

GDALDataset* CreateMultiDimensional(const char* name, CSLConstList group_options,
                                    CSLConstList options) {
    return zarr_driver::Guarded(name, [&]() -> GDALDataset* {
        return zarr_driver::CreateMultiDimensional(name, group_options, options);
    });
}

// The driver "Zarr". Its metadata domains READ_COUNTERS and WRITE_COUNTERS show how many chunks and
// bytes were read and written since the start of the process.
class ZarrDriver final : public GDALDriver {
  public:
    zarr_driver::NameValueList GetMetadata(const char* pszDomain = "") override {
        return zarr_driver::Guarded(zarr_driver::kDriverName, [&]() -> zarr_driver::NameValueList {
            const bool is_read = IsDomain(pszDomain, "READ_COUNTERS");
            if (!is_read && !IsDomain(pszDomain, "WRITE_COUNTERS"))
                return GDALDriver::GetMetadata(pszDomain);
            // The list lives as long as its thread, because the caller of GetMetadata() only
            // borrows the result.
            auto& list = zarr::ThreadLocalObject<CPLStringList>();
            list.Clear();
            const auto set = [&list](const char* name, const std::atomic<std::uint64_t>& count) {
                list.SetNameValue(name, std::to_string(count.load()).c_str());
            };
            const auto context = zarr_driver::SharedContext();
            if (is_read) {
                set("CHUNKS_REQUESTED", context->counters().chunks_requested);
                set("CHUNKS_ABSENT", context->counters().chunks_absent);
                set("CHUNKS_DECODED", context->counters().chunks_decoded);
                set("BYTES_READ", context->counters().bytes_read);
                set("BYTES_DECODED", context->counters().bytes_decoded);
            } else {
                set("CHUNKS_WRITTEN", context->write_counters().chunks_written);
                set("BYTES_WRITTEN", context->write_counters().bytes_written);
            }
            return list.List();
        });
    }
    const char* GetMetadataItem(const char* pszName, const char* pszDomain = "") override {
        return zarr_driver::Guarded(zarr_driver::kDriverName, [&]() -> const char* {
            if (!IsDomain(pszDomain, "READ_COUNTERS") && !IsDomain(pszDomain, "WRITE_COUNTERS"))
                return GDALDriver::GetMetadataItem(pszName, pszDomain);
            return CSLFetchNameValue(GetMetadata(pszDomain), pszName);
        });
    }

#if ZARR_HAS_DEFERRED_PLUGINS
    DeleteCallback GetDeleteCallback() override {
        return zarr_driver::Guarded(zarr_driver::kDriverName, [&]() -> DeleteCallback {
            zarr_driver::NoteDeletionAsked();
            return GDALDriver::GetDeleteCallback();
        });
    }
#endif

  private:
    static bool IsDomain(const char* domain, const char* name) {
        return domain != nullptr && EQUAL(domain, name);
    }
};

// GDAL calls this function when it destroys its drivers. Releases caches, and ends idle threads
// while GDAL's thread-local storage still exists.
void Unload(GDALDriver* /*driver*/) {
    zarr_driver::Guarded(zarr_driver::kDriverName, [&]() {
        zarr::WorkerPool::Instance().EndIdle();
        zarr_driver::SharedContext()->cache().SetMaxBytes(0);
        zarr_driver::CloseIdleZip();
        zarr_driver::ForgetKerchunkJson();
        zarr_driver::ForgetKerchunkParquet();
        zarr_driver::ForgetIcechunk();
        zarr_driver::ClearResponseCache();
    });
}

GDALDriver* MakeDriver() {
    auto* driver = new ZarrDriver();
    driver->SetDescription(zarr_driver::kDriverName);
    driver->SetMetadataItem(GDAL_DMD_LONGNAME, "Zarr");
    driver->SetMetadataItem("DRIVER_VERSION", ZARR_DRIVER_VERSION);
    driver->SetMetadataItem(GDAL_DCAP_RASTER, "YES");
    driver->SetMetadataItem(GDAL_DCAP_MULTIDIM_RASTER, "YES");
    driver->SetMetadataItem(GDAL_DCAP_OPEN, "YES");
    driver->SetMetadataItem(GDAL_DCAP_VIRTUALIO, "YES");
    driver->SetMetadataItem(GDAL_DMD_SUBDATASETS, "YES");
    // GDAL finds the driver of a new file by its last extension: "zip" stands for x.zarr.zip.
    driver->SetMetadataItem(GDAL_DMD_EXTENSIONS, "zarr zip ozx");
    driver->SetMetadataItem(GDAL_DMD_EXTENSION, "zarr");
    driver->SetMetadataItem(GDAL_DMD_HELPTOPIC, "drivers/raster/zarr.html");
    driver->SetMetadataItem(GDAL_DMD_CONNECTION_PREFIX, "ZARR:");
    driver->SetMetadataItem(GDAL_DMD_OPENOPTIONLIST, zarr_driver::OpenOptionList().c_str());
    driver->SetMetadataItem("COMPRESSORS", zarr_driver::CompressorNames().c_str());
    driver->SetMetadataItem("FILTERS", zarr_driver::FilterIds().c_str());
    driver->SetMetadataItem("BLOSC_COMPRESSORS", zarr::BloscCompressors());
    driver->pfnUnloadDriver = Unload;
    driver->pfnIdentify = zarr_driver::Identify;
    driver->pfnOpen = zarr_driver::Open;
#if ZARR_HAS_SUBDATASET_INFO
    driver->pfnGetSubdatasetInfoFunc = zarr_driver::GetSubdatasetInfo;
#endif
    driver->pfnDelete = zarr_driver::Delete;
    driver->pfnRename = zarr_driver::Rename;
    driver->pfnCopyFiles = zarr_driver::CopyFiles;
    driver->SetMetadataItem(GDAL_DCAP_CREATE, "YES");
    driver->SetMetadataItem(GDAL_DCAP_CREATECOPY, "YES");
    driver->SetMetadataItem(zarr_driver::kCreatesSubdatasets, "YES");
#ifdef GDAL_DCAP_UPDATE
    driver->SetMetadataItem(GDAL_DCAP_UPDATE, "YES");
    driver->SetMetadataItem(GDAL_DMD_UPDATE_ITEMS,
                            "GeoTransform SRS GCPs NoData ColorInterpretation RasterValues "
                            "DatasetMetadata BandMetadata");
#endif
    driver->SetMetadataItem(GDAL_DMD_CREATIONDATATYPES, kCreationTypes);
    driver->SetMetadataItem(GDAL_DMD_CREATIONOPTIONLIST, zarr_driver::CreationOptionList().c_str());
    driver->pfnCreate = Create;
    driver->pfnCreateCopy = CreateCopy;
    driver->SetMetadataItem(GDAL_DCAP_CREATE_MULTIDIMENSIONAL, "YES");
    driver->SetMetadataItem(GDAL_DMD_MULTIDIM_DATASET_CREATIONOPTIONLIST,
                            zarr_driver::MultiDimDatasetOptionList().c_str());
    driver->SetMetadataItem(GDAL_DMD_MULTIDIM_ARRAY_CREATIONOPTIONLIST,
                            zarr_driver::MultiDimArrayOptionList().c_str());
    driver->pfnCreateMultiDimensional = CreateMultiDimensional;
    return driver;
}

// Adds the options that only GDAL's built-in driver has to the option lists of `driver`, so that
// GDAL accepts them.
void AddOptionsOfBuiltin(GDALDriver& driver) {
    for (const char* item : {GDAL_DMD_OPENOPTIONLIST, GDAL_DMD_CREATIONOPTIONLIST,
                             GDAL_DMD_MULTIDIM_DATASET_CREATIONOPTIONLIST,
                             GDAL_DMD_MULTIDIM_ARRAY_CREATIONOPTIONLIST}) {
        const std::string list = driver.GetMetadataItem(item);
        driver.SetMetadataItem(item, zarr_driver::WithOptionsOfBuiltin(list, item).c_str());
    }
}

}  // namespace

// Registration function that GDAL looks up first, by a name derived from the file name. Without
// this function the failed look-up would leave an error in GDAL's error state.
extern "C" void CPL_DLL GDALRegister_ZarrV2();

void GDALRegister_ZarrV2() {
    zarr_driver::Guarded(zarr_driver::kDriverName, [&]() {
        // GDAL's C++ ABI changes with each minor version. If GDAL's version differs from the
        // version of the build, GDAL emits an error that names both versions.
        if (!GDAL_CHECK_VERSION("gdal_ZarrV2")) return;
        GDALDriverManager* manager = GetGDALDriverManager();
        if (Builtin() != nullptr) return;
        // GDAL registers its built-in Zarr driver after the plugins, and only if the name "Zarr" is
        // free. The built-in driver is therefore registered here, before this driver, and renamed.
        zarr_driver::RegisterBuiltin();
        GDALDriver* const own = manager->GetDriverByName(zarr_driver::kDriverName);
        if (own != nullptr) manager->DeregisterDriver(own);
        GDALDriver* const builtin =
            own != nullptr ? zarr_driver::WrapBuiltin(own, zarr_driver::IsRejectedByIdentify)
                           : nullptr;
        GDALDriver* const driver = MakeDriver();
        manager->RegisterDriver(driver);
        if (builtin != nullptr) manager->RegisterDriver(builtin);
        AddOptionsOfBuiltin(*driver);
        zarr_driver::ProvideDriverCodecs();
        zarr_driver::ShareThreadOptions();
    });
}
