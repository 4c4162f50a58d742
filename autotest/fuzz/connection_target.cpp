// SPDX-License-Identifier: MIT
#include "autotest/fuzz/targets.h"
#include "driver/store/store_path.h"

namespace zarr::fuzz {

void FuzzConnectionString(ByteSpan input) {
    const std::string name(input.text().substr(0, input.text().find('\0')));  // as GDAL has it
    (void)zarr_driver::StorePath(name);
    const auto parsed = zarr_driver::ParseConnectionString(name);
    if (!parsed.ok() || !parsed->has_node) return;
    // What the grammar has no form for: a path with this in it, and a path that is a URL of a URL.
    if (parsed->path.text().find("\":/") != std::string::npos ||
        zarr_driver::StorePath(parsed->path.text()).text() != parsed->path.text())
        return;
    const auto again = zarr_driver::ParseConnectionString(
        zarr_driver::FormatConnectionString(parsed->path, parsed->node, parsed->indices));
    Check(again.ok(), "a name that is formatted parses");
    Check(again->path.text() == parsed->path.text() && again->node == parsed->node &&
              again->indices == parsed->indices,
          "a name that is formatted means the same");
}

}  // namespace zarr::fuzz
