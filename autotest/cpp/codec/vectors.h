// SPDX-License-Identifier: MIT
// Reads vectors.json, which has encoded chunks. make_vectors.py writes and describes this file.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"

namespace zarr::test {

struct Vector {
    std::string name;
    std::string id;  // numcodecs id of the codec
    json::Value config;
    DataType dtype;
    std::size_t items = 0;
    // Holds one string with all bytes of the chunk, or one string per object.
    std::vector<std::string> decoded;
    std::string encoded;
    std::string encoded_with_trailing;
    bool trailing_is_ignored = false;  // true: numcodecs ignores bytes after the stream
    std::size_t needed = 0;            // number of bytes of `encoded` that decoding needs
    bool is_checked = false;           // true: damage to `encoded` is always noticed
    bool is_writable = true;           // true: the codec can encode
    std::string reencoded;             // bytes that `decoded` encodes to

    bool is_objects() const { return dtype.kind == DataKind::kObject; }
    // Returns the context for a chunk of `items` + `more` elements.
    CodecContext Context(int more = 0) const;
};

// Returns the part of `encoded` that is compared with the bytes of numcodecs. For zlib and gzip
// this is the decompressed stream, because libdeflate compresses differently. Otherwise returns
// `encoded`.
std::string Comparable(const Vector& vector, std::string_view encoded);

struct Bomb {
    std::string name;
    std::string id;
    json::Value config;
    std::size_t decoded_size = 0;
    std::string encoded;
};

// Returns the vectors, or the bombs (small inputs with a huge decoded size), of vectors.json. A
// reading error ends the program, so that no test is skipped.
const std::vector<Vector>& Vectors();
const std::vector<Bomb>& Bombs();

// Lets GoogleTest print the name of a vector or bomb.
void PrintTo(const Vector& vector, std::ostream* stream);
void PrintTo(const Bomb& bomb, std::ostream* stream);

}  // namespace zarr::test
