// SPDX-License-Identifier: MIT
// Reads pco files in standalone format, as numcodecs' "pcodec" writes them.
// https://github.com/pcodec/pcodec/blob/main/docs/format.md
#pragma once

#include <optional>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/codec/output.h"
#include "core/codec/pco_metadata.h"

namespace zarr::pco {

// Decodes the pco file `encoded` into `decoded`, in the host's byte order. Fails if the numbers are
// not of type `wanted`, if given.
//
// Ignores bytes after the end of the file. Needs a few hundred kilobytes of memory, plus at most
// the sizes of the file and of `decoded`.
Status DecodeFile(ByteSpan encoded, const std::optional<NumberType>& wanted, Output& decoded);

}  // namespace zarr::pco
