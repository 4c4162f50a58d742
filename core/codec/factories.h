// SPDX-License-Identifier: MIT
// Factory functions of codecs; only registry.cpp calls them. `config` has the option names of
// numcodecs, or those of Zarr v3 if numcodecs lacks the codec. Invalid options that only encoding
// needs do not prevent decoding.
#pragma once

#include <memory>

#include "core/codec/codec.h"

namespace zarr {

using CodecResult = Result<std::unique_ptr<Codec>>;
using ObjectCodecResult = Result<std::unique_ptr<ObjectCodec>>;

// Factories of compressors.
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
CodecResult MakeTiff(const json::Value& config, const CodecContext& context);  // cannot encode
CodecResult MakeLerc(const json::Value& config, const CodecContext& context);  // cannot encode
CodecResult MakeLzw(const json::Value& config, const CodecContext& context);   // cannot encode
CodecResult MakeRunLengths(const json::Value& config,
                           const CodecContext& context);  // cannot encode

// Factories of filters that change numbers.
CodecResult MakeDelta(const json::Value& config, const CodecContext& context);
CodecResult MakeFixedScaleOffset(const json::Value& config, const CodecContext& context);
CodecResult MakeQuantize(const json::Value& config, const CodecContext& context);
CodecResult MakeBitRound(const json::Value& config, const CodecContext& context);
CodecResult MakeAsType(const json::Value& config, const CodecContext& context);
CodecResult MakePackBits(const json::Value& config, const CodecContext& context);
CodecResult MakeCategorize(const json::Value& config, const CodecContext& context);

// Factories of codecs in references to TIFF files, as imagecodecs and virtual-tiff name them.
CodecResult MakeAxisDelta(const json::Value& config, const CodecContext& context);
CodecResult MakeHorizontalDelta(const json::Value& config, const CodecContext& context);
CodecResult MakeFloatPredictor(const json::Value& config, const CodecContext& context);
CodecResult MakeChunky(const json::Value& config, const CodecContext& context);

// Factories of filters that change bytes, and of json2 and msgpack2, which encode elements.
CodecResult MakeShuffle(const json::Value& config, const CodecContext& context);
CodecResult MakeBase64(const json::Value& config, const CodecContext& context);
CodecResult MakeCrc32(const json::Value& config, const CodecContext& context);
CodecResult MakeCrc32c(const json::Value& config, const CodecContext& context);
CodecResult MakeAdler32(const json::Value& config, const CodecContext& context);
CodecResult MakeFletcher32(const json::Value& config, const CodecContext& context);
CodecResult MakeJenkinsLookup3(const json::Value& config, const CodecContext& context);
CodecResult MakeJson2(const json::Value& config, const CodecContext& context);
CodecResult MakeMessagePack2(const json::Value& config, const CodecContext& context);

// Factories of codecs that Zarr v3 or its extensions specify; `config` is the Zarr v3
// configuration.
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

// Factories of codecs for variable-length strings and byte strings.
ObjectCodecResult MakeVlenUtf8(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeVlenBytes(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeJson2Objects(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeMessagePack2Objects(const json::Value& config, const CodecContext& context);
ObjectCodecResult MakeCategorizeObjects(const json::Value& config, const CodecContext& context);

// Checksum functions of the codecs crc32c, fletcher32 and jenkins_lookup3, exported for tests.
std::uint32_t Crc32cOf(ByteSpan data);
std::uint32_t Fletcher32Of(ByteSpan data);
std::uint32_t JenkinsLookup3Of(ByteSpan data, std::uint32_t seed);

}  // namespace zarr
