// SPDX-License-Identifier: MIT
// Factory functions of codecs; only registry.cpp calls them. `config` has the option names of
// numcodecs, or those of Zarr v3 if numcodecs lacks the codec. If options that only encoding needs
// are missing or invalid, the codec can still decode.
#pragma once

#include <memory>

#include "core/codec/codec.h"

namespace zarr {

using CodecResult = Result<std::unique_ptr<Codec>>;
using ObjectCodecResult = Result<std::unique_ptr<ObjectCodec>>;

// Compressors.
CodecResult MakeBlosc(const json::Value& config, const CodecContext& context);
CodecResult MakeZlib(const json::Value& config, const CodecContext& context);
CodecResult MakeDeflate(const json::Value& config, const CodecContext& context);
CodecResult MakeGzip(const json::Value& config, const CodecContext& context);
CodecResult MakeBz2(const json::Value& config, const CodecContext& context);
CodecResult MakeLzma(const json::Value& config, const CodecContext& context);
CodecResult MakeZstd(const json::Value& config, const CodecContext& context);
CodecResult MakeLz4(const json::Value& config, const CodecContext& context);
CodecResult MakeZfpy(const json::Value& config, const CodecContext& context);
CodecResult MakePcodec(const json::Value& config, const CodecContext& context);
CodecResult MakeTiff(const json::Value& config, const CodecContext& context);  // decoding only
CodecResult MakeLerc(const json::Value& config, const CodecContext& context);  // decoding only
CodecResult MakeLzw(const json::Value& config, const CodecContext& context);   // decoding only
CodecResult MakeRunLengths(const json::Value& config,
                           const CodecContext& context);  // decoding only

// Filters on numbers.
CodecResult MakeDelta(const json::Value& config, const CodecContext& context);
CodecResult MakeFixedScaleOffset(const json::Value& config, const CodecContext& context);
CodecResult MakeQuantize(const json::Value& config, const CodecContext& context);
CodecResult MakeBitRound(const json::Value& config, const CodecContext& context);
CodecResult MakeAsType(const json::Value& config, const CodecContext& context);
CodecResult MakePackBits(const json::Value& config, const CodecContext& context);
CodecResult MakeCategorize(const json::Value& config, const CodecContext& context);

// Codecs of references to TIFF files (imagecodecs, virtual-tiff).
CodecResult MakeAxisDelta(const json::Value& config, const CodecContext& context);
CodecResult MakeHorizontalDelta(const json::Value& config, const CodecContext& context);
CodecResult MakeFloatPredictor(const json::Value& config, const CodecContext& context);
CodecResult MakeChunky(const json::Value& config, const CodecContext& context);

// Filters on bytes.
CodecResult MakeShuffle(const json::Value& config, const CodecContext& context);
CodecResult MakeBase64(const json::Value& config, const CodecContext& context);
CodecResult MakeCrc32(const json::Value& config, const CodecContext& context);
CodecResult MakeCrc32c(const json::Value& config, const CodecContext& context);
CodecResult MakeAdler32(const json::Value& config, const CodecContext& context);
CodecResult MakeFletcher32(const json::Value& config, const CodecContext& context);
CodecResult MakeJenkinsLookup3(const json::Value& config, const CodecContext& context);
CodecResult MakeJson2(const json::Value& config, const CodecContext& context);
CodecResult MakeMessagePack2(const json::Value& config, const CodecContext& context);

// Codecs that Zarr v3 and its extensions specify, with their configurations.
CodecResult MakeBytes(const json::Value& config, const CodecContext& context);
CodecResult MakeTranspose(const json::Value& config, const CodecContext& context);
CodecResult MakeReshape(const json::Value& config, const CodecContext& context);
CodecResult MakeV3BitRound(const json::Value& config, const CodecContext& context);
CodecResult MakeScaleOffset(const json::Value& config, const CodecContext& context);
CodecResult MakeCastValue(const json::Value& config, const CodecContext& context);
CodecResult MakeV3PackBits(const json::Value& config, const CodecContext& context);
CodecResult MakeZfp(const json::Value& config, const CodecContext& context);
CodecResult MakeN5Default(const json::Value& config, const CodecContext& context);
CodecResult MakeConditional(const json::Value& config, const CodecContext& context);
CodecResult MakeOptional(const json::Value& config, const CodecContext& context);

// Object codecs, for variable-length strings and byte strings.
ObjectCodecResult MakeVlenUtf8(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeVlenBytes(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeJson2Objects(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeMessagePack2Objects(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeCategorizeObjects(const json::Value& config, const CodecContext& context);

// Checksum functions of the codecs crc32c, fletcher32 and jenkins_lookup3, for tests.
std::uint32_t Crc32cOf(ByteSpan data);
std::uint32_t Fletcher32Of(ByteSpan data);
std::uint32_t JenkinsLookup3Of(ByteSpan data, std::uint32_t seed);

}  // namespace zarr
