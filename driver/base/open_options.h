// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/base/status.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/crs/crs_sources.h"
#include "core/hierarchy/hierarchy.h"
#include "core/references/icechunk_repository.h"
#include "core/store/store_lock.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

// Says which links to other stores are followed in the image pyramids "x.levels" of xcube.
enum class FollowLinks : std::uint8_t {
    kNo,
    kSameFolder,  // links to stores in the folder that contains "x.levels"
    kAll,
};

// Options with which a store is opened.
struct StoreAccess {
    // If true, values that a server refuses (status 403) are absent. Object stores answer so for
    // absent keys if the client may not list.
    bool missing_on_403 = false;
    // If true, the store is opened for update, without cached answers.
    bool update = false;
    // which links to other stores may be followed
    FollowLinks follow_links = FollowLinks::kNo;
};

// Parsed values of the open options.
struct OpenOptions {
    zarr::UseConsolidated use_consolidated = zarr::UseConsolidated::kIfPresent;
    bool multiband = true;
    std::string dim_x;  // name or index of the X dimension; if empty, found from the metadata
    std::string dim_y;
    std::string select;  // SELECT, such as "time=2020-07-01,z=2"; may be empty
    bool list_all_arrays = false;
    zarr::FillAsNodata fill_value_as_nodata = zarr::FillAsNodata::kAuto;
    zarr::AssumeLonglat assume_longlat = zarr::AssumeLonglat::kByAttributes;
    bool wrap_longitude = false;
    bool north_up = false;
    FollowLinks follow_links = FollowLinks::kSameFolder;
    std::size_t threads = 1;
    bool missing_on_403 = false;
    bool cache_tile_presence = false;
    bool read_ahead = true;
    bool is_update = false;    // access mode of the dataset, not an open option
    std::string synchronizer;  // folder of lock files for writing; may be empty
    // How long a change waits for another writer of the store.
    zarr::LockWait lock_wait;
    // Maximum time for loading the coordinates of extra dimensions (LOAD_EXTRA_DIM_METADATA_DELAY).
    // nullopt means no limit.
    std::optional<std::chrono::duration<double>> label_delay = std::chrono::seconds(5);

    // Parses GDAL's NULL-terminated list of NAME=VALUE. The list is only read during the call.
    // Options of reading that the configuration sets have no effect if `is_update` is true.
    static zarr::Result<OpenOptions> Parse(CSLConstList options, bool is_update = false);
};

// Returns the state of an Icechunk repository that the open options BRANCH, TAG and SNAPSHOT
// select.
zarr::IcechunkSelection SelectionOf(CSLConstList options);

// Lists the stored chunks of `array` if the open option CACHE_TILE_PRESENCE is set, else returns
// nullopt. Adds a warning if the store returns no listing.
std::optional<zarr::ChunkListing> ListChunksIfAsked(const zarr::Array& array,
                                                    const OpenOptions& options,
                                                    std::vector<std::string>& warnings);

// Reads a value of NUM_THREADS: a number or ALL_CPUS.
zarr::Result<std::size_t> ReadThreads(const GivenOption& given);

// Returns the open options, as an XML list for GDAL.
std::string OpenOptionList();

// Sets the limits of the core from GDAL's configuration options of the same names. A value is a
// number; a limit in bytes may have a unit KB, MB, GB or TB. If a value is invalid or too large,
// emits one warning and uses the default. Call before a store is opened. Applies to the whole
// process. Thread-safe.
void ReadLimits();

}  // namespace zarr_driver
