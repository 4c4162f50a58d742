// SPDX-License-Identifier: MIT
#include "driver/create/image_layout.h"

#include <string>

#include "driver/base/option_table.h"

namespace zarr_driver {

namespace {

// True if `bands` bands are the samples of one image of `format`.
bool AreSamples(const std::string& format, std::uint64_t bands) {
    if (format == "JPEG") return bands == 3;
    if (format == "WEBP") return bands == 3 || bands == 4;
    return bands >= 2 && bands <= 4;
}

}  // namespace

zarr::Status ChooseImageLayout(CreationOptions& options, ProfiledRaster& raster) {
    const std::string format = options.array.codec.ImageName();
    if (format.empty()) return {};
    const bool has_own_chunks =
        options.array.chunks.size() > 2 || options.array.shard_chunks.size() > 2;
    const bool may_interleave = options.wants_single_array.value_or(true) &&
                                options.profile != Profile::kOme && options.band_dim.empty() &&
                                !raster.IsCube();
    if (may_interleave && !has_own_chunks && AreSamples(format, raster.bands)) {
        options.interleave_pixel = true;
        raster.are_bands_split = false;
    } else if (format == "WEBP" && !has_own_chunks) {
        return RefuseOption(
            "COMPRESS",
            "3 or 4 bands with WEBP, in one array without BAND_DIM, dimensions of a "
            "cube or PROFILE=OME",
            std::to_string(raster.bands).c_str());
    }
    return {};
}

}  // namespace zarr_driver
