// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "driver/transport/http_client.h"

namespace zarr_driver {

// Calls Fetch() with a cache that all datasets of the process share. Call this for values that
// rarely change (chunks, shards and ranges of zip files), not for metadata documents. GDAL's option
// VSI_CACHE=YES turns the cache on. CPL_VSIL_CURL_CACHE_SIZE limits its size in bytes (default 16
// MiB). Both options may be set per path. The least recently used answers are removed first. If a
// range arrives with another ETag, time or size, all cached ranges of its value are removed; no
// other change is noticed. Absence is not cached. Thread-safe.
zarr::Result<bool> FetchCached(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                               std::optional<ByteExtent> extent = {}, ValueInfo* info = nullptr);

// Empties the cache. Answers to requests that are still running will not be cached. Call this
// function before and after each write.
void ClearResponseCache();

}  // namespace zarr_driver
