// SPDX-License-Identifier: MIT
// Runs the fuzz targets on their corpus and on inputs that once caused a fault. All builds run
// these tests, not only builds with fuzzers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "autotest/cpp/support/project_file.h"
#include "autotest/fuzz/targets.h"

namespace zarr::fuzz {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

class FuzzInputs : public testing::TestWithParam<Target> {};

TEST_P(FuzzInputs, BreakNothing) {
    const fs::path root = test::ProjectFile("autotest/fuzz");
    std::vector<fs::path> files = FilesIn(root / "findings" / GetParam().name);
    const std::vector<fs::path> kept = FilesIn(root / "corpus" / GetParam().name);
    ASSERT_FALSE(kept.empty());
    files.insert(files.end(), kept.begin(), kept.end());
    for (const fs::path& path : files) {
        SCOPED_TRACE(path.string());
        std::ifstream file(path, std::ios::binary);
        const std::string input((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
        ASSERT_FALSE(file.bad());
        GetParam().run(ByteSpan(input));
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzInputs, testing::ValuesIn(Targets()),
                         [](const auto& of) { return of.param.name; });

}  // namespace

}  // namespace zarr::fuzz
