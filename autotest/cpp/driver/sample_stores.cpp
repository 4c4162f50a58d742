// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/sample_stores.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <memory>
#include <numeric>
#include <vector>

#include "core/base/sanitizers.h"

namespace zarr_driver::test {

namespace {

bool has_shards = false;

constexpr int kWide = 5;
constexpr int kHigh = 4;

}  // namespace

std::string NameOf(Form form) {
    constexpr const char* kNames[] = {"v2", "v3", "shards"};
    return kNames[static_cast<std::size_t>(form)];
}

std::vector<Form> TestedForms() {
    if (zarr::kHasThreadSanitizer) return {Form::kShards};
    return {Form::kV2, Form::kV3, Form::kShards};
}

void InEachForm::SetUp() {
    CPLSetConfigOption("ZARR_DEFAULT_FORMAT", GetParam() == Form::kV2 ? "ZARR_V2" : "ZARR_V3");
    has_shards = GetParam() == Form::kShards;
}

void InEachForm::TearDown() {
    CPLSetConfigOption("ZARR_DEFAULT_FORMAT", nullptr);
    has_shards = false;
}

std::string ChunkOptions() {
    return has_shards ? "BLOCKSIZE=2,3 SHARD_CHUNK_SHAPE=1,3 " : "BLOCKSIZE=2,3 ";
}

Dataset MemoryRaster(int bands, double first_value) {
    GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName("MEM");
    Dataset raster(driver->Create("", kWide, kHigh, bands, GDT_Int16, nullptr));
    double transform[6] = {500000, 10, 0, 4100000, 0, -10};
    GDALSetGeoTransform(GDALDataset::ToHandle(raster.get()), transform);
    OGRSpatialReference srs;
    srs.importFromEPSG(32631);
    raster->SetSpatialRef(&srs);
    for (int i = 1; i <= bands; ++i) {
        std::vector<double> pixels(std::size_t{kWide} * kHigh);
        std::iota(pixels.begin(), pixels.end(), first_value + 100 * (i - 1));
        GDALRasterBand* const band = raster->GetRasterBand(i);
        EXPECT_EQ(band->RasterIO(GF_Write, 0, 0, kWide, kHigh, pixels.data(), kWide, kHigh,
                                 GDT_Float64, 0, 0, nullptr),
                  CE_None);
        band->SetNoDataValue(-9);
        band->SetUnitType("m");
    }
    return raster;
}

Files WrittenStore(const std::string& options, const std::string& name) {
    FaultyFiles& files = FaultyFiles::Get();
    const std::string folder = files.NewFolder({});
    CPLStringList list(CSLTokenizeString2((ChunkOptions() + options).c_str(), " ", 0));
    const Dataset source = MemoryRaster();
    GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName("Zarr");
    Dataset made(driver->CreateCopy((folder + "/" + name).c_str(), source.get(), FALSE, list.List(),
                                    nullptr, nullptr));
    EXPECT_NE(made, nullptr);
    made.reset();
    Files written = files.FilesIn(folder);
    files.Remove(folder);
    return written;
}

Files CoordinatesStore() {
    Files files = WrittenStore("GEOREFERENCING_CONVENTION=CF CREATE_CONSOLIDATED_METADATA=NO");
    const bool is_v3 = files.count("x.zarr/zarr.json") != 0;
    std::string& attributes =
        files[std::string("x.zarr/spatial_ref/") + (is_v3 ? "zarr.json" : ".zattrs")];
    const std::size_t at = attributes.find("\"GeoTransform\"");
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) attributes.replace(at, 14, "\"ignored_name\"");
    return files;
}

Files PyramidStore() { return WrittenStore("OVERVIEWS=2"); }

Files V1Files() {
    const std::string meta =
        R"({"zarr_format": 1, "shape": [4, 5], "chunks": [2, 3], "dtype": "|u1",)"
        R"( "compression": null, "compression_opts": null, "fill_value": 0, "order": "C"})";
    Files files{{"x.zarr/", ""}, {"x.zarr/meta", meta}, {"x.zarr/attrs", R"({"units": "m"})"}};
    for (const char* chunk : {"0.0", "0.1", "1.0", "1.1"})
        files["x.zarr/" + std::string(chunk)] = "abcdef";
    return files;
}

}  // namespace zarr_driver::test
