// SPDX-License-Identifier: MIT
// Tests of creating and changing stores with the multidimensional API while calls to the file
// system fail.
#include <cpl_string.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "autotest/cpp/driver/fault_sweep.h"
#include "autotest/cpp/driver/sample_stores.h"
#include "autotest/cpp/driver/store_views.h"
#include "driver/multidim/mdim_array.h"

namespace zarr_driver::test {

namespace {

std::string ReadWrittenMultidim(const std::string& folder) {
    return MultidimText(folder + "/x.zarr");
}

bool Write(GDALMDArray& array, double first) {
    std::vector<GUInt64> start;
    std::vector<std::size_t> count;
    std::size_t size = 1;
    for (const auto& dimension : array.GetDimensions()) {
        start.push_back(0);
        count.push_back(static_cast<std::size_t>(dimension->GetSize()));
        size *= count.back();
    }
    std::vector<double> values(size);
    std::iota(values.begin(), values.end(), first);
    return array.Write(start.data(), count.data(), nullptr, nullptr,
                       GDALExtendedDataType::Create(GDT_Float64), values.data());
}

bool WriteAttribute(GDALMDArray& array, const char* name, const char* value) {
    auto attribute = array.GetAttribute(name);
    if (attribute == nullptr)
        attribute = array.CreateAttribute(name, {}, GDALExtendedDataType::CreateString());
    return attribute != nullptr && attribute->Write(value);
}

// Creates a group with an array and its coordinate array.
bool FillNew(GDALGroup& root) {
    const auto group = root.CreateGroup("g");
    if (group == nullptr) return false;
    const auto rows = group->CreateDimension("row", "", "", 3);
    const auto columns = group->CreateDimension("column", "", "", 4);
    if (rows == nullptr || columns == nullptr) return false;
    const CPLStringList options(CSLTokenizeString2(ChunkOptions().c_str(), " ", 0));
    const auto array = group->CreateMDArray(
        "a", {rows, columns}, GDALExtendedDataType::Create(GDT_Float32), options.List());
    const auto coordinates =
        group->CreateMDArray("row", {rows}, GDALExtendedDataType::Create(GDT_Float64));
    if (array == nullptr || coordinates == nullptr) return false;
    return Write(*coordinates, 0.5) && Write(*array, 1) && WriteAttribute(*array, "units", "m");
}

bool Create(const std::string& folder) {
    GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName("Zarr");
    const Dataset made(
        driver->CreateMultiDimensional((folder + "/x.zarr").c_str(), nullptr, nullptr));
    return made != nullptr && FillNew(*made->GetRootGroup());
}

bool Update(const std::string& folder) {
    const Dataset opened = OpenMultidim(folder + "/x.zarr", true);
    if (opened == nullptr) return false;
    const auto array = opened->GetRootGroup()->OpenMDArray("x");
    if (array == nullptr) return false;
    const GUInt64 start[] = {0, 1, 1};
    const std::size_t count[] = {2, 2, 2};
    const double values[] = {-1, -2, -3, -4, -5, -6, -7, -8};
    return array->Write(start, count, nullptr, nullptr, GDALExtendedDataType::Create(GDT_Float64),
                        values) &&
           WriteAttribute(*array, "title", "changed");
}

class MdimFaults : public InEachForm {};
ZARR_IN_EACH_FORM(MdimFaults);

// After a failed write, a line of ReadWrittenMultidim() may mix old and new chunks. Any contents
// are therefore accepted; the tests of the classic API check each chunk.
TEST_P(MdimFaults, Create) { Sweep(WriteSweep{{}, Create, ReadWrittenMultidim, AcceptsAnything}); }

TEST_P(MdimFaults, CreateOverAStore) {
    Sweep(WriteSweep{WrittenStore(), Create, ReadWrittenMultidim, AcceptsAnything});
}

TEST_P(MdimFaults, Update) {
    const auto read = [](const std::string& folder) { return RasterText(folder + "/x.zarr"); };
    Sweep(WriteSweep{WrittenStore(), Update, read, EveryLineIsOldOrNew});
}

TEST_P(MdimFaults, Resize) {
    const auto resize = [](const std::string& folder) {
        const Dataset opened = OpenMultidim(folder + "/x.zarr", true);
        if (opened == nullptr) return false;
        // GDALMDArray has Resize() only from GDAL 3.7 on, so the test calls the class of the
        // driver.
        const auto array =
            std::dynamic_pointer_cast<ZarrMDArray>(opened->GetRootGroup()->OpenMDArray("x"));
        return array != nullptr && array->Resize({3, 4, 5}, nullptr);
    };
    Sweep(WriteSweep{WrittenStore(), resize, ReadWrittenMultidim, EveryLineIsOldOrNew});
}

}  // namespace

}  // namespace zarr_driver::test
