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

// Reads a document block by block, so that it is never in memory as a whole. Not thread-safe.
class TextReader {
  public:
    virtual ~TextReader() = default;
    // Returns the next block of the document, valid until the next call; empty at the end of the
    // document.
    virtual Result<ByteSpan> Next() = 0;
};

// Returns a reader of the value of `key` in `store`, with requests of `block` bytes. Next() fails
// with kNotFound if the key is absent, and with kLimit above Limit::kReferenceSize bytes. `store`
// must outlive the reader.
std::unique_ptr<TextReader> ReadValue(const Store& store, std::string key, std::size_t block);

// Returns a reader that decompresses `compressed`, a sequence of Zstandard frames (RFC 8878).
// Next() fails with kLimit after Limit::kReferenceSize decompressed bytes. Beyond a 64th of this
// limit, it also fails if the data decompress to more than 256 times their size.
std::unique_ptr<TextReader> Decompress(std::unique_ptr<TextReader> compressed);

}  // namespace zarr
