// SPDX-License-Identifier: MIT
#include "driver/options.h"

#include <cpl_conv.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>

#include <algorithm>

#include "core/base/text.h"

namespace zarr_driver {

const char* const kOpenOptionList =
    "<OpenOptionList>"
    "  <Option name='USE_CONSOLIDATED_METADATA' alias='USE_ZMETADATA' type='boolean'"
    "   description='Whether to use consolidated metadata from .zmetadata' default='YES'/>"
    "  <Option name='MULTIBAND' type='boolean' description='Whether an array of three or more"
    " dimensions is a dataset with a band for each slice (YES) or a list of subdatasets (NO)'"
    " default='YES'/>"
    "  <Option name='DIM_X' type='string' description='Name or index, from 0, of the X dimension."
    " Found from the metadata by default'/>"
    "  <Option name='DIM_Y' type='string' description='Name or index, from 0, of the Y dimension."
    " Found from the metadata by default'/>"
    "  <Option name='LOAD_EXTRA_DIM_METADATA_DELAY' type='string' description='Maximum delay in"
    " seconds allowed to read the coordinates of dimensions other than X and Y, which describe the"
    " bands and set their DIM_{dimname}_VALUE metadata items, or unlimited' default='5'/>"
    "  <Option name='LIST_ALL_ARRAYS' type='boolean' description='Whether to list arrays of fewer"
    " than two dimensions, and coordinates, as subdatasets' default='NO'/>"
    "  <Option name='FILL_VALUE_AS_NODATA' type='boolean' description='Whether the fill_value of an"
    " array without _FillValue and missing_value is its nodata value' default='YES'/>"
    "  <Option name='ASSUME_LONGLAT' type='boolean' description='Whether longitude and latitude"
    " coordinates without any statement of a CRS are taken as WGS 84' default='YES'/>"
    "  <Option name='WRAP_LONGITUDE' type='boolean' description='Whether longitudes from 0 to 360"
    " are turned into -180 to 180' default='NO'/>"
    "  <Option name='MISSING_ON_403' type='boolean' description='Whether what a server refuses with"
    " status 403 is absent, as object stores say to those who may not list. Otherwise it is an "
    "error'"
    " default='NO'/>"
    "  <Option name='CACHE_TILE_PRESENCE' type='boolean' description='Whether to list the chunks of"
    " an array once, when it is opened, and not to ask for those that are absent. For stores"
    " that list' default='NO'/>"
    "  <Option name='NUM_THREADS' type='string' description='Number of threads that read and decode"
    " chunks, or ALL_CPUS. The configuration option GDAL_NUM_THREADS by default, else all"
    " processors'/>"
    "  <Option name='SYNCHRONIZER' type='string' description='Folder of lock files under which "
    "chunks"
    " are written, so that processes, those of zarr-python&apos;s ProcessSynchronizer with the same"
    " folder among them, can write to one chunk at the same time. Keys count from the root of the"
    " store. In update mode'/>"
    "</OpenOptionList>";

namespace {

std::size_t AllProcessors() { return static_cast<std::size_t>(std::max(1, CPLGetNumCPUs())); }

zarr::Result<std::optional<std::chrono::duration<double>>> ParseDelay(const char* text) {
    if (EQUAL(text, "unlimited")) return std::optional<std::chrono::duration<double>>();
    const double seconds = CPLAtof(text);
    if (CPLGetValueType(text) == CPL_VALUE_STRING || !(seconds >= 0))
        return zarr::Status::Invalid(
            "LOAD_EXTRA_DIM_METADATA_DELAY: expected a number of seconds >= 0 or unlimited, got " +
            zarr::Quoted(text));
    constexpr double kMax = 1e9;  // what a clock can count
    return std::optional(std::chrono::duration<double>(std::min(seconds, kMax)));
}

}  // namespace

std::optional<zarr::ChunkListing> ListChunksIfAsked(const zarr::Array& array,
                                                    const OpenOptions& options,
                                                    std::vector<std::string>& warnings) {
    if (!options.cache_tile_presence) return {};
    const auto listing = array.ListChunks();
    if (listing.ok()) return *listing;
    warnings.push_back("CACHE_TILE_PRESENCE: " + listing.status().message());
    return {};
}

zarr::Result<std::size_t> ParseThreads(const char* text, std::size_t fallback) {
    if (text == nullptr) return fallback;
    if (EQUAL(text, "ALL_CPUS")) return AllProcessors();
    const int threads = atoi(text);
    if (CPLGetValueType(text) != CPL_VALUE_INTEGER || threads < 1)
        return zarr::Status::Invalid("NUM_THREADS: expected a number >= 1 or ALL_CPUS, got " +
                                     zarr::Quoted(text));
    constexpr int kMax = 1024;
    return static_cast<std::size_t>(std::min(threads, kMax));
}

zarr::Result<OpenOptions> OpenOptions::Parse(const char* const* options) {
    OpenOptions parsed;
    const char* consolidated = CSLFetchNameValue(options, "USE_CONSOLIDATED_METADATA");
    if (consolidated == nullptr)
        consolidated = CSLFetchNameValueDef(options, "USE_ZMETADATA", "YES");
    parsed.use_consolidated = CPLTestBool(consolidated) ? zarr::UseConsolidated::kIfPresent
                                                        : zarr::UseConsolidated::kNever;
    parsed.multiband = CPLFetchBool(options, "MULTIBAND", true);
    parsed.dim_x = CSLFetchNameValueDef(options, "DIM_X", "");
    parsed.dim_y = CSLFetchNameValueDef(options, "DIM_Y", "");
    parsed.list_all_arrays = CPLFetchBool(options, "LIST_ALL_ARRAYS", false);
    parsed.fill_value_as_nodata = CPLFetchBool(options, "FILL_VALUE_AS_NODATA", true);
    parsed.assume_longlat = CPLFetchBool(options, "ASSUME_LONGLAT", true);
    parsed.wrap_longitude = CPLFetchBool(options, "WRAP_LONGITUDE", false);
    parsed.missing_on_403 = CPLFetchBool(options, "MISSING_ON_403", false);
    parsed.cache_tile_presence = CPLFetchBool(options, "CACHE_TILE_PRESENCE", false);
    parsed.synchronizer = CSLFetchNameValueDef(options, "SYNCHRONIZER", "");
    ZARR_ASSIGN_OR_RETURN(parsed.label_delay, ParseDelay(CSLFetchNameValueDef(
                                                  options, "LOAD_EXTRA_DIM_METADATA_DELAY", "5")));
    const char* threads = CSLFetchNameValue(options, "NUM_THREADS");
    if (threads == nullptr) threads = CPLGetConfigOption("GDAL_NUM_THREADS", nullptr);
    ZARR_ASSIGN_OR_RETURN(parsed.threads, ParseThreads(threads, AllProcessors()));
    return parsed;
}

}  // namespace zarr_driver
