// SPDX-License-Identifier: MIT
// Name and configuration of a codec in the metadata of an array.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Naming scheme to which a codec's name and configuration belong.
enum class CodecNames : std::uint8_t {
    kNumcodecs,  // codec ids of Zarr v2, and options of numcodecs
    kV3,         // codec names and configurations of Zarr v3 and its extensions
};

struct CodecSpec {
    std::string name;
    json::Value configuration;  // JSON object with the codec's options, without its name
    std::string place;          // where the metadata names the codec, for messages: "filters[0]"
    CodecNames names = CodecNames::kNumcodecs;
};

// Prefix of the Zarr v3 name of a numcodecs codec that has no specification for Zarr v3.
inline constexpr std::string_view kNumcodecsPrefix = "numcodecs.";

// Returns `name` without kNumcodecsPrefix; a name without the prefix is returned unchanged.
inline std::string_view WithoutNumcodecsPrefix(std::string_view name) {
    const bool has_prefix = name.substr(0, kNumcodecsPrefix.size()) == kNumcodecsPrefix;
    return has_prefix ? name.substr(kNumcodecsPrefix.size()) : name;
}

// Parses a codec as Zarr v2 and numcodecs write it: a JSON object with options and an "id". Returns
// kCorrupt for an invalid object; the message begins with `place`.
Result<CodecSpec> ParseNumcodecs(const json::Value& config, std::string place);

// Parses "filters" (an array or null) and "compressor" (an object or null) of Zarr v2. Returns the
// codecs in the order of encoding; kLimit for too many codecs.
Result<std::vector<CodecSpec>> ParseNumcodecs(const json::Value& filters,
                                              const json::Value& compressor);

// Parses a codec of Zarr v3: a name, or an object with "name" and "configuration" (Zarr v3
// specification, "Extension definition"). Ignores the codec's own "must_understand", because a
// chunk cannot be decoded without the codec. An unknown member must be an object with
// "must_understand": false. Returns kCorrupt for an invalid codec; the message begins with `place`.
Result<CodecSpec> ParseV3Codec(const json::Value& value, std::string place);

// Returns the JSON object of a codec, in the form that ParseNumcodecs() reads. `spec.names` must be
// CodecNames::kNumcodecs.
json::Value NumcodecsToJson(const CodecSpec& spec);

}  // namespace zarr
