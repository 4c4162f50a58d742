// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/store/store.h"

namespace zarr {

// Reads a document from its start, a block at a time, so that it is never in memory whole. One
// thread at a time.
class TextReader {
  public:
    virtual ~TextReader() = default;
    // Returns the next bytes, which are valid until the next call; empty at the end.
    virtual Result<ByteSpan> Next() = 0;
};

// Reads the value of a key in ranges of `block` bytes. kNotFound if the key is absent; kLimit if
// the value has more than Limit::kReferenceSize bytes. `store` must outlive the reader.
std::unique_ptr<TextReader> ReadValue(const Store& store, std::string key, std::size_t block);

// Decompresses what another reader reads: Zstandard frames, one after another (RFC 8878). kLimit if
// the result has more than Limit::kReferenceSize bytes.
std::unique_ptr<TextReader> Decompress(std::unique_ptr<TextReader> compressed);

}  // namespace zarr
