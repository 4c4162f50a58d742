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
#include "driver/base/gdal_errors.h"
#include "driver/base/store_options.h"

namespace zarr_driver {

namespace {

// Number of processors. Read once, because CPLGetNumCPUs() takes as long as opening two metadata
// documents.
const auto all_processors = static_cast<std::size_t>(std::max(1, CPLGetNumCPUs()));

zarr::Result<std::optional<std::chrono::duration<double>>> ReadDelay(const GivenOption& given) {
    if (EQUAL(given.text, "unlimited")) return std::optional<std::chrono::duration<double>>();
    const double seconds = CPLAtof(given.text);
    if (CPLGetValueType(given.text) == CPL_VALUE_STRING || !(seconds >= 0))
        return given.Refuse("a number of seconds >= 0 or unlimited");
    constexpr double kMax = 1e9;  // in seconds; larger numbers may overflow the clock
    return std::optional(std::chrono::duration<double>(std::min(seconds, kMax)));
}

zarr::Result<zarr::FillAsNodata> ReadFillAsNodata(const GivenOption& given) {
    using zarr::FillAsNodata;
    const auto read = ReadOneOf<FillAsNodata::kAuto, FillAsNodata::kYes, FillAsNodata::kNo>(given);
    if (!read.ok())
        EmitWarning(given.label,
                    "expected AUTO, YES or NO, got " + zarr::Quoted(given.text) + "; AUTO is used");
    return read.ok() ? *read : FillAsNodata::kAuto;
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

// clang-format off
constexpr OptionRow<OpenOptions> kOpenRows[] = {
    {{"USE_CONSOLIDATED_METADATA|USE_ZMETADATA", "boolean", "YES", "Whether to use consolidated metadata, if the store has them. `NO` reads each document itself, with one request for each. That also finds arrays that are missing in outdated consolidated metadata"}, Into<&OpenOptions::use_consolidated, ReadYesNo<zarr::UseConsolidated::kIfPresent, zarr::UseConsolidated::kNever>>},
    {{"MULTIBAND", "boolean", "YES", "Whether an array of three or more dimensions is a dataset with a band for each slice (`YES`) or a list of subdatasets (`NO`)"}, Into<&OpenOptions::multiband, ReadBool>},
    {{"DIM_X", "string", "", "Name or index, from 0, of the X dimension. By default found from the metadata"}, Into<&OpenOptions::dim_x, ReadText>},
    {{"DIM_Y", "string", "", "Name or index, from 0, of the Y dimension. By default found from the metadata"}, Into<&OpenOptions::dim_y, ReadText>},
    {{"SELECT", "string", "", "Selects a slice by indices or coordinates of dimensions other than X and Y: `time=2020-07-01,level=3`\n. See [below](#select)"}, Into<&OpenOptions::select, ReadText>},
    {{"LOAD_EXTRA_DIM_METADATA_DELAY", "string", "5", "Maximum delay in seconds allowed to read the coordinates of dimensions other than X and Y, or `unlimited`. These coordinates describe the bands and set their `DIM_{name}_VALUE` metadata items"}, Into<&OpenOptions::label_delay, ReadDelay>},
    {{"LIST_ALL_ARRAYS", "boolean", "NO", "Whether to list arrays of fewer than two dimensions, and coordinates, as subdatasets"}, Into<&OpenOptions::list_all_arrays, ReadBool>},
    {{"FILL_VALUE_AS_NODATA", "string", "AUTO", "Whether the `fill_value` of an array whose attributes state no nodata value is its nodata value: `YES`, `NO` or `AUTO`. `AUTO` means `YES` for Zarr v2. For Zarr v3 it means `YES` if `fill_value` is not the default of its type, or if GDAL wrote it\n. See [nodata](georeferencing.md#nodata-scale-classes). Coordinates have no nodata value", "AUTO|YES|NO"}, Into<&OpenOptions::fill_value_as_nodata, ReadFillAsNodata>},
    {{"ASSUME_LONGLAT", "boolean", "YES", "Whether longitude and latitude coordinates without a CRS are assumed to be WGS 84. They are recognised by `standard_name` or `units`. An explicit `YES` includes coordinates that are recognised by their names alone"}, Into<&OpenOptions::assume_longlat, ReadYesNo<zarr::AssumeLonglat::kByName, zarr::AssumeLonglat::kNo>>},
    {{"WRAP_LONGITUDE", "boolean", "NO", "Whether to shift longitudes to -180..180, and to join columns that were sorted by longitude. Not allowed in update mode"}, Into<&OpenOptions::wrap_longitude, ReadBool>},
    {{"NORTH_UP", "boolean", "NO", "Whether to flip rasters whose rows run north, as with ascending latitudes, so that they run south. `gdalbuildvrt`, `-projwin` and some viewers need that. The same chunks are read. Not allowed in update mode. By default the configuration option `ZARR_NORTH_UP` decides"}, Into<&OpenOptions::north_up, ReadBool>},
    {{"FOLLOW_LINKS", "string-select", "BESIDE", "Which links to other stores in xcube levels are followed: links to stores in the parent folder of the levels, such as `../base.zarr` (`BESIDE`), all, also absolute paths and URLs (`YES`), or none (`NO`). A level behind a link that is not followed is left out, with a warning. Not in update mode", "BESIDE|YES|NO"}, Into<&OpenOptions::follow_links, ReadOneOf<FollowLinks::kSameFolder, FollowLinks::kAll, FollowLinks::kNo>>},
    {{"MISSING_ON_403", "boolean", "NO", "Whether HTTP status 403 means that a key is absent. Object stores answer 403 to clients without the right to list. With `NO`, 403 is an error\n; see [below](#missing_on_403). By default the configuration option `ZARR_MISSING_ON_403`, or else `MISSING_ON_403`, decides", "", "ZARR_MISSING_ON_403|MISSING_ON_403"}, Into<&OpenOptions::missing_on_403, ReadBool>},
    {{"READ_AHEAD", "boolean", "YES", "Whether to load the next chunks in the background, if the store is remote and windows are read in order, or `AdviseRead()` names them. At most 64 MiB of decoded chunks, and a quarter of `GDAL_CACHEMAX`"}, Into<&OpenOptions::read_ahead, ReadBool>},
    {{"CACHE_TILE_PRESENCE", "boolean", "NO", "Whether to list the chunks of an array when it is opened, to avoid requests for absent chunks. Needs a store that returns listings. Also fills `CHUNKS_INITIALIZED` of the domain `ZARR`"}, Into<&OpenOptions::cache_tile_presence, ReadBool>},
    {{"NUM_THREADS", "string", "", "Number of threads that read and decode chunks, or `ALL_CPUS`. By default the configuration option `GDAL_NUM_THREADS`, else all processors", "", "GDAL_NUM_THREADS"}, Into<&OpenOptions::threads, ReadThreads>},
    {{"SYNCHRONIZER", "string", "", "Folder of lock files for update mode, so that several processes can write to one chunk. Compatible with zarr-python's `ProcessSynchronizer` with the same folder. Locks are named by keys from the root of the store"}, Into<&OpenOptions::synchronizer, ReadText>},
};
constexpr OptionRow<zarr::IcechunkSelection> kSelectionRows[] = {
    {{"BRANCH", "string", "", "Branch of an Icechunk repository; `main` by default"}, Into<&zarr::IcechunkSelection::branch, ReadText>},
    {{"TAG", "string", "", "Tag of an Icechunk repository"}, Into<&zarr::IcechunkSelection::tag, ReadText>},
    {{"SNAPSHOT", "string", "", "Identifier of a snapshot of an Icechunk repository"}, Into<&zarr::IcechunkSelection::snapshot, ReadText>},
};
// clang-format on

}  // namespace

std::string OpenOptionList() {
    return "<OpenOptionList>" + ListOf(kOpenRows) + ListOf(kSelectionRows) + ListOf(kLockRows) +
           "</OpenOptionList>";
}

zarr::IcechunkSelection SelectionOf(CSLConstList options) {
    zarr::IcechunkSelection selection;
    static_cast<void>(ParseOptions(kOpenOption, options, kSelectionRows, selection));
    return selection;
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

zarr::Result<std::size_t> ReadThreads(const GivenOption& given) {
    if (EQUAL(given.text, "ALL_CPUS")) return all_processors;
    const int threads = atoi(given.text);
    if (CPLGetValueType(given.text) != CPL_VALUE_INTEGER || threads < 1)
        return given.Refuse("a number >= 1 or ALL_CPUS");
    constexpr int kMax = 1024;
    return static_cast<std::size_t>(std::min(threads, kMax));
}

zarr::Result<OpenOptions> OpenOptions::Parse(CSLConstList options, bool is_update) {
    OpenOptions parsed;
    parsed.is_update = is_update;
    parsed.threads = all_processors;
    // The configuration option is for reading only, so an update ignores it.
    parsed.north_up = !is_update && CPLTestBool(CPLGetConfigOption("ZARR_NORTH_UP", "NO"));
    ZARR_RETURN_IF_ERROR(ParseOptions(kOpenOption, options, kOpenRows, parsed));
    ZARR_RETURN_IF_ERROR(ParseOptions(kOpenOption, options, kLockRows, parsed.lock_wait));
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
