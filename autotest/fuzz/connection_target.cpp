// SPDX-License-Identifier: MIT
#include "autotest/fuzz/targets.h"
#include "driver/store/store_address.h"

namespace zarr::fuzz {

void FuzzConnectionString(ByteSpan input) {
    // GDAL ends a name at its first NUL byte.
    const std::string name(input.text().substr(0, input.text().find('\0')));
    (void)zarr_driver::StorePath(name);
    const auto parsed = zarr_driver::ParseConnectionString(name);
    if (!parsed.ok() || !parsed->has_node) return;
    // A connection string cannot express a path that contains `":/`, or a URL within a URL. Such
    // paths are not checked.
    if (parsed->path.text().find("\":/") != std::string::npos ||
        zarr_driver::StorePath(parsed->path.text()).text() != parsed->path.text())
        return;
    const auto again = zarr_driver::ParseConnectionString(
        zarr_driver::FormatConnectionString(parsed->path, parsed->node, parsed->indices));
    Check(again.ok(), "a formatted name can be parsed");
    Check(again->path.text() == parsed->path.text() && again->node == parsed->node &&
              again->indices == parsed->indices,
          "a formatted name parses to an equal name");
}

}  // namespace zarr::fuzz
