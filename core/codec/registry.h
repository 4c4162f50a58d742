// SPDX-License-Identifier: MIT
// The one table of codecs: their names in Zarr v2 and v3, and how each is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Makes the codec that `spec` names. Errors are kCorrupt for a bad configuration, kUnsupported for
// a name that is unknown or left out on purpose; they begin with the codec's name, not its place.
Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, const CodecContext& context);

// The same for a codec of objects; nullptr where the name is that of a codec of another kind.
Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const CodecSpec& spec,
                                                     const CodecContext& context);

// True for general-purpose compressors, which Zarr v2 has apart from filters.
bool IsCompressor(const CodecSpec& spec);

// What a codec takes and makes (Zarr v3, "Codecs").
enum class CodecClass : std::uint8_t { kArrayToArray, kArrayToBytes, kBytesToBytes };

// The class of the codec that `spec` names; of those of numcodecs as zarr-python 3 has them. The
// configuration is not looked at. Errors are those of MakeCodec() for the name.
Result<CodecClass> ClassOf(const CodecSpec& spec);

// That a chain of Zarr v3's codecs, called `place`, has their order (its specification, "Codecs"):
// any number from arrays to arrays, one from an array to bytes, any number from bytes to bytes.
Status CheckV3Order(const std::vector<CodecSpec>& chain, const std::string& place);

// What `zarr.json` says of the codec, which encodes items of `dtype`: an object of its name and
// configuration. kUnsupported where Zarr v3 has no such codec.
Result<json::Value> CodecToV3(const CodecSpec& spec, const DataType& dtype);

// numcodecs' ids of the table, in its order.
std::vector<std::string_view> CodecIds();

// The compressors that the linked blosc library has, with commas between.
const char* BloscCompressors();

}  // namespace zarr
