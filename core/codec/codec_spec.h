// SPDX-License-Identifier: MIT
// How the metadata of an array name a codec and its configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Whose names a codec goes by.
enum class CodecNames : std::uint8_t {
    kNumcodecs,  // the ids of Zarr v2, with numcodecs' options
    kV3,         // the names of Zarr v3 and its extensions, with their configurations
};

struct CodecSpec {
    std::string name;
    json::Value configuration;  // an object, without the name
    std::string place;          // the member of the metadata, for messages: "filters[0]"
    CodecNames names = CodecNames::kNumcodecs;
};

// A codec as numcodecs and Zarr v2 write it: an object of its options, with the name as "id".
// Errors are kCorrupt and begin with `place`.
Result<CodecSpec> ParseNumcodecs(const json::Value& config, std::string place);

// The same of an array of codecs or null, and one codec or null: "filters" and "compressor" of Zarr
// v2, in encoding order. kLimit where there are too many.
Result<std::vector<CodecSpec>> ParseNumcodecs(const json::Value& filters,
                                              const json::Value& compressor);

// A codec as Zarr v3 writes it (its specification, "Extension definition"): a name, or an object of
// "name", "configuration" and "must_understand", which makes no difference as without its codec no
// chunk can be decoded. Other members must be objects that say `"must_understand": false`. Errors
// are kCorrupt and begin with `place`.
Result<CodecSpec> ParseV3Codec(const json::Value& value, std::string place);

// The object that ParseNumcodecs() reads; `spec` has names of numcodecs.
json::Value NumcodecsToJson(const CodecSpec& spec);

}  // namespace zarr
