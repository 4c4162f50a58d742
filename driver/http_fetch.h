// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr_driver {

// The URL of a file below a folder of /vsicurl/; nullopt for folders of other file systems, and
// those of /vsicurl? with options. `key` is percent-encoded; what the folder has after a "?" stays
// at the end.
std::optional<std::string> HttpUrl(const std::string& folder, const std::string& key);

struct ByteExtent {
    std::uint64_t offset = 0;
    std::size_t length = 0;  // 1 or more
};

// Reads what a URL names into `value`, in one request (and those that GDAL_HTTP_MAX_RETRY and the
// like allow), over a connection that is kept for the next. False where the server says that there
// is nothing (404, 410). With `extent` that part; fewer bytes where it ends before. More than
// `limit` bytes are a kLimit error, a refusal (401, 403) kPermission, any other failure kIo.
// Messages start with `key`. Thread-safe; GDAL's options for HTTP hold.
zarr::Result<bool> FetchUrl(const std::string& url, const std::string& key, zarr::Buffer& value,
                            std::size_t limit, std::optional<ByteExtent> extent = {});

}  // namespace zarr_driver
