// SPDX-License-Identifier: MIT
#include "autotest/cpp/support/project_file.h"

namespace zarr::test {

std::string ProjectFile(std::string_view name) {
    return std::string(ZARR_SOURCE_DIR "/").append(name);
}

}  // namespace zarr::test
