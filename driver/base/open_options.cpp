// SPDX-License-Identifier: MIT
#include "driver/base/open_options.h"

#include <cpl_conv.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "driver/base/lock_timeout.h"
#include "driver/base/report.h"

namespace zarr_driver {

namespace {

// Number of processors. Read once, because CPLGetNumCPUs() takes as long as opening two metadata
// documents.
const auto all_processors = static_cast<std::size_t>(std::max(1, CPLGetNumCPUs()));

zarr::Result<std::optional<std::chrono::duration<double>>> ParseDelay(const char* text) {
    if (EQUAL(text, "unlimited")) return std::optional<std::chrono::duration<double>>();
    const double seconds = CPLAtof(text);
    if (CPLGetValueType(text) == CPL_VALUE_STRING || !(seconds >= 0))
        return zarr::Status::Invalid(
            "LOAD_EXTRA_DIM_METADATA_DELAY: expected a number of seconds >= 0 or unlimited, got " +
            zarr::Quoted(text));
    constexpr double kMax = 1e9;  // in seconds; larger numbers may overflow the clock
    return std::optional(std::chrono::duration<double>(std::min(seconds, kMax)));
}

zarr::FillAsNodata ParseFillAsNodata(const char* text) {
    for (const char* word : {"YES", "TRUE", "ON", "1"})
        if (EQUAL(text, word)) return zarr::FillAsNodata::kYes;
    for (const char* word : {"NO", "FALSE", "OFF", "0"})
        if (EQUAL(text, word)) return zarr::FillAsNodata::kNo;
    if (!EQUAL(text, "AUTO"))
        EmitWarning("FILL_VALUE_AS_NODATA",
                    "expected AUTO, YES or NO, got " + zarr::Quoted(text) + "; AUTO is used");
    return zarr::FillAsNodata::kAuto;
}

// Returns the factor of a unit of bytes, such as 1024 for "KB". Returns nullopt for an unknown
// unit, and for any unit if `is_bytes` is false.
std::optional<std::uint64_t> FactorOf(const std::string& unit, bool is_bytes) {
    if (unit.empty()) return 1;
    if (!is_bytes) return std::nullopt;
    static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
    std::uint64_t factor = 1;
    for (const char* name : kUnits) {
        if (EQUAL(unit.c_str(), name)) return factor;
        factor <<= 10;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> ParseLimit(std::string_view text, bool is_bytes) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number == 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto factor = FactorOf(std::string(text), is_bytes);
    return factor ? zarr::CheckedMul(number, *factor) : std::nullopt;
}

using Texts = std::array<std::string, std::tuple_size_v<std::decay_t<decltype(zarr::Limits())>>>;

std::mutex seen_mutex;
Texts& seen = *new Texts;  // texts of the limit options at the last call of ReadLimits()

// Parses `text`, the value of a configuration option that sets a limit. Returns the default if
// `text` is empty, and nullopt if it is invalid or too large.
std::optional<std::uint64_t> ValueOf(const zarr::LimitInfo& info, const std::string& text) {
    if (text.empty()) return info.preset;
    const auto value = ParseLimit(text, info.is_bytes);
    return value && *value <= info.largest ? value : std::nullopt;
}

}  // namespace

const char* const kOpenOptionList =
    "<OpenOptionList>"
    "  <Option name='USE_CONSOLIDATED_METADATA' alias='USE_ZMETADATA' type='boolean'"
    "   description='Whether to use consolidated metadata, if the store has them' default='YES'/>"
    "  <Option name='MULTIBAND' type='boolean' description='Whether an array of three or more"
    " dimensions is a dataset with a band for each slice (YES) or a list of subdatasets (NO)'"
    " default='YES'/>"
    "  <Option name='DIM_X' type='string' description='Name or index, from 0, of the X dimension."
    " Found from the metadata by default'/>"
    "  <Option name='DIM_Y' type='string' description='Name or index, from 0, of the Y dimension."
    " Found from the metadata by default'/>"
    "  <Option name='SELECT' type='string' description='Selects a slice by indices or coordinates"
    " of dimensions other than X and Y: time=2020-07-01,level=3'/>"
    "  <Option name='LOAD_EXTRA_DIM_METADATA_DELAY' type='string' description='Maximum delay in"
    " seconds allowed to read the coordinates of dimensions other than X and Y, which describe the"
    " bands and set their DIM_{dimname}_VALUE metadata items, or unlimited' default='5'/>"
    "  <Option name='LIST_ALL_ARRAYS' type='boolean' description='Whether to list arrays of fewer"
    " than two dimensions, and coordinates, as subdatasets' default='NO'/>"
    "  <Option name='FILL_VALUE_AS_NODATA' type='string' description='Whether the fill_value"
    " of an array whose attributes state no nodata value is its nodata value: YES, NO or AUTO. AUTO"
    " means YES for Zarr v2. For Zarr v3 AUTO means YES if fill_value is not the default of its"
    " type, or if GDAL wrote it' default='AUTO'/>"
    "  <Option name='ASSUME_LONGLAT' type='boolean' description='Whether longitude and latitude"
    " coordinates without a CRS are assumed to be WGS 84. An explicit YES includes coordinates that"
    " are recognised by their names alone' default='YES'/>"
    "  <Option name='WRAP_LONGITUDE' type='boolean' description='Whether to shift longitudes to"
    " -180..180, and to join columns that were sorted by longitude' default='NO'/>"
    "  <Option name='NORTH_UP' type='boolean' description='Whether to flip rasters whose rows run"
    " north, as with ascending latitudes, so that they run south' default='NO'/>"
    "  <Option name='FOLLOW_LINKS' type='string-select' description='Which links to other stores in"
    " xcube levels are followed: links to stores in the parent folder of the levels (BESIDE), all"
    " (YES) or none (NO)' default='BESIDE'>"
    "    <Value>BESIDE</Value><Value>YES</Value><Value>NO</Value>"
    "  </Option>"
    "  <Option name='MISSING_ON_403' type='boolean' description='Whether HTTP status 403 means"
    " that a key is absent. Object stores answer 403 to clients without the right to list. With NO,"
    " 403 is an error'"
    " default='NO'/>"
    "  <Option name='CACHE_TILE_PRESENCE' type='boolean' description='Whether to list the chunks of"
    " an array when it is opened, to avoid requests for absent chunks. Needs a store that returns"
    " listings' default='NO'/>"
    "  <Option name='READ_AHEAD' type='boolean' description='Whether to load the next chunks in the"
    " background, if the store is remote and windows are read in order'"
    " default='YES'/>"
    "  <Option name='NUM_THREADS' type='string' description='Number of threads that read and decode"
    " chunks, or ALL_CPUS. The configuration option GDAL_NUM_THREADS by default, else all"
    " processors'/>"
    "  <Option name='BRANCH' type='string' description='Branch of an Icechunk repository. The "
    "branch"
    " main by default'/>"
    "  <Option name='TAG' type='string' description='Tag of an Icechunk repository'/>"
    "  <Option name='SNAPSHOT' type='string' description='Identifier of a snapshot of an Icechunk"
    " repository'/>"
    "  <Option name='SYNCHRONIZER' type='string' description='Folder of lock files for update"
    " mode, so that several processes can write to one chunk. Compatible with"
    " zarr-python&apos;s ProcessSynchronizer with the same folder. Locks are named by keys from the"
    " root of the store'/>"
    "  <Option name='LOCK_TIMEOUT' type='float' description='How many seconds a change in update "
    "mode"
    " waits for another writer of the store' default='60'/>"
    "  <Option name='REQUIRE_LOCK' type='boolean' description='Whether opening for update fails if"
    " the store cannot be locked against other processes' default='NO'/>"
    "</OpenOptionList>";

zarr::IcechunkSelection SelectionOf(const char* const* options) {
    return {CSLFetchNameValueDef(options, "BRANCH", ""), CSLFetchNameValueDef(options, "TAG", ""),
            CSLFetchNameValueDef(options, "SNAPSHOT", "")};
}

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
    if (EQUAL(text, "ALL_CPUS")) return all_processors;
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
    parsed.select = CSLFetchNameValueDef(options, "SELECT", "");
    parsed.list_all_arrays = CPLFetchBool(options, "LIST_ALL_ARRAYS", false);
    parsed.fill_value_as_nodata =
        ParseFillAsNodata(CSLFetchNameValueDef(options, "FILL_VALUE_AS_NODATA", "AUTO"));
    if (const char* const assumed = CSLFetchNameValue(options, "ASSUME_LONGLAT"))
        parsed.assume_longlat =
            CPLTestBool(assumed) ? zarr::AssumeLonglat::kByName : zarr::AssumeLonglat::kNo;
    parsed.north_up =
        CPLFetchBool(options, "NORTH_UP", CPLTestBool(CPLGetConfigOption("ZARR_NORTH_UP", "NO")));
    parsed.wrap_longitude = CPLFetchBool(options, "WRAP_LONGITUDE", false);
    const char* links = CSLFetchNameValueDef(options, "FOLLOW_LINKS", "BESIDE");
    if (!EQUAL(links, "BESIDE"))
        parsed.follow_links = CPLTestBool(links) ? FollowLinks::kAll : FollowLinks::kNo;
    const char* missing = CSLFetchNameValue(options, "MISSING_ON_403");
    for (const char* name : {"ZARR_MISSING_ON_403", "MISSING_ON_403"})
        if (missing == nullptr) missing = CPLGetConfigOption(name, nullptr);
    parsed.missing_on_403 = missing != nullptr && CPLTestBool(missing);
    parsed.cache_tile_presence = CPLFetchBool(options, "CACHE_TILE_PRESENCE", false);
    parsed.read_ahead = CPLFetchBool(options, "READ_AHEAD", true);
    parsed.synchronizer = CSLFetchNameValueDef(options, "SYNCHRONIZER", "");
    ZARR_ASSIGN_OR_RETURN(parsed.lock_wait, ParseLockWait(options));
    ZARR_ASSIGN_OR_RETURN(parsed.label_delay, ParseDelay(CSLFetchNameValueDef(
                                                  options, "LOAD_EXTRA_DIM_METADATA_DELAY", "5")));
    const char* threads = CSLFetchNameValue(options, "NUM_THREADS");
    if (threads == nullptr) threads = CPLGetConfigOption("GDAL_NUM_THREADS", nullptr);
    ZARR_ASSIGN_OR_RETURN(parsed.threads, ParseThreads(threads, all_processors));
    return parsed;
}

void ReadLimits() {
    Texts texts;
    for (std::size_t i = 0; i < texts.size(); ++i)
        texts[i] = CPLGetConfigOption(std::string(zarr::Limits()[i].name).c_str(), "");
    std::array<bool, std::tuple_size_v<Texts>> is_bad{};
    {
        const std::lock_guard<std::mutex> lock(seen_mutex);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (texts[i] == seen[i]) continue;
            seen[i] = texts[i];
            const zarr::LimitInfo& info = zarr::Limits()[i];
            const auto value = ValueOf(info, texts[i]);
            zarr::SetLimit(info.limit, value.value_or(info.preset));
            is_bad[i] = !value;
        }
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (is_bad[i])
            EmitWarning(std::string(zarr::Limits()[i].name),
                        "expected a number from 1 to " + std::to_string(zarr::Limits()[i].largest) +
                            ", got " + zarr::Quoted(texts[i]) + "; the default is used");
}

}  // namespace zarr_driver
