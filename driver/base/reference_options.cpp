// SPDX-License-Identifier: MIT
#include "driver/base/reference_options.h"

#include <cpl_string.h>

#include <string>

namespace zarr_driver {

namespace {

constexpr const char* kToJson = "CONVERT_TO_KERCHUNK_JSON";
constexpr const char* kToParquet = "CONVERT_TO_KERCHUNK_PARQUET_REFERENCE";

}  // namespace

// clang-format off
const char* const kReferenceOptions =
    "  <Option name='CONVERT_TO_KERCHUNK_JSON' type='boolean' description='Whether to write references to the chunks of the source instead of a copy: a JSON document of Kerchunk' default='NO'/>"
    "  <Option name='CONVERT_TO_KERCHUNK_PARQUET_REFERENCE' type='boolean' description='Whether to write references to the chunks of the source instead of a copy: Parquet files of Kerchunk' default='NO'/>";
// clang-format on

zarr::Result<ReferenceForm> ParseReferenceForm(CSLConstList options) {
    const bool is_json = CPLFetchBool(options, kToJson, false);
    const bool is_parquet = CPLFetchBool(options, kToParquet, false);
    if (is_json && is_parquet)
        return zarr::Status::Invalid(std::string("expected one of the options ") + kToJson +
                                     " and " + kToParquet + ", got both");
    if (is_json) return ReferenceForm::kJson;
    return is_parquet ? ReferenceForm::kParquet : ReferenceForm::kNone;
}

bool AreReferencesAskedFor(CSLConstList options) {
    return CPLFetchBool(options, kToJson, false) || CPLFetchBool(options, kToParquet, false);
}

zarr::Status NoReferencesWithoutSource() {
    return zarr::Status::Unsupported(
        "references need a source dataset; use CreateCopy() or gdal_translate");
}

}  // namespace zarr_driver
