// SPDX-License-Identifier: MIT
// The encoded chunks of vectors.json, which make_vectors.py writes and describes.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"

namespace zarr::test {

struct Vector {
    std::string name;
    std::string id;  // of the codec
    json::Value config;
    DataType dtype;
    std::size_t items = 0;
    // One string of the chunk's bytes, or one per object.
    std::vector<std::string> decoded;
    std::string encoded;
    std::string encoded_with_trailing;
    bool trailing_is_ignored = false;  // by numcodecs
    std::size_t needed = 0;            // bytes of `encoded` that cannot be cut off
    bool is_checked = false;           // damage to `encoded` is never unseen
    bool is_writable = true;           // the codec can encode
    std::string reencoded;             // what `decoded` encodes to

    bool is_objects() const { return dtype.kind == DataKind::kObject; }
    // Of `items` plus `more` elements.
    CodecContext Context(int more = 0) const;
};

// What is to be equal of what a vector's values encode to: of zlib and gzip, which libdeflate
// makes, what zlib decodes it to, of others all of it.
std::string Comparable(const Vector& vector, std::string_view encoded);

struct Bomb {
    std::string name;
    std::string id;
    json::Value config;
    std::size_t decoded_size = 0;
    std::string encoded;
};

// Read once; ends the program where the file cannot be read, so that nothing is skipped.
const std::vector<Vector>& Vectors();
const std::vector<Bomb>& Bombs();

// For GoogleTest's messages.
void PrintTo(const Vector& vector, std::ostream* stream);
void PrintTo(const Bomb& bomb, std::ostream* stream);

}  // namespace zarr::test
