// SPDX-License-Identifier: MIT
// The configurations of Zarr v3's codecs, which are read strictly: every member is known, and of
// the type that its specification says. Errors are kCorrupt and name the member.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Fails where `configuration`, an object, has members beside `known` ones.
Status CheckMembers(const json::Value& configuration,
                    std::initializer_list<std::string_view> known);

// Members that have to be there, and may not be null.
Result<std::int64_t> RequiredInt(const json::Value& configuration, std::string_view key,
                                 std::int64_t minimum, std::int64_t maximum);
Result<double> RequiredNumber(const json::Value& configuration, std::string_view key);
// One of `names`, as its index.
Result<std::size_t> RequiredName(const json::Value& configuration, std::string_view key,
                                 std::initializer_list<std::string_view> names);
// The same where it is there, else index 0.
Result<std::size_t> OptionalName(const json::Value& configuration, std::string_view key,
                                 std::initializer_list<std::string_view> names);
// A list of codecs, with the places "codecs[0]", ...; kLimit where there are too many.
Result<std::vector<CodecSpec>> RequiredCodecs(const json::Value& configuration,
                                              std::string_view key);

// The same codec's options as numcodecs has them. `context` says what the codec is bound to.
Result<json::Value> ReadBloscConfiguration(const json::Value& configuration,
                                           const CodecContext& context);
Result<json::Value> ReadGzipConfiguration(const json::Value& configuration,
                                          const CodecContext& context);
Result<json::Value> ReadZstdConfiguration(const json::Value& configuration,
                                          const CodecContext& context);
// Of codecs without a configuration.
Result<json::Value> ReadEmptyConfiguration(const json::Value& configuration,
                                           const CodecContext& context);

// Of the codecs that zarr-python takes from numcodecs: they have numcodecs' options, but for types,
// which NumPy's names may say as well ("int32"), and which are the array's where they are missing.
// https://zarr.readthedocs.io/en/stable/api/zarr/codecs/numcodecs
Result<json::Value> ReadNumcodecsConfiguration(const json::Value& configuration,
                                               const CodecContext& context);
// The same of "numcodecs.shuffle", whose size of elements is the array's where it is missing.
Result<json::Value> ReadShuffleConfiguration(const json::Value& configuration,
                                             const CodecContext& context);

// The way back: what `zarr.json` says of a codec with these options of numcodecs, which encodes
// items of `dtype`.
json::Value BloscConfiguration(const json::Value& options, const DataType& dtype);
json::Value GzipConfiguration(const json::Value& options, const DataType& dtype);
json::Value ZstdConfiguration(const json::Value& options, const DataType& dtype);
json::Value ShuffleConfiguration(const json::Value& options, const DataType& dtype);
json::Value EmptyConfiguration(const json::Value& options, const DataType& dtype);
json::Value NumcodecsConfiguration(const json::Value& options, const DataType& dtype);

}  // namespace zarr
