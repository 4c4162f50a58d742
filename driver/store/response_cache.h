// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "driver/store/http_client.h"

namespace zarr_driver {

// Fetch() of what seldom changes: chunks, shards and parts of zip files, no documents. With GDAL's
// option VSI_CACHE=YES what servers answer is kept in memory for all datasets of the process, those
// that are opened later, too; of CPL_VSIL_CURL_CACHE_SIZE bytes at most (default 16 MiB). What was
// used longest ago goes first. Both options may be set for a path. What others change on a server
// shows only where a part comes from it that is of another version by its ETag, time or size; then
// all parts of that value are forgotten. Absence is not kept. Thread-safe.
zarr::Result<bool> FetchKept(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                             std::optional<ByteExtent> extent = {}, ToldOfValue* told = nullptr);

// Forgets all that is kept, and keeps no answer to what was asked for before: for before something
// is written, and after it.
void ForgetResponses();

}  // namespace zarr_driver
