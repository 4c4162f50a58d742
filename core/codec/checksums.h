// SPDX-License-Identifier: MIT
// What the checksum codecs share: four little-endian bytes before or after the data.
#pragma once

#include <cstdint>

#include "core/codec/factories.h"

namespace zarr {

enum class ChecksumLocation : std::uint8_t { kStart, kEnd };

using ChecksumFunction = std::uint32_t (*)(ByteSpan data);

// A codec that stores `function` of the data and checks it.
CodecResult MakeChecksum(ChecksumFunction function, ChecksumLocation location);

// The same with the location that the optional member "location" of `config` names ("start" or
// "end", since numcodecs 0.14).
CodecResult MakeChecksum(ChecksumFunction function, const json::Value& config,
                         ChecksumLocation fallback);

// The functions of two of them, for tests.
std::uint32_t Crc32cOf(ByteSpan data);
std::uint32_t Fletcher32Of(ByteSpan data);

}  // namespace zarr
