// SPDX-License-Identifier: MIT
// Registers the plugin of GDAL_DRIVER_PATH where GDAL's own driver is a plugin, too, that is loaded
// when it is needed, as GDAL can be built from 3.9 on: a driver "Zarr" stands for it that has no
// functions but by virtual methods, which load it by the driver's name. Opens a name that only that
// one knows. Ends with 0 where it is opened, and the plugin loaded once; GDAL before 3.9 has no
// such.
//
//   zarr_deferred [missing]     missing: the plugin cannot be loaded
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
