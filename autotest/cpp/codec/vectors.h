// SPDX-License-Identifier: MIT
// Reads vectors.json, a file with encoded chunks. make_vectors.py writes and describes the file.
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
    // Holds one string with all bytes of the chunk, or one string for each object.
    std::vector<std::string> decoded;
    std::string encoded;
    std::string encoded_with_trailing;
    bool trailing_is_ignored = false;  // by numcodecs
    std::size_t needed = 0;            // bytes of `encoded` that cannot be cut off
    bool is_checked = false;           // damage to `encoded` is never unseen
    bool is_writable = true;           // the codec can encode
    std::string reencoded;             // what `decoded` encodes to

    bool is_objects() const { return dtype.kind == DataKind::kObject; }
    // Returns the context of a chunk with `items` + `more` elements.
    CodecContext Context(int more = 0) const;
};

// Returns the part of `encoded` that must equal the bytes of numcodecs. zlib and gzip streams are
// decompressed, because libdeflate compresses in another way; other bytes stay as they are.
std::string Comparable(const Vector& vector, std::string_view encoded);

struct Bomb {
    std::string name;
    std::string id;
    json::Value config;
    std::size_t decoded_size = 0;
    std::string encoded;
};

// Returns the vectors or bombs of vectors.json. The file is read once. The program ends if reading
// fails, so that no test is skipped.
const std::vector<Vector>& Vectors();
const std::vector<Bomb>& Bombs();

// Prints the name of a vector or bomb in the messages of GoogleTest.
void PrintTo(const Vector& vector, std::ostream* stream);
void PrintTo(const Bomb& bomb, std::ostream* stream);

}  // namespace zarr::test
