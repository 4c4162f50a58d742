// SPDX-License-Identifier: MIT
// Tests the plugin in GDAL_DRIVER_PATH together with a deferred built-in driver. For a deferred
// driver, GDAL registers a stand-in named "Zarr", which loads the real plugin by this name when a
// dataset needs it. The test opens a dataset that only the deferred driver recognises.
//   zarr_deferred            the deferred plugin can be loaded, so the dataset must open
//   zarr_deferred missing    the deferred plugin cannot be loaded, so the dataset must not open
// The exit status is 0 if the test passes. GDAL before 3.9 has no deferred drivers to test.
#include <gdal_priv.h>
#include <gdal_version.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 9, 0)

namespace {

void Require(bool is_so, const char* what) {
    if (is_so) return;
    std::fprintf(stderr, "zarr_deferred: %s\n", what);
    std::exit(1);
}

constexpr const char* kName = "only/for/the/plugin";

int Identify(GDALOpenInfo* open_info) {
    return std::strcmp(open_info->pszFilename, kName) == 0 ? TRUE : FALSE;
}

GDALDataset* OpenOnly(GDALOpenInfo* open_info) {
    if (Identify(open_info) == FALSE) return nullptr;
    return GetGDALDriverManager()->GetDriverByName("MEM")->Create("", 3, 2, 1, GDT_Byte, nullptr);
}

class StandIn final : public GDALDriver {
  public:
    explicit StandIn(bool is_missing) : is_missing_(is_missing) {
        SetDescription("Zarr");
        SetMetadataItem(GDAL_DCAP_RASTER, "YES");
        SetMetadataItem(GDAL_DCAP_OPEN, "YES");
        pfnIdentify = Identify;
    }
    OpenCallback GetOpenCallback() override {
        Require(std::strcmp(GetDescription(), "Zarr") == 0, "loaded by another name");
        return is_missing_ ? nullptr : OpenOnly;
    }

  private:
    const bool is_missing_;
};

}  // namespace

int main(int argc, char** argv) {
    const bool is_missing = argc > 1 && std::strcmp(argv[1], "missing") == 0;
    GDALDriverManager* manager = GetGDALDriverManager();
    manager->RegisterDriver(new StandIn(is_missing));
    GDALAllRegister();
    Require(manager->GetDriverByName("Zarr")->GetMetadataItem("CHUNKS_DECODED", "READ_COUNTERS") !=
                nullptr,
            "the driver of this project is not \"Zarr\"");
    Require((manager->GetDriverByName("ZarrBuiltin") == nullptr) == is_missing, "ZarrBuiltin");
    const std::unique_ptr<GDALDataset> opened(GDALDataset::Open(kName, GDAL_OF_RASTER));
    Require((opened == nullptr) == is_missing, "the name that only the plugin knows");
    if (opened != nullptr)
        Require(std::strcmp(opened->GetDriver()->GetDescription(), "MEM") == 0 ||
                    std::strcmp(opened->GetDriver()->GetDescription(), "Zarr") == 0,
                "opened by another one");
    return 0;
}

#else

int main() { return 0; }

#endif
