// SPDX-License-Identifier: MIT
// Tests of creating and changing stores with the classic API while calls to the file system fail.
#include <cpl_conv.h>
#include <cpl_string.h>
#include <gtest/gtest.h>

#include <vector>

#include "autotest/cpp/driver/fault_sweep.h"
#include "autotest/cpp/driver/sample_stores.h"
#include "autotest/cpp/driver/store_views.h"
#include "autotest/cpp/support/temp_folder.h"

namespace zarr_driver::test {

namespace {

std::string ReadWrittenRaster(const std::string& folder) { return RasterText(folder + "/x.zarr"); }

std::string ReadZip(const std::string& folder) { return RasterText(folder + "/x.zarr.zip"); }

GDALDriver& ZarrDriver() { return *GetGDALDriverManager()->GetDriverByName("Zarr"); }

CPLStringList Options(const std::string& text) {
    return CPLStringList(CSLTokenizeString2(text.c_str(), " ", 0));
}

// CreateCopy() may succeed although closing its dataset fails. Only an error message reports the
// failure.
bool Copy(const std::string& name, const std::string& options) {
    const Dataset source = MemoryRaster(2, 51);
    return Dataset(ZarrDriver().CreateCopy(name.c_str(), source.get(), FALSE,
                                           Options(ChunkOptions() + options).List(), nullptr,
                                           nullptr)) != nullptr;
}

bool CopyFolder(const std::string& folder) { return Copy(folder + "/x.zarr", ""); }

bool Fill(GDALDataset& dataset, int x, int y, int wide, int high, double value) {
    std::vector<double> pixels(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high),
                               value);
    return dataset.GetRasterBand(1)->RasterIO(GF_Write, x, y, wide, high, pixels.data(), wide, high,
                                              GDT_Float64, 0, 0, nullptr) == CE_None;
}

bool CreateRaster(const std::string& folder) {
    const Dataset made(ZarrDriver().Create((folder + "/x.zarr").c_str(), 5, 4, 1, GDT_Int16,
                                           Options(ChunkOptions()).List()));
    if (made == nullptr) return false;
    double transform[6] = {0, 1, 0, 9, 0, -1};
    bool is_well = GDALSetGeoTransform(GDALDataset::ToHandle(made.get()), transform) == CE_None;
    is_well = made->SetMetadataItem("title", "made") == CE_None && is_well;
    is_well = Fill(*made, 0, 0, 5, 4, 7) && is_well;
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
    return made->FlushCache(false) == CE_None && is_well;
#else
    made->FlushCache(false);
    return is_well;
#endif
}

// Writes a whole chunk, parts of other chunks, and a metadata item.
bool UpdateRaster(const std::string& folder, CSLConstList options = nullptr) {
    const char* const drivers[] = {"Zarr", nullptr};
    const Dataset opened(GDALDataset::Open((folder + "/x.zarr").c_str(),
                                           GDAL_OF_RASTER | GDAL_OF_UPDATE | GDAL_OF_VERBOSE_ERROR,
                                           drivers, options));
    if (opened == nullptr) return false;
    bool is_well = Fill(*opened, 0, 0, 3, 2, 1000);
    is_well = Fill(*opened, 3, 1, 2, 2, 2000) && is_well;
    return opened->SetMetadataItem("title", "changed") == CE_None && is_well;
}

bool UpdatePlainly(const std::string& folder) { return UpdateRaster(folder); }

class WriteFaults : public InEachForm {};
ZARR_IN_EACH_FORM(WriteFaults);

TEST_P(WriteFaults, Create) {
    Sweep(WriteSweep{{}, CreateRaster, ReadWrittenRaster, AcceptsAnything});
}

TEST_P(WriteFaults, CreateCopy) { Sweep(WriteSweep{{}, CopyFolder, ReadWrittenRaster}); }

TEST_P(WriteFaults, CreateCopyOnOtherFileSystem) {
    Sweep(WriteSweep{{}, CopyFolder, ReadWrittenRaster, IsOldOrNew, "/vsifaulty/"});
}

// If a fault makes GDAL's own check of the target fail, GDAL deletes the target before it calls
// CreateCopy(). This creation option prevents the deletion.
constexpr const char* kNoQuietDelete = "QUIET_DELETE_ON_CREATE_COPY=NO ";

TEST_P(WriteFaults, CreateCopyOverAStore) {
    Sweep(WriteSweep{
        WrittenStore(),
        [](const std::string& folder) { return Copy(folder + "/x.zarr", kNoQuietDelete); },
        ReadWrittenRaster});
}

// Files that do not belong to a store must not be deleted, whichever call fails.
TEST_P(WriteFaults, CreateCopyOntoAForeignFolder) {
    const Files start{{"x.zarr/", ""}, {"x.zarr/letter.txt", "Dear"}};
    FaultyFiles& files = FaultyFiles::Get();
    const auto try_it = [&](const Fault& fault) {
        const std::string folder = files.NewFolder(start);
        const ErrorLog log;
        files.Arm(fault);
        EXPECT_FALSE(CopyFolder(folder));
        const std::size_t calls = files.Disarm();
        EXPECT_EQ(log.failures().size(), 1U) << files.FirstFailed() << log.Text();
        EXPECT_EQ(files.FilesIn(folder), start) << files.FirstFailed() << log.Text();
        files.Remove(folder);
        return calls;
    };
    const std::size_t calls = try_it({});
    for (std::size_t call = 1; call <= calls; ++call) try_it({call});
}

TEST_P(WriteFaults, CreateCopyWithOverviews) {
    Sweep(WriteSweep{{},
                     [](const std::string& folder) {
                         return Copy(folder + "/x.zarr", "OVERVIEWS=2 SINGLE_ARRAY=NO");
                     },
                     ReadWrittenRaster});
}

TEST_P(WriteFaults, CreateCopyToAZipFile) {
    const auto write = [](const std::string& folder) { return Copy(folder + "/x.zarr.zip", ""); };
    Sweep(WriteSweep{{}, write, ReadZip});
    Sweep(WriteSweep{WrittenStore("", "x.zarr.zip"), write, ReadZip});
}

TEST_P(WriteFaults, AppendSubdataset) {
    WriteSweep sweep{WrittenStore(),
                     [](const std::string& folder) {
                         return Copy(folder + "/x.zarr", "APPEND_SUBDATASET=YES ARRAY_NAME=other");
                     },
                     [](const std::string& folder) {
                         return RasterText("ZARR:\"" + folder + "/x.zarr\":/x") +
                                MultidimText(folder + "/x.zarr");
                     }};
    sweep.is_repeatable = false;  // after a failure the array may exist, so creating it again fails
    Sweep(sweep);
}

TEST_P(WriteFaults, Update) {
    Sweep(WriteSweep{WrittenStore(), UpdatePlainly, ReadWrittenRaster, EveryLineIsOldOrNew});
}

TEST_P(WriteFaults, UpdateOnOtherFileSystem) {
    Sweep(WriteSweep{WrittenStore(), UpdatePlainly, ReadWrittenRaster, EveryLineIsOldOrNew,
                     "/vsifaulty/"});
}

TEST_P(WriteFaults, UpdateOfAGroup) {
    Sweep(WriteSweep{WrittenStore("SINGLE_ARRAY=NO"), UpdatePlainly, ReadWrittenRaster,
                     EveryLineIsOldOrNew});
}

TEST_P(WriteFaults, UpdateWithLocks) {
    const zarr::test::TempFolder locks;
    const CPLStringList options = Options("SYNCHRONIZER=" + locks.path().string());
    Sweep(
        WriteSweep{WrittenStore(),
                   [&](const std::string& folder) { return UpdateRaster(folder, options.List()); },
                   ReadWrittenRaster, EveryLineIsOldOrNew});
}

TEST_P(WriteFaults, AppendAlongADimension) {
    WriteSweep sweep{WrittenStore(),
                     [](const std::string& folder) {
                         const Dataset source = MemoryRaster(2, 51);
                         return Dataset(ZarrDriver().CreateCopy(
                                    (folder + "/x.zarr").c_str(), source.get(), FALSE,
                                    Options(std::string(kNoQuietDelete) + "APPEND_DIM=band").List(),
                                    nullptr, nullptr)) != nullptr;
                     },
                     ReadWrittenRaster};
    // After a failure the bands may exist, so appending them again would add more bands.
    sweep.is_repeatable = false;
    Sweep(sweep);
}

TEST_P(WriteFaults, Statistics) {
    // Enables .aux.xml files (PAM), because other tests of this process may disable them.
    const CPLConfigOptionSetter keeps_statistics("GDAL_PAM_ENABLED", "YES", false);
    const auto read = [](const std::string& folder) {
        const auto files = FaultyFiles::Get().FilesIn(folder);
        return ReadWrittenRaster(folder) +
               (files.count("x.zarr.aux.xml") != 0 ? "has a file beside\n" : "");
    };
    WriteSweep sweep{WrittenStore(),
                     [](const std::string& folder) {
                         const Dataset opened = OpenRaster(folder + "/x.zarr");
                         if (opened == nullptr) return false;
                         double values[4];
                         return opened->GetRasterBand(1)->GetStatistics(FALSE, TRUE, values,
                                                                        values + 1, values + 2,
                                                                        values + 3) == CE_None;
                     },
                     read, EveryLineIsOldOrNew};
    sweep.max_failures = 2;  // a second error of GDAL names the block
    sweep.may_warn = true;   // GDAL only warns if it cannot save .aux.xml
    Sweep(sweep);
}

}  // namespace

}  // namespace zarr_driver::test
