// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr_driver {

struct ByteExtent {
    std::uint64_t offset = 0;
    std::size_t length = 0;  // 1 or more
};

// Where a value lies: its URL, the path of GDAL's virtual file systems that options for it are set
// by, and its key, which messages start with. Borrowed.
struct RemoteValue {
    const std::string& url;
    const std::string& path;
    const std::string& key;
};

// Reads a value in one request (and those that GDAL_HTTP_MAX_RETRY and the like allow), over a
// connection that is kept for the next. False where the server says that there is nothing (404,
// 410). With `extent` that part; fewer bytes where it ends before, and kIo where the server sends
// another one. A server that knows no ranges sends all. More than `limit` bytes of an answer are a
// kLimit error, a refusal (401, 403) kPermission, a request that the server does not understand
// (400) kInvalidArgument, any other failure kIo. Thread-safe; GDAL's options for HTTP hold.
zarr::Result<bool> Fetch(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent = {});

}  // namespace zarr_driver
