// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/base/status.h"
#include "core/conventions/crs_sources.h"
#include "core/conventions/nodata.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// Which links of xcube's levels to a store elsewhere are followed.
enum class FollowLinks : std::uint8_t {
    kNo,
    kBeside,  // to a store in the same folder as the levels
    kAll,
};

// The open options, parsed. `kOpenOptionList` describes them to GDAL.
struct OpenOptions {
    zarr::UseConsolidated use_consolidated = zarr::UseConsolidated::kIfPresent;
    bool multiband = true;
    std::string dim_x;  // name or index; empty: found from the metadata
    std::string dim_y;
    std::string select;  // what fixes extra dimensions: "time=2020-07-01,z=2"; may be empty
    bool list_all_arrays = false;
    zarr::FillAsNodata fill_value_as_nodata = zarr::FillAsNodata::kAuto;
    zarr::AssumeLonglat assume_longlat = zarr::AssumeLonglat::kAsSaid;
    bool wrap_longitude = false;
    bool north_up = false;
    FollowLinks follow_links = FollowLinks::kBeside;
    std::size_t threads = 1;
    bool missing_on_403 = false;
    bool cache_tile_presence = false;
    bool read_ahead = true;
    bool is_update = false;    // how the dataset is opened, which is no option
    std::string synchronizer;  // folder of lock files for writing; empty: none
    // Longest time that the coordinates of extra dimensions may take; none: unlimited.
    std::optional<std::chrono::duration<double>> label_delay = std::chrono::seconds(5);

    // `options` is GDAL's NULL-terminated list of NAME=VALUE; not owned.
    static zarr::Result<OpenOptions> Parse(const char* const* options);
};

// What CACHE_TILE_PRESENCE asks for, if it does; a store that does not list gives a warning.
std::optional<zarr::ChunkListing> ListChunksIfAsked(const zarr::Array& array,
                                                    const OpenOptions& options,
                                                    std::vector<std::string>& warnings);

// Parses NUM_THREADS: a number, or ALL_CPUS. `fallback` where `text` is nullptr.
zarr::Result<std::size_t> ParseThreads(const char* text, std::size_t fallback);

extern const char* const kOpenOptionList;

// Sets the core's limits as GDAL's configuration options of their names say: a number, of bytes
// also with KB, MB, GB or TB behind it. Any other value, or one that is too large,
// gives one warning, and the usual limit holds. To be called before a store is opened; the limits
// hold for the whole process. Thread-safe.
void ReadLimits();

}  // namespace zarr_driver
