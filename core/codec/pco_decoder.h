// SPDX-License-Identifier: MIT
// Reads pco files in standalone format, as numcodecs' "pcodec" writes them.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <optional>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/codec/codec_output.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

// Decodes the pco file `encoded` into `decoded`, in the host's byte order. `wanted` is the expected
// type of the numbers, if known; another type is an error. Bytes after the end of the file are
// ignored. Decoding uses a few hundred kilobytes of memory, plus the file's dictionary and window.
// The dictionary is bounded by the file's size, and the window by the limit of `decoded`.
Status DecodeFile(ByteSpan encoded, const std::optional<NumberType>& wanted, Output& decoded);

}  // namespace zarr::pco
