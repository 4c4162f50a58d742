// SPDX-License-Identifier: MIT
// Reads files of pco, in its standalone format, as numcodecs' "pcodec" writes them.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <optional>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/codec/output.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

// Writes the numbers of the file `encoded` to `decoded`, in the host's byte order. All are of type
// `wanted`, where that is known. Bytes behind the end of the file are not looked at. Takes memory
// for less than a few hundred kilobytes, or for the dictionary and the window that the file has,
// which are bounded by its size and by the limit of `decoded`.
Status DecodeFile(ByteSpan encoded, const std::optional<NumberType>& wanted, Output& decoded);

}  // namespace zarr::pco
