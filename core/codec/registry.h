// SPDX-License-Identifier: MIT
// Registry of codecs: their names in Zarr v2 and v3, and the functions that create them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Creates the codec that `spec` describes. Returns kCorrupt for an invalid configuration, and
// kUnsupported for a codec that is unknown or deliberately not supported. Messages begin with the
// codec's name.
Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, const CodecContext& context);

// Creates the object codec that `spec` describes; nullptr if `spec` names a codec that is not an
// object codec. Returns errors as MakeCodec() does.
Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const CodecSpec& spec,
                                                     const CodecContext& context);

// True if `spec` is a general-purpose compressor, which Zarr v2 stores in "compressor", not in
// "filters".
bool IsCompressor(const CodecSpec& spec);

// Kinds of codecs by their input and output (Zarr v3 specification, "Codecs").
enum class CodecClass : std::uint8_t { kArrayToArray, kArrayToBytes, kBytesToBytes };

// Returns the class of the codec that `spec` names, but does not check the configuration. Codecs of
// numcodecs have the class that zarr-python 3 gives them. Returns kUnsupported if the codec is
// unknown or deliberately not supported.
Result<CodecClass> ClassOf(const CodecSpec& spec);

// Checks that Zarr v3 codecs are in the specified order: array-to-array, one array-to-bytes,
// bytes-to-bytes. `place` is the JSON path of the codec list, for messages.
Status CheckV3Order(const std::vector<CodecSpec>& chain, const std::string& place);

// Returns a codec as JSON for `zarr.json`: an object with name and configuration. `dtype` is the
// type of the elements to encode. Returns kUnsupported if Zarr v3 has no such codec.
Result<json::Value> CodecToV3(const CodecSpec& spec, const DataType& dtype);

// A codec that a program adds to the registry, because decoding it needs more than the core has,
// such as GDAL. The core itself refuses such a codec.
struct ProvidedCodec {
    std::string_view name;  // numcodecs' id, which is also the codec's name in Zarr v3
    CodecClass v3_class;
    // Creates the codec `name`. `options` are those of numcodecs. Errors are as for MakeCodec().
    Result<std::unique_ptr<Codec>> (*make)(std::string_view name, const json::Value& options,
                                           const CodecContext& context);
};

// Adds `codecs` to the registry, in place of those that were added before. Codecs that the core
// has come first. `codecs` must live as long as the process. Thread-safe; arrays that are open keep
// their codecs.
void ProvideCodecs(const std::vector<ProvidedCodec>& codecs);

// Returns the numcodecs ids of the core's codecs, in the order of the registry.
std::vector<std::string_view> CodecIds();

// Returns the names of the compressors in the linked blosc library, separated by commas.
const char* BloscCompressors();

}  // namespace zarr
