// SPDX-License-Identifier: MIT
// Tests of deleting, renaming and copying stores and arrays while calls to the file system fail.
#include <gtest/gtest.h>

#include "autotest/cpp/driver/fault_sweep.h"
#include "autotest/cpp/driver/sample_stores.h"
#include "autotest/cpp/driver/store_views.h"

namespace zarr_driver::test {

namespace {

GDALDriver& Driver() { return *GetGDALDriverManager()->GetDriverByName("Zarr"); }

std::string Read(const std::string& folder) {
    std::string text;
    for (const char* name : {"/x.zarr", "/y.zarr"})
        text += std::string(name) + "\n" + MultidimText(folder + name);
    return text;
}

std::string Array(const std::string& folder, const char* name) {
    return "ZARR:\"" + folder + "/x.zarr\":/" + name;
}

// A failed deletion may leave some of the files that were to be deleted, but must keep all other
// files.
bool KeepsOtherFiles(const std::string& /*before*/, const std::string& after,
                     const std::string& now) {
    return HasLines(now, after);
}

// A folder that cannot be renamed is copied and then deleted. After a failure, the contents may
// exist under both names.
bool IsUnderEitherName(const std::string& before, const std::string& after,
                       const std::string& now) {
    return HasLines(now, before) || HasLines(now, after);
}

class ManageFaults : public InEachForm {};
ZARR_IN_EACH_FORM(ManageFaults);

TEST_P(ManageFaults, DeleteStore) {
    WriteSweep sweep{WrittenStore("OVERVIEWS=2"),
                     [](const std::string& folder) {
                         return Driver().Delete((folder + "/x.zarr").c_str()) == CE_None;
                     },
                     Read, AcceptsAnything};
    sweep.is_repeatable = false;
    Sweep(sweep);
}

TEST_P(ManageFaults, DeleteArray) {
    WriteSweep sweep{WrittenStore("SINGLE_ARRAY=NO"),
                     [](const std::string& folder) {
                         return Driver().Delete(Array(folder, "Band1").c_str()) == CE_None;
                     },
                     Read, KeepsOtherFiles};
    sweep.is_repeatable = false;
    Sweep(sweep);
}

bool RenameStore(const std::string& folder) {
    return Driver().Rename((folder + "/y.zarr").c_str(), (folder + "/x.zarr").c_str()) == CE_None;
}

TEST_P(ManageFaults, RenameStore) {
    for (const char* prefix : {"/faulty/", "/vsifaulty/"}) {
        WriteSweep sweep{WrittenStore(), RenameStore, Read, IsOldOrNew, prefix};
        sweep.is_repeatable = false;
        Sweep(sweep);
    }
}

TEST_P(ManageFaults, RenameArray) {
    for (const char* prefix : {"/faulty/", "/vsifaulty/"}) {
        WriteSweep sweep{WrittenStore("SINGLE_ARRAY=NO"),
                         [](const std::string& folder) {
                             return Driver().Rename(Array(folder, "other").c_str(),
                                                    Array(folder, "Band1").c_str()) == CE_None;
                         },
                         Read, IsUnderEitherName, prefix};
        sweep.is_repeatable = false;
        Sweep(sweep);
    }
}

TEST_P(ManageFaults, CopyStore) {
    WriteSweep sweep{WrittenStore(),
                     [](const std::string& folder) {
                         return Driver().CopyFiles((folder + "/y.zarr").c_str(),
                                                   (folder + "/x.zarr").c_str()) == CE_None;
                     },
                     Read};
    sweep.is_repeatable = false;
    Sweep(sweep);
}

}  // namespace

}  // namespace zarr_driver::test
