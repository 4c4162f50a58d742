// SPDX-License-Identifier: MIT
#include "driver/base/store_options.h"

#include <cpl_conv.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "driver/base/gdal_compat.h"

namespace zarr_driver {

using zarr::Format;
using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kLockTimeout = "ZARR_LOCK_TIMEOUT";

zarr::Result<std::chrono::milliseconds> ReadSeconds(const GivenOption& given) {
    char* end = nullptr;
    const double seconds = CPLStrtod(given.text, &end);
    // A longer time would not fit the clock's numbers.
    constexpr double kYear = 366.0 * 24 * 3600;
    if (end == given.text || *end != '\0' || !(seconds >= 0) || !(seconds <= kYear))
        return given.Refuse("a number of seconds from 0 to 31622400");
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

struct ReferenceFlags {
    bool json = false;
    bool parquet = false;
};

constexpr const char* kFormats = "ZARR_V2|ZARR_V3";
constexpr auto ReadFormat = ReadOneOf<Format::kV2, Format::kV3>;

// clang-format off
constexpr OptionRow<StoreOptions> kStoreRows[] = {
    {{"FORMAT", "string-select", ZARR_FORMAT_BY_DEFAULT, "Version of Zarr: `ZARR_V2` or `ZARR_V3`\n; from GDAL 3.14 on by default `ZARR_V3`, as of GDAL's own driver. The configuration option `ZARR_DEFAULT_FORMAT` changes the default. An array that is added to a store has the store's version", kFormats}, Into<&StoreOptions::format, ReadFormat>},
    {{"CREATE_CONSOLIDATED_METADATA|CREATE_ZMETADATA", "boolean", "YES", "Whether to write consolidated metadata: in `.zmetadata`, or for Zarr v3 in `zarr.json`"}, Into<&StoreOptions::consolidate, ReadBool>},
    {{"SYNCHRONIZER", "string", "", "Folder of lock files, as in the open option"}, Into<&StoreOptions::synchronizer, ReadText>},
};
constexpr OptionRow<StoreOptions> kAppendRows[] = {
    {{"APPEND_SUBDATASET", "boolean", "NO", "Whether to add the array to an existing store"}, Into<&StoreOptions::append_subdataset, ReadBool>},
    {{"APPEND_DIM", "string", "", "Dimension of an existing array that grows by the bands of the source. For `CreateCopy()`. Give `APPEND_SUBDATASET=YES` too if a prefix or URL names the store: GDAL before 3.9 deletes it otherwise"}, Into<&StoreOptions::append_dim, ReadText>},
};
constexpr OptionRow<ReferenceFlags> kReferenceRows[] = {
    {{"CONVERT_TO_KERCHUNK_JSON", "boolean", "NO", "For copies of a Zarr store, or from GDAL 3.12 on of netCDF and HDF5: `YES` writes [references](guide.md#writing-references) to the chunks of the source, as a JSON document `x.json`. Other options are not used"}, Into<&ReferenceFlags::json, ReadBool>},
    {{"CONVERT_TO_KERCHUNK_PARQUET_REFERENCE", "boolean", "NO", "As `CONVERT_TO_KERCHUNK_JSON`, but a folder of Parquet files"}, Into<&ReferenceFlags::parquet, ReadBool>},
};
// clang-format on

ReferenceFlags ParseReferences(CSLConstList options) {
    ReferenceFlags flags;
    static_cast<void>(ParseOptions(kCreationOption, options, kReferenceRows, flags));
    return flags;
}

}  // namespace

// clang-format off
const OptionRow<zarr::LockWait> kLockRows[2] = {
    {{"LOCK_TIMEOUT", "float", "60", "How many seconds a change waits for another writer of the store\n, see [several writers](reliability.md#several-writers). The configuration option `ZARR_LOCK_TIMEOUT` changes the default", "", kLockTimeout}, Into<&zarr::LockWait::limit, ReadSeconds>},
    {{"REQUIRE_LOCK", "boolean", "NO", "Whether opening for update, or a change of an existing store such as an append, fails if the store [cannot be locked](reliability.md#several-writers) against other processes\n, as in an object store without conditional requests. A new store has no lock. The configuration option `ZARR_REQUIRE_LOCK` changes the default", "", "ZARR_REQUIRE_LOCK"}, Into<&zarr::LockWait::is_required, ReadBool>},
};
// clang-format on

zarr::Result<zarr::LockWait> ConfiguredLockWait() {
    zarr::LockWait wait;
    ZARR_RETURN_IF_ERROR(ParseOptions("", nullptr, kLockRows, wait));
    return wait;
}

LockTimeoutScope::LockTimeoutScope(CSLConstList options) {
    OptionText option = kLockRows[0].text;
    option.config = "";
    const auto given = FindOption("", options, option);
    if (!given || !ReadSeconds(*given).ok()) return;
    is_set_ = true;
    if (const char* const own = CPLGetThreadLocalConfigOption(kLockTimeout, nullptr)) before_ = own;
    CPLSetThreadLocalConfigOption(kLockTimeout, given->text);
}

LockTimeoutScope::~LockTimeoutScope() {
    if (is_set_) CPLSetThreadLocalConfigOption(kLockTimeout, before_ ? before_->c_str() : nullptr);
}

std::string StoreOptionList() {
    return ListOf(kStoreRows) + ListOf(kLockRows) + ListOf(kReferenceRows);
}

std::string AppendOptionList() { return ListOf(kAppendRows); }

Result<StoreOptions> StoreOptions::Parse(CSLConstList options) {
    StoreOptions parsed;
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kStoreRows, parsed));
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kAppendRows, parsed));
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kLockRows, parsed.lock_wait));
    return parsed;
}

Result<Format> StoreOptions::FormatOfNewStore() const {
    static constexpr OptionText kDefault{"", "", "", "", kFormats, "ZARR_DEFAULT_FORMAT"};
    if (format) return *format;
    if (const auto given = FindOption("", nullptr, kDefault)) return ReadFormat(*given);
    constexpr bool kIsV3 = std::string_view(ZARR_FORMAT_BY_DEFAULT) == "ZARR_V3";
    return kIsV3 ? Format::kV3 : Format::kV2;
}

Result<ReferenceForm> ParseReferenceForm(CSLConstList options) {
    const ReferenceFlags flags = ParseReferences(options);
    if (flags.json && flags.parquet)
        return Status::Invalid(std::string("expected one of the options ") +
                               kReferenceRows[0].text.names + " and " +
                               kReferenceRows[1].text.names + ", got both");
    if (flags.json) return ReferenceForm::kJson;
    return flags.parquet ? ReferenceForm::kParquet : ReferenceForm::kNone;
}

bool AreReferencesAskedFor(CSLConstList options) {
    const ReferenceFlags flags = ParseReferences(options);
    return flags.json || flags.parquet;
}

Status NoReferencesWithoutSource() {
    return Status::Unsupported(
        "references need a source dataset; use CreateCopy() or gdal_translate");
}

}  // namespace zarr_driver
