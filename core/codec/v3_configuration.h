// SPDX-License-Identifier: MIT
// Strict parsing of Zarr v3 codec configurations: an unknown member, or a member of a wrong type,
// is an error. Errors are kCorrupt and name the member.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Returns an error if `configuration` is not an object or has a member that `known` does not name.
Status CheckMembers(const json::Value& configuration,
                    std::initializer_list<std::string_view> known);

// Returns the required member `key`, which must be an integer from `minimum` to `maximum`.
Result<std::int64_t> RequiredInt(const json::Value& configuration, std::string_view key,
                                 std::int64_t minimum, std::int64_t maximum);
Result<double> RequiredNumber(const json::Value& configuration, std::string_view key);
// Returns the index in `names` of the value of the required member `key`.
Result<std::size_t> RequiredName(const json::Value& configuration, std::string_view key,
                                 std::initializer_list<std::string_view> names);
// Returns the index in `names` of the value of the member `key`; 0 if the member is missing.
Result<std::size_t> OptionalName(const json::Value& configuration, std::string_view key,
                                 std::initializer_list<std::string_view> names);
// Returns the codecs in the required member `key`. CodecSpec::place of each codec is its path for
// messages, such as "codecs[0]" for the key "codecs". Returns kLimit if there are too many codecs.
Result<std::vector<CodecSpec>> RequiredCodecs(const json::Value& configuration,
                                              std::string_view key);

// Return the numcodecs options for a Zarr v3 configuration of the codec blosc, gzip or zstd.
// `context` describes the items to encode.
Result<json::Value> ReadBloscConfiguration(const json::Value& configuration,
                                           const CodecContext& context);
Result<json::Value> ReadGzipConfiguration(const json::Value& configuration,
                                          const CodecContext& context);
Result<json::Value> ReadZstdConfiguration(const json::Value& configuration,
                                          const CodecContext& context);
// Returns the configuration of a codec without options; an error if the configuration has members.
Result<json::Value> ReadEmptyConfiguration(const json::Value& configuration,
                                           const CodecContext& context);

// Returns the numcodecs options of a "numcodecs." codec of zarr-python. Data types may have NumPy
// names ("int32") and default to the array's type.
// https://zarr.readthedocs.io/en/stable/api/zarr/codecs/numcodecs
Result<json::Value> ReadNumcodecsConfiguration(const json::Value& configuration,
                                               const CodecContext& context);
// Returns the options of "numcodecs.shuffle"; "elementsize" defaults to the array's element size.
Result<json::Value> ReadShuffleConfiguration(const json::Value& configuration,
                                             const CodecContext& context);

// Return the Zarr v3 configuration for numcodecs options. `dtype` is the type of the items to
// encode.
json::Value BloscConfiguration(const json::Value& options, const DataType& dtype);
json::Value GzipConfiguration(const json::Value& options, const DataType& dtype);
json::Value ZstdConfiguration(const json::Value& options, const DataType& dtype);
json::Value ShuffleConfiguration(const json::Value& options, const DataType& dtype);
json::Value EmptyConfiguration(const json::Value& options, const DataType& dtype);
json::Value NumcodecsConfiguration(const json::Value& options, const DataType& dtype);

}  // namespace zarr
