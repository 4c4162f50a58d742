// SPDX-License-Identifier: MIT
// Table of codecs: names in Zarr v2 and v3, and factory functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Creates the codec of `spec`. Returns kCorrupt if its configuration is invalid. Returns
// kUnsupported if the codec is unknown, or known but deliberately not supported. Messages begin
// with the codec's name.
Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, const CodecContext& context);

// Creates the object codec of `spec`; nullptr if `spec` names a codec that is not an object codec.
// Returns errors as MakeCodec() does.
Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const CodecSpec& spec,
                                                     const CodecContext& context);

// True if `spec` is a general-purpose compressor. Zarr v2 stores compressors in "compressor", other
// codecs in "filters".
bool IsCompressor(const CodecSpec& spec);

// Kind of a codec by its input and output (Zarr v3 specification, "Codecs").
enum class CodecClass : std::uint8_t { kArrayToArray, kArrayToBytes, kBytesToBytes };

// Returns the class of the codec that `spec` names. A codec of numcodecs has the class that
// zarr-python 3 gives it. The configuration is not checked. Returns kUnsupported if the codec is
// unknown or deliberately not supported.
Result<CodecClass> ClassOf(const CodecSpec& spec);

// Checks the order of Zarr v3 codecs (Zarr v3 specification, "Codecs"): array-to-array codecs, one
// array-to-bytes codec, bytes-to-bytes codecs. `place` is the path of the list in the metadata, for
// messages.
Status CheckV3Order(const std::vector<CodecSpec>& chain, const std::string& place);

// Returns the JSON of a codec for `zarr.json`: an object with name and configuration. `dtype` is
// the type of the items to encode. Returns kUnsupported if Zarr v3 has no such codec.
Result<json::Value> CodecToV3(const CodecSpec& spec, const DataType& dtype);

// Returns the numcodecs ids of all codecs, in table order.
std::vector<std::string_view> CodecIds();

// Returns the names of the compressors in the linked blosc library, separated by commas.
const char* BloscCompressors();

}  // namespace zarr
