// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_http.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace zarr_driver {

struct DestroyHttpResult {
    void operator()(CPLHTTPResult* result) const { CPLHTTPDestroyResult(result); }
};
using HttpAnswer = std::unique_ptr<CPLHTTPResult, DestroyHttpResult>;

// Bytes of a response's body that are kept in memory. Other bytes are discarded as they arrive.
struct BodyPart {
    std::size_t kept = 0;       // maximum number of bytes that are kept
    std::uint64_t most = 0;     // size in bytes of the largest body; a larger one is not read on
    std::uint64_t skipped = 0;  // number of bytes before the kept bytes
    bool is_end = false;        // true to keep the last bytes; `skipped` is then ignored
};

// Response to a request.
struct HttpReply {
    HttpAnswer answer;        // its body holds the kept bytes; nullptr if GDAL sent no request
    std::uint64_t first = 0;  // position in the body of the first kept byte
    std::uint64_t size = 0;   // size of the body in bytes; most + 1 if it is longer
    bool is_longer = false;   // true if the body has more than BodyPart::most bytes
    bool is_out_of_memory = false;
};

// Sends a request with CPLHTTPFetch(), and keeps `part` of the body, after its decompression.
// Memory and transfer are bounded by `part`, whatever the server sends. Hides the HTTP status of an
// answer whose body is longer. Thread-safe.
HttpReply FetchBodyPart(const char* url, CSLConstList options, const BodyPart& part);

}  // namespace zarr_driver
